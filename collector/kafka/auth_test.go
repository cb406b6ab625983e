package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/lagwatch/lagwatch/internal/lab"
)

const (
	testUser     = "lag,=watch" // SCRAM escapes these
	testPassword = "pässw²rd,=%s"
)

func testSASL(mechanism string) *SASL {
	return &SASL{Mechanism: mechanism, Credentials: func() (string, string, error) { return testUser, testPassword, nil }}
}

// Every mechanism reads a cluster, with and without TLS and a certificate of
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
				o.Brokers = c.ListenAddrs()[:1]
				client, err := New(o)
				must(t, err)
				t.Cleanup(client.Close)
				for range 2 {
					s := poll(t, client)
					if topic, ok := s.Topic("t"); !ok || !topic.Partitions[0].End.Known() || !topic.Partitions[1].End.Known() || len(s.Problems) > 0 {
						t.Errorf("topic %+v, problems %v", topic, problems(s))
					}
				}
			})
		}
	}
}

func TestNewRefusesSASL(t *testing.T) {
	for want, s := range map[string]*SASL{
		`"SCRAM-SHA-1" is not known; use one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512`: testSASL("SCRAM-SHA-1"),
		"no credentials": {Mechanism: "PLAIN"},
	} {
		_, err := New(Options{Brokers: []string{"a:1"}, SASL: s})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Credentials are asked for each connection, so that a rotated password is used.
func TestRotatedPassword(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser("PLAIN", "u", "new"))
	must(t, err)
	t.Cleanup(c.Close)
	var password atomic.Value
	password.Store("old")
	client, err := New(Options{Brokers: c.ListenAddrs(), SASL: &SASL{Mechanism: "PLAIN", Credentials: func() (string, string, error) {
		return "u", password.Load().(string), nil
	}}})
	must(t, err)
	t.Cleanup(client.Close)
	if _, err := client.Poll(testContext(t)); err == nil {
		t.Fatal("the old password was good")
	}
	password.Store("new")
	poll(t, client)
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

// reauth is a network on which a connection ends with its session, as brokers
// do it (connections.max.reauth.ms): with the first request after.
type reauth struct {
	dial     DialFunc
	lifetime time.Duration
	opened   atomic.Int32
	late     atomic.Int32
}

func (r *reauth) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := r.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	r.opened.Add(1)
	return &reauthConn{c, r, time.Now().Add(r.lifetime)}, nil
}

type reauthConn struct {
	net.Conn
	r   *reauth
	end time.Time
}

func (c *reauthConn) Write(b []byte) (int, error) {
	if time.Now().After(c.end) {
		c.r.late.Add(1)
		c.Close()
		return 0, net.ErrClosed
	}
	return c.Conn.Write(b)
}

// A connection whose session ends is replaced before, so that for an hour no poll
// fails and no request is sent twice.
func TestSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lifetime = time.Minute
		network := &kfake.VirtualNetwork{}
		c, err := lab.Start(lab.Options{
			Network: network, Topics: map[string]int32{"orders": 3},
			Configs:     map[string]string{"connections.max.reauth.ms": fmt.Sprint(lifetime.Milliseconds())},
			Extra:       []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("PLAIN", "u", "p")},
			ClientExtra: []kgo.Opt{kgo.SASL(plain.Auth{User: "u", Pass: "p"}.AsMechanism())},
		})
		must(t, err)
		lead(t, c, "orders", 0, 1, 2)
		wire := &reauth{dial: network.DialContext, lifetime: lifetime}
		client, err := New(Options{Brokers: c.Addrs(), Dial: wire.Dial, SASL: &SASL{
			Mechanism: "PLAIN", Credentials: func() (string, string, error) { return "u", "p", nil },
		}})
		must(t, err)
		began, polls := time.Now(), 0
		want := ""
		for time.Since(began) < time.Hour {
			started := time.Now()
			s, err := client.Poll(t.Context())
			must(t, err)
			polls++
			if len(s.Problems) > 0 {
				t.Errorf("after %s: %v", time.Since(began), problems(s))
			}
			if got := fmt.Sprint(s.Requests); polls > 7 && polls%6 == 2 { // start offsets are read once a minute
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("poll %d sent %s, not %s", polls, got, want)
				}
			}
			<-time.After(10*time.Second - time.Since(started))
		}
		t.Logf("%d polls, %d connections, %d requests after a session's end", polls, wire.opened.Load(), wire.late.Load())
		if wire.late.Load() > 0 {
			t.Errorf("%d requests after a session's end", wire.late.Load())
		}
		if n := wire.opened.Load(); n < 3*60 || n > 3*60*2 {
			t.Errorf("%d connections", n)
		}
		client.Close()
		c.Close()
	})
}
