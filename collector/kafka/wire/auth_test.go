package wire

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

const (
	testUser     = "lag,=watch" // SCRAM escapes these
	testPassword = "pässw²rd,=%s"
)

func testSASL(mechanism string) *SASL {
	return &SASL{Mechanism: mechanism, Credentials: func() (string, string, error) { return testUser, testPassword, nil }}
}

// Every mechanism opens the door, with and without TLS and a certificate of
// lagwatch's own. Passwords are taken as they are: ² is not 2.
func TestLogin(t *testing.T) {
	ca := newAuthority(t)
	own := ca.issue(nil)
	for _, security := range []struct {
		name   string
		broker []kfake.Opt
		client TLSFunc
	}{
		{"plaintext", nil, nil},
		{"TLS", []kfake.Opt{kfake.TLS(ca.server(nil))}, ca.client()},
		{"mutual TLS", []kfake.Opt{kfake.TLS(ca.mutual())}, ca.client(own)},
	} {
		for _, mechanism := range []string{"", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
			t.Run(security.name+" "+mechanism, func(t *testing.T) {
				o := Options{TLS: security.client}
				opts := append([]kfake.Opt{kfake.NumBrokers(2), kfake.SeedTopics(2, "t")}, security.broker...)
				if mechanism != "" {
					opts = append(opts, kfake.EnableSASL(), kfake.Superuser(mechanism, testUser, testPassword))
					o.SASL = testSASL(mechanism)
				}
				c, err := kfake.NewCluster(opts...)
				must(t, err)
				t.Cleanup(c.Close)
				for _, addr := range c.ListenAddrs() {
					n := startNode(t, o, addr)
					for range 2 {
						a, err := n.Do(testContext(t), NewMetadataRequest(), func(kmsg.Request) {})
						must(t, err)
						if m := a.Body.(*kmsg.MetadataResponse); len(m.Brokers) != 2 || len(m.Topics) != 1 || *m.Topics[0].Topic != "t" {
							t.Errorf("%+v", m)
						}
					}
				}
			})
		}
	}
}

func TestNewNodesRefusesSASL(t *testing.T) {
	for want, s := range map[string]*SASL{
		`"SCRAM-SHA-1" is not known; use one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512`: testSASL("SCRAM-SHA-1"),
		"no credentials": {Mechanism: "PLAIN"},
	} {
		_, err := NewNodes(Options{SASL: s})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Credentials are asked for each connection, so that a rotated password is used.
func TestRotatedPassword(t *testing.T) {
	addr := kfakeAddr(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "u", "new"))
	var password atomic.Value
	password.Store("old")
	n := startNode(t, Options{SASL: &SASL{Mechanism: "PLAIN", Credentials: func() (string, string, error) {
		return "u", password.Load().(string), nil
	}}}, addr)
	checkFailed(t, listGroups(t, n), snapshot.ReasonAuthentication)
	password.Store("new")
	n.nodes.Begin()
	must(t, listGroups(t, n))
}

// A refused password is presented once to a broker in a poll, and again in the
// next; concurrent connections take turns to find out.
func TestOneAttemptPerPoll(t *testing.T) {
	refused := errors.New("refused")
	var a attempts
	for range 3 {
		a.begin()
		var tries atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			for _, addr := range []string{"a", "b"} {
				wg.Go(func() {
					err := a.present(t.Context(), addr, func() (bool, error) { tries.Add(1); return true, refused })
					if err != refused {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		if tries.Load() != 2 {
			t.Errorf("%d attempts at two brokers", tries.Load())
		}
	}
}

// What was not presented may be tried again, and success opens the door.
func TestAttemptsThatMayBeRepeated(t *testing.T) {
	var a attempts
	for _, presented := range []bool{false, true} {
		for range 2 {
			tried := false
			want := error(nil)
			if !presented {
				want = errors.New("no route")
			}
			err := a.present(t.Context(), "a", func() (bool, error) { tried = true; return presented, want })
			if err != want || !tried {
				t.Errorf("presented %t: tried %t, %v", presented, tried, err)
			}
		}
	}
	a.present(t.Context(), "a", func() (bool, error) { // busy
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(ErrTimeout)
		if err := a.present(ctx, "a", func() (bool, error) { return false, nil }); err != ErrTimeout {
			t.Errorf("%v", err)
		}
		return false, nil
	})
}
