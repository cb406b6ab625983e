package synthetic

import (
	"testing"
	"time"
)

// Positions are ones that a real group can have: within the log, and never moving
// back.
func TestPositions(t *testing.T) {
	s := Shapes()[0]
	lags := map[string]int{}
	for g := range s.Groups {
		for i := range s.PerGroup() {
			topic, p := s.TopicOf(g, i/s.PartitionsPerTopic), i%s.PartitionsPerTopic
			before := s.Start(topic, p)
			for tick := range int64(20) {
				committed, end := s.Committed(g, topic, p, tick), s.End(topic, p, tick)
				if committed < before || end < committed {
					t.Fatalf("group %d, %d/%d, tick %d: %d after %d, end %d", g, topic, p, tick, committed, before, end)
				}
				before = committed
			}
			lags[size(s.Lag(g, topic, p, 0))]++
		}
	}
	// Three, one and one of five, within a twentieth.
	for kind, fifths := range map[string]int{"none": 3, "small": 1, "large": 1} {
		if want := s.Pairs() * fifths / 5; lags[kind] < want*19/20 || lags[kind] > want*21/20 {
			t.Errorf("%d pairs have the lag %s, want about %d", lags[kind], kind, want)
		}
	}
}

// What a calm group has not read is what was written since the last tick, at most; about
// one group of fifty is none.
func TestCalm(t *testing.T) {
	s := Shapes()[1]
	s.Calm = true
	behind := 0
	for g := range s.Groups {
		for i := range s.PerGroup() {
			topic, p := s.TopicOf(g, i/s.PartitionsPerTopic), i%s.PartitionsPerTopic
			if s.Committed(g, topic, p, 9) < s.End(topic, p, 8) {
				behind++
				break
			}
		}
	}
	if behind < s.Groups/75 || behind > s.Groups/40 {
		t.Errorf("%d of %d groups are behind", behind, s.Groups)
	}
}

func size(lag int64) string {
	switch {
	case lag == 0:
		return "none"
	case lag < 1_000:
		return "small"
	}
	return "large"
}

func TestShapes(t *testing.T) {
	for i, want := range []struct {
		name                                string
		groups, partitions, pairs, perGroup int
	}{
		{"small", 500, 4_000, 10_000, 20},
		{"large", 2_000, 50_000, 100_000, 50},
		{"huge", 20_000, 500_000, 1_000_000, 50},
	} {
		s := Shapes()[i]
		if s.Name != want.name || s.Groups != want.groups || s.Partitions() != want.partitions || s.Pairs() != want.pairs || s.PerGroup() != want.perGroup {
			t.Errorf("%+v is not %+v", s, want)
		}
	}
}

// Records have times as real ones do: of two, the later has the larger offset,
// and none that is asked for was written before.
func TestSince(t *testing.T) {
	s := Shapes()[0]
	busy, idle := 0, 0
	for partition := range 100 {
		last := s.End(0, partition, 3)
		for _, before := range []time.Duration{-time.Minute, 0, 95 * time.Second, time.Hour, 20 * time.Hour, 100_000 * time.Hour} {
			offset, was, ok := s.Since(0, partition, 3, before)
			if !ok {
				idle++
				continue
			}
			busy++
			if offset > last || offset < s.Start(0, partition) || before >= 0 && was > before {
				t.Fatalf("partition %d, %s before: %d, written %s before, after %d", partition, before, offset, was, last)
			}
			last = offset
		}
	}
	if busy == 0 || idle == 0 {
		t.Errorf("%d records, %d times none", busy, idle)
	}
}
