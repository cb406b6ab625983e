package lab

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
)

func sum(m map[int32]int64) int64 {
	var n int64
	for _, v := range m {
		n += v
	}
	return n
}

func TestProducerIsOnTime(t *testing.T) {
	tests := []struct {
		name string
		spec ProducerSpec
		want map[int32]int64 // after a minute
	}{
		{"evenly", ProducerSpec{Rate: 40}, map[int32]int64{0: 600, 1: 600, 2: 600, 3: 600}},
		{"hot", ProducerSpec{Rate: 10, HotShare: 0.7}, map[int32]int64{0: 420, 1: 60, 2: 60, 3: 60}},
		{"in bursts", ProducerSpec{Rate: 40, Bursts: Bursts{Every: 20 * time.Second, Length: 5 * time.Second}}, map[int32]int64{0: 600, 1: 600, 2: 600, 3: 600}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startLab(t, Options{Network: new(kfake.VirtualNetwork), Topics: map[string]int32{"clicks": 4}})
				tt.spec.Topic = "clicks"
				p, err := c.StartProducer(tt.spec)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				p.Stop()
				ends, err := c.EndOffsets(t.Context(), "clicks")
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(tt.want, ends); d != "" {
					t.Errorf("end offsets (-want +got):\n%s", d)
				}
				if p.Acked() != sum(ends) || p.Failed() != 0 {
					t.Errorf("%d acked, %d failed, %d in the log", p.Acked(), p.Failed(), sum(ends))
				}
			})
		})
	}
}

// A producer whose brokers are away for a while makes up for it.
func TestProducerCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startLab(t, Options{Brokers: 1, Network: new(kfake.VirtualNetwork), Topics: map[string]int32{"clicks": 1}})
		p, err := c.StartProducer(ProducerSpec{Topic: "clicks", Rate: 50})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if err := c.SetLink(0, LinkDown); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if err := c.SetLink(0, LinkUp); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		p.Stop()
		if p.Acked() != 1500 {
			t.Errorf("%d acked after 30 s at 50/s", p.Acked())
		}
	})
}

// The capacity of a consumer is one record per Delay, whatever it reads.
func TestConsumerCapacity(t *testing.T) {
	for _, protocol := range []Protocol{ProtocolRange, ProtocolCooperativeSticky, ProtocolConsumer, ProtocolStandalone} {
		t.Run(protocol.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startLab(t, Options{Network: new(kfake.VirtualNetwork), Topics: map[string]int32{"payments": 4}})
				if err := c.Backlog(t.Context(), "payments", 1000, time.Hour); err != nil {
					t.Fatal(err)
				}
				m, err := c.StartConsumer(ConsumerSpec{
					Group: "fraud", Topics: []string{"payments"}, Protocol: protocol, Delay: 50 * time.Millisecond,
				})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Second) // to join and settle
				before := m.Processed()
				time.Sleep(20 * time.Second)
				if got := m.Processed() - before; got < 390 || got > 401 {
					t.Errorf("%d records in 20 s at 50 ms each, want 400", got)
				}
				m.SetDelay(10 * time.Millisecond)
				before = m.Processed()
				time.Sleep(10 * time.Second)
				if got := m.Processed() - before; got < 950 || got > 1001 {
					t.Errorf("%d records in 10 s at 10 ms each, want 1000", got)
				}
				m.Stop()
				commits, err := c.CommittedOffsets(t.Context(), "fraud", "payments")
				if err != nil {
					t.Fatal(err)
				}
				if sum(commits) != m.Processed() {
					t.Errorf("committed %v, processed %d", commits, m.Processed())
				}
				// No partition is left waiting while others advance.
				if lo, hi := slices.Min(slices.Collect(maps.Values(commits))), slices.Max(slices.Collect(maps.Values(commits))); hi-lo > 100 {
					t.Errorf("committed %v: uneven", commits)
				}
			})
		})
	}
}

func TestGroupReadsEachRecordOnce(t *testing.T) {
	for _, protocol := range []Protocol{ProtocolRange, ProtocolCooperativeSticky, ProtocolConsumer} {
		t.Run(protocol.String(), func(t *testing.T) {
			t.Parallel()
			ctx := testContext(t)
			c := startLab(t, Options{Topics: map[string]int32{"orders": 6}})
			spec := ConsumerSpec{Group: "g", Topics: []string{"orders"}, Protocol: protocol, Delay: time.Millisecond, CommitEvery: 7}
			var ms []*Consumer
			for i := range 3 { // each joins while those before are at work
				if err := c.Backlog(ctx, "orders", 50, time.Minute); err != nil {
					t.Fatal(err)
				}
				spec.ClientID = fmt.Sprintf("worker-%d", i)
				m, err := c.StartConsumer(spec)
				if err != nil {
					t.Fatal(err)
				}
				ms = append(ms, m)
				if _, err := c.WaitAssigned(ctx, "g", len(ms), 6); err != nil {
					t.Fatal(err)
				}
				assertOwners(t, c, ms)
			}
			processed := func() (n int64) {
				for _, m := range ms {
					n += m.Processed()
				}
				return n
			}
			eventually(t, "all is processed", func() bool { return processed() >= 900 })
			for _, m := range ms {
				m.Stop()
			}
			if n := processed(); n != 900 {
				t.Errorf("900 records were processed %d times", n)
			}
			if lag := c.Lag("g", "orders"); len(lag) != 6 || sum(lag) != 0 {
				t.Errorf("lag %v once all have committed and left", lag)
			}
		})
	}
}

