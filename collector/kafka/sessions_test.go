package kafka

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/lagwatch/lagwatch/internal/lab"
)

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
		ending := &reauth{dial: network.DialContext, lifetime: lifetime}
		client, err := New(Options{Brokers: c.Addrs(), Dial: ending.Dial, SASL: &SASL{
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
		t.Logf("%d polls, %d connections, %d requests after a session's end", polls, ending.opened.Load(), ending.late.Load())
		if ending.late.Load() > 0 {
			t.Errorf("%d requests after a session's end", ending.late.Load())
		}
		if n := ending.opened.Load(); n < 3*60 || n > 3*60*2 {
			t.Errorf("%d connections", n)
		}
		client.Close()
		c.Close()
	})
}
