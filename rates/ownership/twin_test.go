package ownership

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// world is a group that lives by Kafka's rules, in the dumbest way, and knows what is
// true of it: how many rounds there were and what moved.
type world struct {
	*rand.Rand
	numbers bool // clients tell their generation
	static  bool
	kind    snapshot.GroupType
	number  int32 // generation or epoch
	members []worldMember
	next    int
	owner   map[int]string // partition → identity, now
	last    map[int]string // the last one
	state   snapshot.GroupState

	rounds, moved int
}

type worldMember struct {
	id, instance string
	fresh        bool // it was in no round before the one it joined for
}

const worldPartitions = 7

func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 7)), owner: map[int]string{}, last: map[int]string{}, state: snapshot.StateEmpty}
	w.numbers, w.static = w.IntN(4) > 0, w.IntN(3) == 0
	w.kind = snapshot.GroupType(1 + w.IntN(4))
	for range 1 + w.IntN(3) {
		w.join()
	}
	return w
}

func (m worldMember) identity() string {
	if m.instance != "" {
		return "instance " + m.instance
	}
	return m.id
}

// round gives the group a new number, and its members the partitions.
func (w *world) round() {
	w.number++
	w.rounds++
	if w.state = snapshot.StateStable; len(w.members) == 0 {
		w.state = snapshot.StateEmpty
	}
	w.owner = map[int]string{}
	for p := range worldPartitions {
		if len(w.members) > 0 && w.IntN(20) > 0 {
			w.give(p, w.members[(p*7+int(w.number))%len(w.members)].identity())
		}
	}
}

func (w *world) give(p int, to string) {
	if last, ok := w.last[p]; ok && last != to {
		w.moved++
	}
	w.owner[p], w.last[p] = to, to
}

func (w *world) join() {
	w.next++
	for i := range w.members {
		w.members[i].fresh = false
	}
	m := worldMember{id: fmt.Sprint("member ", w.next), fresh: true}
	if w.static {
		m.instance = fmt.Sprint(w.next)
	}
	w.members = append(w.members, m)
	w.round()
}

func (w *world) leave() {
	if len(w.members) == 0 {
		return
	}
	i := w.IntN(len(w.members))
	w.members = slices.Delete(w.members, i, i+1)
	for i := range w.members {
		w.members[i].fresh = false
	}
	w.round()
}

// restart brings a static member back with another id, without a round.
func (w *world) restart() {
	if !w.static || len(w.members) == 0 {
		return
	}
	w.next++
	m := &w.members[w.IntN(len(w.members))]
	m.id, m.fresh = fmt.Sprint("member ", w.next), true
}

// convert goes from the classic to the consumer protocol and back, as Kafka does it:
// the number goes on where members stay, and begins anew where there are none.
func (w *world) convert() {
	if w.kind != snapshot.TypeClassic && w.kind != snapshot.TypeConsumer {
		return
	}
	w.kind = snapshot.TypeClassic + snapshot.TypeConsumer - w.kind
	if len(w.members) == 0 {
		w.number = 0
	}
	w.join()
}

func (w *world) act() {
	switch w.IntN(5) {
	case 0, 1:
		w.join()
	case 2:
		w.leave()
	case 3:
		w.restart()
	case 4:
		w.convert()
	}
}

// sight is what a poll sees now.
func (w *world) sight(now snapshot.Instant) Sight {
	s := Sight{At: begin, Now: now, StaleAfter: staleAfter, Type: w.kind, State: w.state}
	m := snapshot.Members{Assigned: !classic(w.kind) || !w.state.Unstable()}
	told := !classic(w.kind)
	for _, member := range w.members {
		one := snapshot.Member{ID: member.id, InstanceID: member.instance}
		for p := range worldPartitions {
			if owner, ok := w.owner[p]; ok && owner == member.identity() {
				one.Assignment = append(one.Assignment, snapshot.TopicPartitions{Topic: "t", Partitions: []int32{int32(p)}})
			}
		}
		if m.List = append(m.List, one); !m.Assigned {
			m.List[len(m.List)-1].Assignment = nil
		}
		told = told || w.numbers && !member.fresh
	}
	if told && m.Assigned && (w.state == snapshot.StateStable || !classic(w.kind)) {
		s.Generation = snapshot.Known(w.number)
	}
	s.Members = snapshot.Known(m)
	return s
}

// What is counted is never more than what happened, whatever polls miss; it is all of
// it where the number is shown and was shown first, and nothing moves unseen where
// every assignment was.
func TestTwin(t *testing.T) {
	exact, lower, allSeen := 0, 0, 0
	for seed := range uint64(3000) {
		w, r := newWorld(seed), &Rounds{}
		misses, converts := w.IntN(3) == 0, false
		now := snapshot.Instant(1e18)
		var since struct {
			rounds, moved int
			shown         bool
		}
		for i := range 60 {
			now += snapshot.Instant(everyPoll)
			s := w.sight(now)
			if i == 0 {
				since.rounds, since.moved, since.shown = w.rounds, w.moved, s.Generation.Known()
				w.last = maps.Clone(w.owner) // nobody saw who was before
			}
			if misses && i > 0 && w.IntN(3) == 0 {
				s.Members, s.Generation, s.State = snapshot.Maybe[snapshot.Members]{}, snapshot.Maybe[int32]{}, snapshot.StateUnknown
			}
			r.Observe(s)
			total := r.Totals()
			counted := int(total.Rebalances[Generation] + total.Rebalances[Epoch] + total.Rebalances[Observed])
			rounds, moved := w.rounds-since.rounds, w.moved-since.moved
			if counted > rounds || int(total.Moved) > moved {
				t.Fatalf("seed %d, poll %d: counted %+v of %d rounds, %d moved", seed, i, total, rounds, moved)
			}
			if since.shown && s.Generation.Known() && !converts {
				if exact++; counted != rounds {
					t.Fatalf("seed %d, poll %d: counted %+v of %d rounds", seed, i, total, rounds)
				}
			} else if counted < rounds {
				lower++
			}
			if !misses {
				if allSeen++; int(total.Moved) != moved {
					t.Fatalf("seed %d, poll %d: moved %d of %d", seed, i, total.Moved, moved)
				}
			}
			// Where nobody was seen to stay, a number of the other type begins anew.
			before, empty := w.kind, len(w.members) == 0
			switch {
			case w.IntN(2) == 0:
				w.act()
			case classic(w.kind) && s.Members.Known() && w.IntN(4) == 0:
				now = w.rebalanceFor(r, now)
			}
			converts = converts || w.kind != before && (misses || empty || r.number.torn)
		}
	}
	if exact < 10_000 || lower < 1000 || allSeen < 10_000 {
		t.Errorf("%d polls were exact, %d a lower bound, %d saw every move: too few to prove anything", exact, lower, allSeen)
	}
}

// rebalanceFor shows a few polls of a classic group that rebalances.
func (w *world) rebalanceFor(r *Rounds, now snapshot.Instant) snapshot.Instant {
	if len(w.members) == 0 {
		return now
	}
	for range 1 + w.IntN(3) {
		w.state = snapshot.StatePreparingRebalance
		now += snapshot.Instant(everyPoll)
		r.Observe(w.sight(now))
	}
	for i := range w.members {
		w.members[i].fresh = false
	}
	w.round()
	return now
}
