package lab

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
)

func TestProducerChangesItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startLab(t, Options{Network: new(kfake.VirtualNetwork), Topics: map[string]int32{"clicks": 1}})
		p, err := c.StartProducer(ProducerSpec{Topic: "clicks", Rate: 40})
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, rate := range []float64{10, 0, 40} {
			time.Sleep(30*time.Second + time.Millisecond)
			synctest.Wait()
			got = append(got, p.Acked())
			p.SetRate(rate)
		}
		time.Sleep(30 * time.Second)
		p.Stop()
		got = append(got, p.Acked())
		// A rate counts from the next look at what is due.
		want := []int64{1200, 1200 + 300 + 6, 1200 + 300 + 8, 1200 + 300 + 8 + 1192}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startLab(t, Options{Network: new(kfake.VirtualNetwork), Topics: map[string]int32{"clicks": 1}})
		if _, err := c.Produce(t.Context(), "clicks", 0, 500); err != nil {
			t.Fatal(err)
		}
		m, err := c.StartConsumer(ConsumerSpec{Group: "g", Topics: []string{"clicks"}, Protocol: ProtocolStandalone, Delay: 100 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		after := func(d time.Duration) (processed, committed int64) {
			t.Helper()
			time.Sleep(d)
			commits, err := c.CommittedOffsets(t.Context(), "g", "clicks")
			if err != nil {
				t.Fatal(err)
			}
			return m.Processed(), commits[0]
		}
		after(10 * time.Second)
		m.Hang()
		m.Hang()
		processed, committed := after(time.Second)
		if p, c := after(time.Minute); p != processed || c != committed || p == 0 {
			t.Errorf("processed %d and committed %d, then %d and %d", processed, committed, p, c)
		}
		m.Resume()
		m.Resume()
		if p, c := after(10 * time.Second); p < processed+90 || c < committed+80 {
			t.Errorf("resumed: processed %d and committed %d, after %d and %d", p, c, processed, committed)
		}
		m.Hang()
		time.Sleep(time.Second)
		m.Stop() // and the bubble ends
	})
}

func TestTransaction(t *testing.T) {
	c := startLab(t, Options{Topics: map[string]int32{"bookings": 2}})
	ctx := testContext(t)
	for p := range int32(2) {
		if _, err := c.Produce(ctx, "bookings", p, 5); err != nil {
			t.Fatal(err)
		}
	}
	tx, err := c.StartTransaction(ctx, "bookings", "source")
	if err != nil {
		t.Fatal(err)
	}
	for p := range int32(2) {
		if _, err := c.Produce(ctx, "bookings", p, 5); err != nil {
			t.Fatal(err)
		}
	}
	m, err := c.StartConsumer(ConsumerSpec{Group: "g", Topics: []string{"bookings"}, Protocol: ProtocolRange, ReadCommitted: true})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "what is stable is read", func() bool { return m.Processed() == 10 })
	for _, p := range c.Fake().PartitionInfos("bookings") {
		if p.LastStableOffset != 5 || p.HighWatermark != 11 {
			t.Errorf("partition %d is stable to %d of %d, want 5 of 11", p.Partition, p.LastStableOffset, p.HighWatermark)
		}
	}
	tx.Stop()
	tx.Stop()
	eventually(t, "the rest is read", func() bool { return m.Processed() == 22 })
	if _, err := c.StartTransaction(ctx, "no-such-topic", ""); err == nil {
		t.Error("a transaction without an id has begun")
	}
}

func TestShortAssignor(t *testing.T) {
	c := startLab(t, Options{Topics: map[string]int32{"returns": 4}})
	var ms []*Consumer
	for _, id := range []string{"a", "b"} {
		m, err := c.StartConsumer(ConsumerSpec{Group: "g", ClientID: id, Topics: []string{"returns"}, Protocol: ProtocolRange, Short: 1})
		if err != nil {
			t.Fatal(err)
		}
		ms = append(ms, m)
	}
	info, err := c.WaitAssigned(testContext(t), "g", 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range info.Members {
		for _, p := range m.Assignment["returns"] {
			if p == 3 {
				t.Errorf("%s owns the last partition", m.ClientID)
			}
		}
	}
	for _, m := range ms {
		m.SetShort(0)
	}
	if _, err := c.WaitAssigned(testContext(t), "g", 2, 4); err != nil {
		t.Fatal(err)
	}
}

func TestSetTopicConfig(t *testing.T) {
	c := startLab(t, Options{Topics: map[string]int32{"orders": 1}})
	if err := c.SetTopicConfig(testContext(t), "orders", "retention.ms", "60000"); err != nil {
		t.Fatal(err)
	}
	if v := c.Fake().TopicInfo("orders").Configs["retention.ms"]; v == nil || *v != "60000" {
		t.Errorf("retention.ms is %v", v)
	}
	if err := c.SetTopicConfig(testContext(t), "no-such-topic", "retention.ms", "60000"); err == nil {
		t.Error("a topic that is not there has a config")
	}
}
