package kafka

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// late holds requests back for a time, each on its own connection. The embedded
// cluster could do it too, but not several at once under the race detector.
func late(d time.Duration, which func(*call) bool) func(*call) verdict {
	return func(k *call) verdict {
		if which(k) {
			<-time.After(d)
		}
		return pass
	}
}

// A broker that answers, but so slowly that its groups take the whole poll,
// must not leave anyone without end offsets: commits are read before any of
// those. It is not silent either: the time was over, not its patience.
func TestSlowCoordinator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer func() { <-time.After(time.Minute) }() // what is held back ends with the bubble
		network := &kfake.VirtualNetwork{}
		c, err := lab.Start(lab.Options{Network: network, Topics: map[string]int32{"orders": 3}})
		must(t, err)
		defer c.Close()
		lead(t, c, "orders", 0, 1, 2)
		for b := range int32(3) {
			for _, g := range groupsOn(c, b, "group", 10) {
				commit(t, c, g, "orders", b, 0)
			}
		}
		client, wire := newClient(t, Options{Dial: network.DialContext, MaxGroupsPerRequest: 1, RequestTimeout: 2500 * time.Millisecond}, c.Addrs()...)
		defer client.Close()
		wire.onRequest(late(2*time.Second, func(k *call) bool {
			return k.addr == c.Addrs()[1] && k.req.Key() == int16(kmsg.OffsetFetch)
		}))
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
			started := time.Now()
			s, err := client.Poll(ctx)
			cancel()
			must(t, err)
			if took := time.Since(started); took > 9*time.Second {
				t.Errorf("took %s", took)
			}
			for _, p := range s.Topics[0].Partitions {
				if !p.End.Known() {
					t.Errorf("partition %d was not read: %v", p.ID, problems(s))
				}
			}
			for _, b := range s.Brokers {
				if !b.Answered.Or(false) {
					t.Errorf("broker %d is said to be silent: %v", b.ID, problems(s))
				}
			}
			for _, g := range s.Groups {
				if g.Coordinator.Or(1) != 1 && !g.Commits.Known() {
					t.Errorf("%s was not read", g.ID)
				}
			}
		}
	})
}

// A broker that answers each request late, but in time, is read in whole.
func TestBrokerAnswersLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer func() { <-time.After(time.Minute) }() // what is held back ends with the bubble
		network := &kfake.VirtualNetwork{}
		c, err := lab.Start(lab.Options{Network: network, Topics: map[string]int32{"orders": 3}})
		must(t, err)
		defer c.Close()
		lead(t, c, "orders", 0, 1, 2)
		group := groupOn(c, 1, "group")
		commit(t, c, group, "orders", 1, 0)
		client, wire := newClient(t, Options{Dial: network.DialContext, RequestTimeout: 2500 * time.Millisecond}, c.Addrs()...)
		defer client.Close()
		wire.onRequest(late(time.Second, func(k *call) bool {
			return !slices.Contains([]kmsg.Key{kmsg.ApiVersions, kmsg.Metadata}, kmsg.Key(k.req.Key()))
		}))
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
			s, err := client.Poll(ctx)
			cancel()
			must(t, err)
			check(t, s, "topic orders", "  0 leader=0 0..0", "  1 leader=1 0..0", "  2 leader=2 0..0",
				"group "+group+" classic / empty coordinator=1 generation=?", "  committed orders 1=0")
		}
	})
}

// A frozen broker that takes up all the time for groups says nothing of the
// others: that they could not be asked about its groups any more is no silence
// of theirs, and their end offsets are read.
func TestFrozenBrokerTakesTheTimeOfGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer func() { <-time.After(time.Minute) }() // what is held back ends with the bubble
		network := &kfake.VirtualNetwork{}
		c, err := lab.Start(lab.Options{Network: network, Topics: map[string]int32{"orders": 3}})
		must(t, err)
		defer c.Close()
		lead(t, c, "orders", 0, 1, 2)
		for b := range int32(3) {
			commit(t, c, groupOn(c, b, "group"), "orders", b, 0)
		}
		client, wire := newClient(t, Options{Dial: network.DialContext, RequestTimeout: 500 * time.Millisecond}, c.Addrs()[0])
		defer client.Close()
		poll(t, client)
		wire.onRequest(func(k *call) verdict {
			if k.addr == c.Addrs()[1] {
				return hang
			}
			return pass
		})
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
			s, err := client.Poll(ctx)
			cancel()
			must(t, err)
			for _, p := range s.Topics[0].Partitions {
				if p.End.Known() != (p.ID != 1) {
					t.Errorf("partition %d: end %s, %v", p.ID, offset(p.End), problems(s))
				}
			}
			for _, b := range s.Brokers {
				if b.Answered.Or(false) != (b.ID != 1) {
					t.Errorf("broker %d answered: %s, %v", b.ID, orUnknown(b.Answered), problems(s))
				}
			}
		}
	})
}
