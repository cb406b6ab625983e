package wire

import (
	"context"
	"fmt"
	"regexp"

	"github.com/segmentio/kafka-go/sasl"
	xdg "github.com/xdg-go/scram"
)

// maxIterations bounds how often a broker may have the password hashed, as many
// more would keep a processor busy for as long as it likes. Kafka allows 4096
// to 16384; the library refuses fewer than 4096, with which a false broker could
// guess passwords from the proof.
const maxIterations = 100_000

// scram is the client's side of SCRAM (RFC 5802, RFC 7677) without channel
// binding. It takes user and password as they are, as Kafka's own clients and
// tools do: with SASLprep, of which the RFC speaks and which kafka-go's own
// mechanism does, some passwords that Kafka has stored would be wrong.
type scram struct {
	name           string
	hash           xdg.HashGeneratorFcn
	user, password string
	nonce          func() string // of the client; nil for random ones
}

func scramSHA256(user, password string) scram {
	return scram{name: "SCRAM-SHA-256", hash: xdg.SHA256, user: user, password: password}
}

func scramSHA512(user, password string) scram {
	return scram{name: "SCRAM-SHA-512", hash: xdg.SHA512, user: user, password: password}
}

// Name is the mechanism's.
func (s scram) Name() string { return s.name }

// Start returns the first message of the client.
func (s scram) Start(context.Context) (sasl.StateMachine, []byte, error) {
	client, err := s.hash.NewClientUnprepped(s.user, s.password, "")
	if err != nil {
		return nil, nil, err
	}
	if s.nonce != nil {
		client = client.WithNonceGenerator(s.nonce)
	}
	c := &scramConversation{client.NewConversation()}
	first, err := c.Step("")
	return c, []byte(first), err
}

type scramConversation struct{ *xdg.ClientConversation }

// iterations finds how often the server's first message wants the password
// hashed, where that is a number of more digits than any that is allowed, or
// one of them.
var iterations = regexp.MustCompile(`,i=0*(\d{6,})`)

// Next answers the server's first message with the proof, and checks the
// server's in its last.
func (c *scramConversation) Next(_ context.Context, challenge []byte) (done bool, message []byte, err error) {
	if m := iterations.FindSubmatch(challenge); m != nil && string(m[1]) != fmt.Sprint(maxIterations) {
		return false, nil, fmt.Errorf("the broker wants the password hashed %.20s times; up to %d is safe", m[1], maxIterations)
	}
	answer, err := c.Step(string(challenge))
	if err != nil {
		return false, nil, fmt.Errorf("the broker's answer is none of SCRAM's, or not to lagwatch: %.200q", err.Error())
	}
	if !c.Done() {
		return false, []byte(answer), nil
	}
	if !c.Valid() {
		return true, nil, fmt.Errorf("the broker does not prove that it knows the password")
	}
	return true, nil, nil
}
