package lab

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestScheduleDue(t *testing.T) {
	bursts := Bursts{Every: 10 * time.Second, Length: 2 * time.Second}
	tests := []struct {
		name    string
		s       schedule
		elapsed time.Duration
		want    int64
	}{
		{"nothing at the start", schedule{rate: 50}, 0, 0},
		{"the first record when its share has passed", schedule{rate: 50}, 20 * time.Millisecond, 1},
		{"a fraction of a record is not due", schedule{rate: 50}, 39 * time.Millisecond, 1},
		{"a day has no drift", schedule{rate: 0.1}, 24 * time.Hour, 8640},
		{"no rate, no records", schedule{}, time.Hour, 0},
		{"half a burst has half of its period's records", schedule{50, bursts}, time.Second, 250},
		{"a burst has all of its period's records", schedule{50, bursts}, 2 * time.Second, 500},
		{"between bursts nothing more is due", schedule{50, bursts}, 9 * time.Second, 500},
		{"the next burst goes on from there", schedule{50, bursts}, 11 * time.Second, 750},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.s.due(tt.elapsed); got != tt.want {
				t.Errorf("%d due, want %d", got, tt.want)
			}
		})
	}
}

func TestSpread(t *testing.T) {
	tests := []struct {
		name string
		s    spread
		n    int
		want map[int32]int
	}{
		{"evenly", spread{partitions: 3}, 9, map[int32]int{0: 3, 1: 3, 2: 3}},
		{"four fifths are hot", spread{partitions: 5, hotShare: 0.8}, 100, map[int32]int{0: 80, 1: 5, 2: 5, 3: 5, 4: 5}},
		{"all are hot", spread{partitions: 3, hotShare: 1}, 10, map[int32]int{0: 10}},
		{"one partition takes all", spread{partitions: 1, hotShare: 0.5}, 10, map[int32]int{0: 10}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := make(map[int32]int)
			for range tt.n {
				got[tt.s.next()]++
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestSpecsThatMakeNoSense(t *testing.T) {
	c := startLab(t, Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
	producers := map[string]ProducerSpec{
		"no such topic":      {Topic: "ordres", Rate: 1},
		"negative rate":      {Topic: "orders", Rate: -1},
		"share above one":    {Topic: "orders", Rate: 1, HotShare: 1.5},
		"burst without end":  {Topic: "orders", Rate: 1, Bursts: Bursts{Every: time.Second, Length: time.Minute}},
		"burst of no length": {Topic: "orders", Rate: 1, Bursts: Bursts{Every: time.Second}},
	}
	for name, spec := range producers {
		if p, err := c.StartProducer(spec); err == nil {
			p.Stop()
			t.Errorf("%s: producer started", name)
		}
	}
	consumers := map[string]ConsumerSpec{
		"no protocol": {Group: "g", Topics: []string{"orders"}},
		"no group":    {Topics: []string{"orders"}, Protocol: ProtocolRange},
		"no topics":   {Group: "g", Protocol: ProtocolRange},
	}
	for name, spec := range consumers {
		if m, err := c.StartConsumer(spec); err == nil {
			m.Stop()
			t.Errorf("%s: consumer started", name)
		}
	}
}
