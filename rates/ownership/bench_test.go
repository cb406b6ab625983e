package ownership

import (
	"fmt"
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

const benchGroups, benchPartitions, benchMembers = 2000, 50, 5

// benchSight is of a group whose partitions are spread over its members, from one of
// them on.
func benchSight(group, from int, now snapshot.Instant) Sight {
	m := snapshot.Members{Assigned: true}
	for i := range benchMembers {
		one := snapshot.Member{ID: fmt.Sprintf("consumer-%d-%d-6d2a4f0c-9d7e-4d0b-a7a3-3f0b3a1f9f10", group, i)}
		list := snapshot.TopicPartitions{Topic: "orders"}
		for p := range int32(benchPartitions) {
			if (int(p)+from)%benchMembers == i {
				list.Partitions = append(list.Partitions, p)
			}
		}
		one.Assignment = append(one.Assignment, list)
		m.List = append(m.List, one)
	}
	return Sight{
		At: begin, Now: now, StaleAfter: staleAfter, Type: snapshot.TypeConsumer, State: snapshot.StateStable,
		Generation: snapshot.Known(int32(from)), Members: snapshot.Known(m),
	}
}

// One poll of 2,000 groups with 50 partitions each: nothing has changed, or the
// assignment of one group in a hundred.
func BenchmarkPoll(b *testing.B) {
	for _, changing := range []int{0, benchGroups / 100} {
		b.Run(fmt.Sprint("changing=", changing), func(b *testing.B) {
			groups, sights := make([]Rounds, benchGroups), [2][]Sight{}
			for i := range groups {
				for n := range sights {
					sights[n] = append(sights[n], benchSight(i, n, snapshot.Instant(1e18)))
				}
				groups[i].Observe(sights[0][i])
			}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				for i := range groups {
					s := &sights[0][i]
					if i < changing {
						s = &sights[n%2][i]
					}
					s.Unchanged = i >= changing
					s.Now += snapshot.Instant(everyPoll)
					groups[i].Observe(*s)
				}
			}
		})
	}
}
