package ownership

import (
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// FuzzObserve lets polls see anything: nothing panics, totals never fall, and rounds
// are what is counted.
func FuzzObserve(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte("classic to consumer, and back again; members come and go"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, now, before, sum := &Rounds{}, snapshot.Instant(0), Totals{}, uint64(0)
		for len(data) >= 6 {
			s := fuzzed(data[:6], &now)
			data = data[6:]
			round, ok := r.Observe(s)
			after := r.Totals()
			counted := uint64(0)
			for source := range after.Rebalances {
				if after.Rebalances[source] < before.Rebalances[source] {
					t.Fatalf("fell from %+v to %+v", before, after)
				}
				counted += after.Rebalances[source]
			}
			if after.Moved < before.Moved || after.Unstable < before.Unstable {
				t.Fatalf("fell from %+v to %+v", before, after)
			}
			if ok != (round.Count > 0) || round.Count < 0 || round.Moved < 0 || round.Joined < 0 || round.Left < 0 {
				t.Fatalf("%v, %+v", ok, round)
			}
			if sum += uint64(round.Count); sum != counted {
				t.Fatalf("rounds are %d, counted are %+v", sum, after)
			}
			recent := r.Recent(now, 10*time.Minute)
			if recent.Window < 0 || recent.Unstable < 0 || recent.Since < 0 || recent.Quiet.Or(0) < 0 || uint64(recent.Rounds) > counted || uint64(recent.Moved) > after.Moved {
				t.Fatalf("%+v of %+v", recent, after)
			}
			before = after
		}
	})
}

// fuzzed is a sight that some bytes make.
func fuzzed(b []byte, now *snapshot.Instant) Sight {
	*now += snapshot.Instant(time.Duration(int8(b[0])) * time.Second) // back as well
	s := Sight{At: begin, Now: *now, StaleAfter: staleAfter, Type: snapshot.GroupType(b[1] % 6), State: snapshot.GroupState(b[1] / 6 % 11)}
	if b[2]&1 == 1 {
		s.Generation = snapshot.Known(int32(b[2]) << (b[2] >> 5 * 3))
	}
	if b[3]&1 == 0 {
		return s
	}
	m := snapshot.Members{Assigned: b[3]&2 > 0}
	for i := range b[4] % 5 {
		one := snapshot.Member{ID: string('a' + (b[4]>>3+i)%7)}
		if b[3]&4 > 0 {
			one.InstanceID = string('a' + i)
		}
		for p := range b[5] % 4 {
			one.Assignment = append(one.Assignment, snapshot.TopicPartitions{Topic: string('t' + b[5]>>6), Partitions: []int32{int32(p) - int32(b[5]>>4&3), int32(p + i)}})
		}
		m.List = append(m.List, one)
	}
	s.Members, s.Unchanged = snapshot.Known(m), b[3]&8 > 0
	return s
}
