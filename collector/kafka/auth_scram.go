package kafka

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"

	"github.com/segmentio/kafka-go/sasl"
)

// How often a password may be hashed. Kafka allows 4096 to 16384; fewer would
// let a false broker guess passwords from the proof, and many more would keep
// a processor busy for as long as a broker likes.
const (
	minIterations = 4096
	maxIterations = 100_000
)

// scram is the client's side of SCRAM (RFC 5802, RFC 7677) without channel
// binding. It takes user and password as they are, as Kafka's own clients and
// tools do: with SASLprep, of which the RFC speaks, some passwords that Kafka
// has stored would be wrong.
type scram struct {
	name           string
	hash           func() hash.Hash
	user, password string
	nonce          string // of the client; "" for a random one
}

func scramSHA256(user, password string) scram {
	return scram{name: "SCRAM-SHA-256", hash: sha256.New, user: user, password: password}
}

func scramSHA512(user, password string) scram {
	return scram{name: "SCRAM-SHA-512", hash: sha512.New, user: user, password: password}
}

// Name is the mechanism's.
func (s scram) Name() string { return s.name }

// Start returns the first message of the client.
func (s scram) Start(context.Context) (sasl.StateMachine, []byte, error) {
	if s.nonce == "" {
		s.nonce = rand.Text()
	}
	user := strings.NewReplacer("=", "=3D", ",", "=2C").Replace(s.user)
	c := &scramConversation{scram: s, first: "n=" + user + ",r=" + s.nonce}
	return c, []byte(gs2Header + c.first), nil
}

// gs2Header says that there is no channel binding and no other identity.
const gs2Header = "n,,"

type scramConversation struct {
	scram
	first     string // of the client, without gs2Header
	signature []byte // that the server has to send in the end
}

// Next answers the server's first message with the proof, and checks the
// server's in its last.
func (c *scramConversation) Next(_ context.Context, challenge []byte) (bool, []byte, error) {
	if c.signature == nil {
		message, err := c.prove(string(challenge))
		return false, message, err
	}
	return true, nil, c.verify(string(challenge))
}

func (c *scramConversation) prove(server string) ([]byte, error) {
	nonce, salt, iterations, err := parseServerFirst(server)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(nonce, c.nonce) || len(nonce) == len(c.nonce) {
		return nil, errors.New("the broker's nonce does not follow from lagwatch's")
	}
	salted, err := pbkdf2.Key(c.hash, c.password, salt, iterations, c.hash().Size())
	if err != nil {
		return nil, err
	}
	final := "c=" + base64.StdEncoding.EncodeToString([]byte(gs2Header)) + ",r=" + nonce
	message := c.first + "," + server + "," + final
	clientKey := c.mac(salted, "Client Key")
	stored := c.hash()
	stored.Write(clientKey)
	proof := make([]byte, len(clientKey))
	for i, b := range c.mac(stored.Sum(nil), message) {
		proof[i] = clientKey[i] ^ b
	}
	c.signature = c.mac(c.mac(salted, "Server Key"), message)
	return []byte(final + ",p=" + base64.StdEncoding.EncodeToString(proof)), nil
}

func (c *scramConversation) mac(key []byte, text string) []byte {
	m := hmac.New(c.hash, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

// parseServerFirst reads "r=nonce,s=salt,i=iterations", perhaps followed by
// extensions.
func parseServerFirst(text string) (nonce string, salt []byte, iterations int, err error) {
	fields := strings.SplitN(text, ",", 4)
	if len(fields) < 3 {
		return "", nil, 0, errors.New("the broker's first message is none of SCRAM's")
	}
	nonce, isNonce := strings.CutPrefix(fields[0], "r=")
	encoded, isSalt := strings.CutPrefix(fields[1], "s=")
	number, isNumber := strings.CutPrefix(fields[2], "i=")
	salt, saltErr := base64.StdEncoding.DecodeString(encoded)
	iterations, err = strconv.Atoi(number)
	if !isNonce || !isSalt || !isNumber || saltErr != nil || len(salt) == 0 || err != nil {
		return "", nil, 0, errors.New("the broker's first message is none of SCRAM's")
	}
	if iterations < minIterations || iterations > maxIterations {
		return "", nil, 0, fmt.Errorf("the broker wants the password hashed %d times; %d to %d is safe", iterations, minIterations, maxIterations)
	}
	return nonce, salt, iterations, nil
}

// verify makes sure that the server knows the password too.
func (c *scramConversation) verify(server string) error {
	if text, failed := strings.CutPrefix(server, "e="); failed {
		return fmt.Errorf("the broker says %.100q", text)
	}
	encoded, _ := strings.CutPrefix(server, "v=")
	encoded, _, _ = strings.Cut(encoded, ",")
	got, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !hmac.Equal(got, c.signature) {
		return errors.New("the broker does not prove that it knows the password")
	}
	return nil
}