// assertOwners waits until members and their coordinator agree on who owns
// what, and everyone owns something.
func assertOwners(t *testing.T, c *Cluster, ms []*Consumer) {
	t.Helper()
	eventually(t, "each member has what the group gave it", func() bool {
		said, given := make(map[string]map[string][]int32), make(map[string]map[string][]int32)
		for _, g := range c.Fake().GroupInfo("g").Members {
			given[g.MemberID] = g.Assignment
			for _, ps := range g.Assignment {
				slices.Sort(ps)
			}
		}
		for _, m := range ms {
			said[m.MemberID()] = m.Assigned()
			if len(m.Assigned()) == 0 {
				return false
			}
		}
		return cmp.Equal(said, given)
	})
}

func TestHowMembersGo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		leave     func(*Consumer)
		instance  string
		committed int64 // of 10 processed and a commit interval of an hour
		stays     bool  // in the group, until its session times out
	}{
		{"stopped: commits and leaves", (*Consumer).Stop, "", 10, false},
		{"vanished: neither", (*Consumer).Vanish, "", 0, true},
		{"static and stopped: commits and stays", (*Consumer).Stop, "i-1", 10, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx := testContext(t)
			c := startLab(t, Options{Topics: map[string]int32{"orders": 1}})
			if _, err := c.Produce(ctx, "orders", 0, 10); err != nil {
				t.Fatal(err)
			}
			m, err := c.StartConsumer(ConsumerSpec{
				Group: "g", Topics: []string{"orders"}, Protocol: ProtocolRange,
				InstanceID: tt.instance, CommitInterval: time.Hour,
			})
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "all is read", func() bool { return m.Processed() == 10 })
			tt.leave(m)
			commits, err := c.CommittedOffsets(ctx, "g", "orders")
			if err != nil {
				t.Fatal(err)
			}
			if commits[0] != tt.committed {
				t.Errorf("committed %d, want %d", commits[0], tt.committed)
			}
			if stays := len(c.Fake().GroupInfo("g").Members) == 1; stays != tt.stays {
				t.Errorf("is in the group: %t, want %t", stays, tt.stays)
			}
		})
	}
}

func TestStuckPartition(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	c := startLab(t, Options{Topics: map[string]int32{"orders": 2}})
	if err := c.Backlog(ctx, "orders", 20, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := c.Commit(ctx, "g", "orders", 1, 5); err != nil {
		t.Fatal(err)
	}
	m, err := c.StartConsumer(ConsumerSpec{
		Group: "g", Topics: []string{"orders"}, Protocol: ProtocolConsumer,
		CommitInterval: 50 * time.Millisecond, Stuck: map[string][]int32{"orders": {1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "partition 0 is read", func() bool { return c.Lag("g", "orders")[0] == 0 && m.Processed() == 20 })
	if got := c.Lag("g", "orders")[1]; got != 15 {
		t.Errorf("stuck partition has lag %d, want 15", got)
	}
	m.Release("orders", 1)
	eventually(t, "partition 1 is read", func() bool { return c.Lag("g", "orders")[1] == 0 })
	if m.Processed() != 35 {
		t.Errorf("%d processed, want 35", m.Processed())
	}
	m.Stick("orders", 1)
	if err := c.Backlog(ctx, "orders", 5, 0); err != nil {
		t.Fatal(err)
	}
	eventually(t, "partition 0 goes on", func() bool { return m.Processed() == 40 })
	if got := c.Lag("g", "orders")[1]; got != 5 {
		t.Errorf("partition stuck again has lag %d, want 5", got)
	}
}

// Stop used to wait for a broker to answer, however long that took.
func TestStopWithoutBrokers(t *testing.T) {
	t.Parallel()
	for _, link := range []Link{LinkDown, LinkHung} {
		t.Run(link.String(), func(t *testing.T) {
			t.Parallel()
			c := startLab(t, Options{Topics: map[string]int32{"orders": 3}, Log: func(string) {}})
			p, err := c.StartProducer(ProducerSpec{Topic: "orders", Rate: 100})
			if err != nil {
				t.Fatal(err)
			}
			var ms []*Consumer
			for _, protocol := range []Protocol{ProtocolRange, ProtocolConsumer, ProtocolStandalone} {
				m, err := c.StartConsumer(ConsumerSpec{
					Group: protocol.String(), Topics: []string{"orders"}, Protocol: protocol, Delay: time.Millisecond,
				})
				if err != nil {
					t.Fatal(err)
				}
				ms = append(ms, m)
				eventually(t, "the consumer is at work", func() bool { return m.Processed() > 0 })
			}
			for b := range int32(3) {
				if err := c.SetLink(b, link); err != nil {
					t.Fatal(err)
				}
			}
			start := time.Now()
			var wg sync.WaitGroup
			wg.Go(p.Stop)
			for _, m := range ms {
				wg.Go(m.Stop)
			}
			wg.Wait()
			if took := time.Since(start); took > 2*patience/3 {
				t.Errorf("took %s", took)
			} else {
				t.Logf("took %s", took)
			}
		})
	}
}
