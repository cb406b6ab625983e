package kafka

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/goleak"

	"github.com/lagwatch/lagwatch/internal/lab"
)

func TestNewNeedsABroker(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("a client of nothing")
	}
}

// New connects to nothing, and closing what never polled is no harm.
func TestNewStartsNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	c, err := New(Options{Brokers: []string{"127.0.0.1:1"}})
	must(t, err)
	must(t, goleak.Find(before))
	c.Close()
	c.Close()
}

// After Close no goroutine and no connection is left.
func TestCloseLeavesNothing(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{RequestTimeout: time.Second})
	poll(t, client)
	must(t, c.SetLink(1, lab.LinkHung))
	poll(t, client)
	must(t, c.SetLink(1, lab.LinkUp))
	client.Close()
	eventually(t, "all connections are closed", func() bool { return wire.connections("") == 0 })
	eventually(t, "no goroutine is left", func() bool { return clientGoroutines() == 0 })
}

// clientGoroutines is how many goroutines are the client's, or its transports';
// those of the brokers, which run in the same process, are not.
func clientGoroutines() (n int) {
	buf := make([]byte, 16<<20)
	for _, stack := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(stack, "segmentio/kafka-go.") {
			n++
		}
	}
	return n
}

// Over many polls with a frozen broker neither goroutines nor connections grow,
// and no poll takes longer for it. Time is simulated, so timeouts are real ones.
func TestFrozenBrokerForHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &kfake.VirtualNetwork{}
		c, err := lab.Start(lab.Options{Network: network, Topics: map[string]int32{"orders": 3}})
		must(t, err)
		lead(t, c, "orders", 0, 1, 2)
		wire := newTap(network.DialContext)
		client, err := New(Options{Brokers: c.Addrs(), Dial: wire.Dial})
		must(t, err)
		pollOnce := func() time.Duration {
			ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
			defer cancel()
			started := time.Now()
			s, err := client.Poll(ctx)
			must(t, err)
			took := time.Since(started)
			if len(s.Topics) != 1 || !s.Topics[0].Partitions[0].End.Known() {
				t.Errorf("partition 0 was not read: %v", problems(s))
			}
			<-time.After(10*time.Second - took)
			return took
		}
		pollOnce()
		must(t, c.SetLink(1, lab.LinkHung))
		for range 5 {
			pollOnce()
		}
		goroutines, connections := clientGoroutines(), wire.connections("")
		var slowest time.Duration
		for range 100 {
			slowest = max(slowest, pollOnce())
		}
		if n := clientGoroutines(); n > goroutines+2 || n > 40 {
			t.Errorf("%d goroutines, %d before", n, goroutines)
		}
		if n := wire.connections(""); n > connections+2 || n > 16 {
			t.Errorf("%d connections, %d before", n, connections)
		}
		if limit := 2 * client.opts.RequestTimeout; slowest > limit {
			t.Errorf("the slowest poll took %s", slowest)
		}
		must(t, c.SetLink(1, lab.LinkUp))
		client.Close()
		c.Close()
	})
}

// Connections to a healthy cluster do not grow either.
func TestConnectionsDoNotGrow(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	for range 100 {
		poll(t, client)
	}
	if n := wire.connections(""); n > 12 {
		t.Errorf("%d connections to 3 brokers", n)
	}
}

// Polls that are called at the same time run one after the other, and each is
// whole.
func TestConcurrentPolls(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.reset()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { check(t, poll(t, client), trioLines(groups, -1)...) })
	}
	wg.Wait()
	calls := slices.DeleteFunc(wire.reset(), func(k *call) bool { return k.own })
	if len(calls) != 8*13 {
		t.Fatalf("%d requests", len(calls))
	}
	for one := range slices.Chunk(calls, 13) {
		if n := requests(one); n["Metadata"] != 1 || n["ListOffsets"] != 3 || one[0].api() != "Metadata" {
			t.Errorf("a poll was not alone: %v", n)
		}
	}
}

// Close during a poll waits for it, or ends it; either way all is closed then.
func TestCloseDuringPoll(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{RequestTimeout: time.Second})
	poll(t, client)
	must(t, c.SetLink(2, lab.LinkHung))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = client.Poll(testContext(t))
	}()
	client.Close()
	<-done
	client.Close()
	eventually(t, "all connections are closed", func() bool { return wire.connections("") == 0 })
}

// A cancelled poll returns at once, whatever it is waiting for, and says so.
func TestCancelledPoll(t *testing.T) {
	for _, hung := range [][]int32{{1}, {0, 1, 2}} {
		t.Run(fmt.Sprint(hung), func(t *testing.T) {
			t.Parallel()
			c, _ := trio(t, lab.Options{})
			client, _ := startClient(t, c, Options{RequestTimeout: 5 * time.Second})
			poll(t, client)
			for _, b := range hung {
				must(t, c.SetLink(b, lab.LinkHung))
			}
			ctx, cancel := context.WithCancel(testContext(t))
			time.AfterFunc(200*time.Millisecond, cancel)
			started := time.Now()
			s, err := client.Poll(ctx)
			if took := time.Since(started); took > 2*time.Second {
				t.Errorf("took %s", took)
			}
			if s == nil || len(hung) == 3 && !errors.Is(err, context.Canceled) {
				t.Errorf("%v, %v", s, err)
			}
			for _, b := range hung {
				must(t, c.SetLink(b, lab.LinkUp))
			}
			if s := poll(t, client); len(s.Problems) > 0 {
				t.Errorf("the next poll: %v", problems(s))
			}
		})
	}
	client := untapped(t, time.Second, "127.0.0.1:1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := client.Poll(ctx); s == nil || err == nil {
		t.Errorf("%v, %v", s, err)
	}
}
