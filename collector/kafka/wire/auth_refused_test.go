package wire

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// saslBroker has a login that the test may spoil. It counts the messages that
// mechanisms sent.
type saslBroker struct {
	*wiretest.Broker
	messages atomic.Int32
}

func startSASLBroker(t *testing.T, spoil func(kmsg.Response)) *saslBroker {
	t.Helper()
	b := &saslBroker{Broker: wiretest.Start(t)}
	b.Answer(func(q wiretest.Question) wiretest.Reply {
		switch r := q.Right.(type) {
		case *kmsg.ApiVersionsResponse:
			r.ApiKeys = append(r.ApiKeys, kmsg.ApiVersionsResponseApiKey{ApiKey: int16(kmsg.SASLHandshake), MaxVersion: 1},
				kmsg.ApiVersionsResponseApiKey{ApiKey: int16(kmsg.SASLAuthenticate), MaxVersion: 2})
		case *kmsg.SASLAuthenticateResponse:
			b.messages.Add(1)
		}
		if spoil != nil {
			spoil(q.Right)
		}
		return q.Answer(q.Right)
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

// checkRefused checks that a login failed, told in one line without the
// password.
func checkRefused(t *testing.T, err error, says ...string) {
	t.Helper()
	checkFailed(t, err, snapshot.ReasonAuthentication, says...)
	if strings.Contains(Explain(err), testPassword) {
		t.Errorf("the password is in %q", Explain(err))
	}
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
			n := startNode(t, Options{SASL: testSASL(test.mechanism)}, b.Addr)
			for range 2 {
				b.messages.Store(0)
				n.nodes.Begin()
				for range 2 {
					checkRefused(t, listGroups(t, n), append(test.says, b.Addr)...)
				}
				if n := b.messages.Load(); n != test.messages {
					t.Errorf("%d messages of the mechanism, not %d", n, test.messages)
				}
			}
		})
	}
}

// A broker that hangs up on a wrong password, as kfake does, is asked once.
func TestLoginThatIsHungUpOn(t *testing.T) {
	addr := kfakeAddr(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", testUser, "another"))
	var dials atomic.Int32
	n := startNode(t, Options{SASL: testSASL("SCRAM-SHA-256"), Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}}, addr)
	checkRefused(t, listGroups(t, n), "closed the connection", "password are wrong")
	if n := dials.Load(); n != 1 {
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
		n := startNode(t, Options{SASL: &SASL{Mechanism: "PLAIN", Credentials: credentials}}, startSASLBroker(t, nil).Addr)
		checkRefused(t, listGroups(t, n), says, "the next poll reads it again")
	}
}

// A SASL listener closes the connection of one that does not log in. ApiVersions
// is answered to anyone.
func TestListenerThatWantsALogin(t *testing.T) {
	addr := kfakeAddr(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "u", "p"))
	checkFailed(t, listGroups(t, startNode(t, Options{}, addr)), snapshot.ReasonUnreachable, "as a SASL listener does: set sasl")
}
