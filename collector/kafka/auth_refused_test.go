package kafka

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// saslBroker is handmade with a login that the test may spoil. It counts the
// messages that mechanisms sent.
type saslBroker struct {
	*handmade
	messages atomic.Int32
}

func startSASLBroker(t *testing.T, spoil func(kmsg.Response)) *saslBroker {
	t.Helper()
	b := &saslBroker{handmade: startHandmade(t)}
	b.answer(func(req kmsg.Request, good []byte) reply {
		resp := b.handle(req)
		switch r := resp.(type) {
		case *kmsg.ApiVersionsResponse:
			r.ApiKeys = append(r.ApiKeys, kmsg.ApiVersionsResponseApiKey{ApiKey: int16(kmsg.SASLHandshake), MaxVersion: 1},
				kmsg.ApiVersionsResponseApiKey{ApiKey: int16(kmsg.SASLAuthenticate), MaxVersion: 2})
		case *kmsg.SASLAuthenticateResponse:
			b.messages.Add(1)
		}
		if spoil != nil {
			spoil(resp)
		}
		return reply{bytes: appendAnswer(nil, int32(binary.BigEndian.Uint32(good[4:])), resp)}
	})
	return b
}

// kfakeAddr starts a cluster of one and returns its address.
func kfakeAddr(t *testing.T, opts ...kfake.Opt) string {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	must(t, err)
	t.Cleanup(c.Close)
	return c.ListenAddrs()[0]
}

// checkRefused checks that a poll failed for one reason, told in one line.
func checkRefused(t *testing.T, s *snapshot.Snapshot, err error, want snapshot.Reason, says ...string) {
	t.Helper()
	if err == nil || ReasonOf(err) != want || len(s.Problems) != 1 || s.Problems[0].Reason != want {
		t.Fatalf("%s: %v, %v", ReasonOf(err), err, problems(s))
	}
	for _, text := range []string{err.Error(), s.Problems[0].Detail} {
		checkLine(t, text)
		if strings.Contains(text, testPassword) {
			t.Errorf("the password is in %q", text)
		}
		for _, part := range says {
			if !strings.Contains(text, part) {
				t.Errorf("%q is not in %q", part, text)
			}
		}
	}
	t.Log(s.Problems[0].Detail)
}

// Whatever is wrong with a login is one line that names mechanism and user,
// never the password, and is tried once in a poll.
func TestLoginThatFails(t *testing.T) {
	text := func(s string) *string { return &s }
	refusing := func(code int16, message *string) func(kmsg.Response) {
		return func(r kmsg.Response) {
			if a, ok := r.(*kmsg.SASLAuthenticateResponse); ok {
				a.ErrorCode, a.ErrorMessage = code, message
			}
		}
	}
	shaking := func(code int16, mechanisms ...string) func(kmsg.Response) {
		return func(r kmsg.Response) {
			if h, ok := r.(*kmsg.SASLHandshakeResponse); ok {
				h.ErrorCode, h.SupportedMechanisms = code, mechanisms
			}
		}
	}
	for _, test := range []struct {
		name, mechanism string
		spoil           func(kmsg.Response)
		messages        int32 // of the mechanism, in each poll
		says            []string
	}{
		{"wrong password", "PLAIN", refusing(58, text("Authentication failed: Invalid username or password")), 1,
			[]string{"SASL PLAIN", `user "lag,=watch"`, "Invalid username or password", "check user, password and mechanism"}},
		{"wrong password, without a word", "SCRAM-SHA-512", refusing(58, nil), 1, []string{"SASL SCRAM-SHA-512", `user "lag,=watch"`}},
		{"the password in the answer", "PLAIN", refusing(58, text("no "+testPassword)), 1, []string{"SASL PLAIN"}},
		{"an answer of many lines", "PLAIN", refusing(58, text("a\nb\r\n\tc"+strings.Repeat("x", 2000))), 1, []string{"SASL PLAIN"}},
		{"mechanism not enabled", "PLAIN", shaking(33, "SCRAM-SHA-512", "GSSAPI"), 0, []string{"not enabled", "SCRAM-SHA-512, GSSAPI"}},
		{"no mechanism enabled", "PLAIN", shaking(33), 0, []string{"what is: none"}},
		{"mechanisms of another world", "PLAIN", shaking(33, strings.Repeat("\n\"x", 5000)), 0, []string{"not enabled"}},
		{"listener without SASL", "PLAIN", shaking(34), 0, []string{"no authentication", "leave sasl out"}},
		{"a broker that does not know the password", "SCRAM-SHA-256", func(r kmsg.Response) {
			if a, ok := r.(*kmsg.SASLAuthenticateResponse); ok {
				a.SASLAuthBytes = []byte("r=x,s=eA==,i=4096")
			}
		}, 1, []string{"nonce", "is it the right broker"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := startSASLBroker(t, test.spoil)
			client, err := New(Options{Brokers: []string{b.addr}, SASL: testSASL(test.mechanism), RequestTimeout: patience})
			must(t, err)
			t.Cleanup(client.Close)
			for range 2 {
				b.messages.Store(0)
				s, err := client.Poll(testContext(t))
				checkRefused(t, s, err, snapshot.ReasonAuthentication, append(test.says, b.addr)...)
				if n := b.messages.Load(); n != test.messages {
					t.Errorf("%d messages of the mechanism, not %d", n, test.messages)
				}
			}
			b.answer(func(req kmsg.Request, good []byte) reply { return reply{bytes: good} })
		})
	}
}

// A broker that hangs up on a wrong password, as kfake does, is asked once.
func TestLoginThatIsHungUpOn(t *testing.T) {
	addr := kfakeAddr(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", testUser, "another"))
	client, wire := newClient(t, Options{SASL: testSASL("SCRAM-SHA-256")}, addr)
	s, err := client.Poll(testContext(t))
	checkRefused(t, s, err, snapshot.ReasonAuthentication, "closed the connection", "password are wrong")
	if n := len(ofAPI(wire.reset(), kmsg.SASLHandshake)); n != 1 {
		t.Errorf("%d logins", n)
	}
}

// Credentials that cannot be read are told as they are.
func TestLoginWithoutCredentials(t *testing.T) {
	for says, credentials := range map[string]func() (string, string, error){
		"/secret/password": func() (string, string, error) {
			return "", "", errors.New("sasl.password_file: /secret/password is empty")
		},
		"a zero byte":       func() (string, string, error) { return "u", testPassword + "\x00", nil },
		"permission denied": func() (string, string, error) { return "", "", os.ErrPermission },
	} {
		b := startSASLBroker(t, nil)
		client, err := New(Options{Brokers: []string{b.addr}, SASL: &SASL{Mechanism: "PLAIN", Credentials: credentials}})
		must(t, err)
		s, err := client.Poll(testContext(t))
		checkRefused(t, s, err, snapshot.ReasonAuthentication, says, "the next poll reads it again")
		client.Close()
	}
}

// A SASL listener closes the connection of one that does not log in. ApiVersions
// is answered to anyone.
func TestListenerThatWantsALogin(t *testing.T) {
	addr := kfakeAddr(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "u", "p"))
	s, err := untapped(t, patience, addr).Poll(testContext(t))
	if err == nil || ReasonOf(err) != snapshot.ReasonUnreachable || !strings.Contains(s.Problems[0].Detail, "as a SASL listener does: set sasl") {
		t.Errorf("%v, %+v", err, s.Problems)
	}
}
