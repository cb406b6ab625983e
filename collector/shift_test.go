package collector

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// shiftStory is a group of two topics, whose commits the polls of a story see.
type shiftStory struct {
	*story
	again *func(sec float64) *Group // shows the last poll once more
}

func newShiftStory() shiftStory { return shiftStory{newStory(), new(func(sec float64) *Group)} }

func (w shiftStory) see(sec float64, kind snapshot.GroupType, state snapshot.GroupState, generation int32, t, u []int64, more ...groupPart) *Group {
	parts := append([]groupPart{members(), commits(on("t", t...), on("u", u...)), typed(kind, state)}, more...)
	if generation > 0 {
		parts = append(parts, numbered(generation))
	}
	*w.again = func(sec float64) *Group { return w.see(sec, kind, state, generation, t, u, more...) }
	v := w.poll(sec, logOf("t", 1, ends(0, 1000), ends(0, 1000)), logOf("u", 2, ends(0, 1000)), groupOf("g", parts...))
	return &v.Groups[0]
}

// later is the group as long after the last poll as a skip waits at most.
func (w shiftStory) later() *Group { return (*w.again)(w.v.Built.Sub(epoch).Seconds() + 800) }

type places []int64

// A position that is moved on while nobody is a member was reset by somebody; that is
// told only where nobody can have been one in between, and once nobody has moved it on
// again for twelve minutes.
func TestSkips(t *testing.T) {
	const empty, stable = snapshot.StateEmpty, snapshot.StateStable
	const classic, consumer = snapshot.TypeClassic, snapshot.TypeConsumer
	for _, tt := range []struct {
		name string
		poll func(w shiftStory) *Group
		want uint64
	}{
		{"of a consumer group", func(w shiftStory) *Group {
			w.see(0, consumer, empty, 5, places{10, 10}, places{10})
			return w.see(10, consumer, empty, 5, places{100, 10}, places{20})
		}, 2},
		{"of a classic group, which shows no generation while it is empty", func(w shiftStory) *Group {
			w.see(0, classic, empty, 0, places{10, 10}, places{10})
			return w.see(10, classic, empty, 0, places{100, 100}, places{10})
		}, 2},
		{"the last commits of members that have left", func(w shiftStory) *Group {
			w.see(0, consumer, stable, 5, places{10, 10}, places{10})
			return w.see(10, consumer, empty, 6, places{100, 100}, places{10})
		}, 0},
		{"somebody was a member in between", func(w shiftStory) *Group {
			w.see(0, consumer, empty, 5, places{10, 10}, places{10})
			return w.see(10, consumer, empty, 7, places{100, 100}, places{10})
		}, 0},
		{"a poll in between failed", func(w shiftStory) *Group {
			w.see(0, consumer, empty, 5, places{10, 10}, places{10})
			w.fail(10)
			return w.see(20, consumer, empty, 5, places{100, 100}, places{10})
		}, 0},
		{"the state was not read in between", func(w shiftStory) *Group {
			w.see(0, consumer, empty, 5, places{10, 10}, places{10})
			w.see(10, consumer, 0, 0, places{10, 10}, places{10})
			return w.see(20, consumer, empty, 5, places{100, 100}, places{10})
		}, 0},
		{"a first commit", func(w shiftStory) *Group {
			w.see(0, consumer, empty, 5, places{none, none}, places{none})
			return w.see(10, consumer, empty, 5, places{100, 100}, places{10})
		}, 0},
		{"commits that could not be read before", func(w shiftStory) *Group {
			w.see(0, consumer, empty, 5, places{10, unread}, places{10})
			return w.see(10, consumer, empty, 5, places{10, 100}, places{10})
		}, 0},
		{"a consumer without a group, as Flink is", func(w shiftStory) *Group {
			standalone := change(func(g *snapshot.Group) { g.ProtocolType = "" })
			w.see(0, classic, empty, 0, places{10, 10}, places{10}, standalone)
			return w.see(10, classic, empty, 0, places{100, 100}, places{10}, standalone)
		}, 0},
		{"a consumer that commits", func(w shiftStory) *Group {
			w.see(0, consumer, stable, 5, places{10, 10}, places{10})
			return w.see(10, consumer, stable, 5, places{100, 100}, places{10})
		}, 0},
		// Each checkpoint of a job that had kept its group's id counted as a reset.
		{"a consumer without a group, in one that had members", func(w shiftStory) *Group {
			w.see(0, classic, empty, 0, places{10, 10}, places{10})
			w.see(600, classic, empty, 0, places{20, 20}, places{20})
			w.see(1200, classic, empty, 0, places{30, 30}, places{30})
			return w.see(1800, classic, empty, 0, places{40, 30}, places{30})
		}, 0},
		{"with a poll between that failed", func(w shiftStory) *Group {
			w.see(0, classic, empty, 0, places{10, 10}, places{10})
			w.see(10, classic, empty, 0, places{20, 20}, places{10})
			w.fail(20)
			return w.see(30, classic, empty, 0, places{30, 30}, places{10})
		}, 0},
		{"reset once such a consumer has stopped", func(w shiftStory) *Group {
			w.see(0, classic, empty, 0, places{10, 10}, places{10})
			w.see(10, classic, empty, 0, places{20, 20}, places{20})
			w.see(20, classic, empty, 0, places{30, 30}, places{30})
			return w.see(800, classic, empty, 0, places{90, 90}, places{30})
		}, 2},
		{"one partition after the other", func(w shiftStory) *Group {
			w.see(0, classic, empty, 0, places{10, 10}, places{10})
			w.see(10, classic, empty, 0, places{90, 10}, places{10})
			return w.see(20, classic, empty, 0, places{90, 90}, places{90})
		}, 3},
		{"and then the consumers start", func(w shiftStory) *Group {
			w.see(0, consumer, empty, 5, places{10, 10}, places{10})
			w.see(10, consumer, empty, 5, places{90, 10}, places{10})
			return w.see(20, consumer, stable, 6, places{95, 10}, places{10})
		}, 1},
		{"and then they come and go between two polls", func(w shiftStory) *Group {
			w.see(0, consumer, empty, 5, places{10, 10}, places{10})
			w.see(10, consumer, empty, 5, places{90, 10}, places{10})
			return w.see(20, consumer, empty, 7, places{95, 10}, places{10})
		}, 1},
		{"back, and no skip", func(w shiftStory) *Group {
			w.see(0, consumer, empty, 5, places{10, 10}, places{10})
			return w.see(10, consumer, empty, 5, places{5, 10}, places{10})
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newShiftStory()
			tt.poll(w)
			if got := w.later().Skips; got != tt.want {
				t.Errorf("%d skips, want %d", got, tt.want)
			}
		})
	}
}

// What waits counts as soon as somebody is a member, and not before twelve minutes are
// over where nobody is.
func TestSkipsWait(t *testing.T) {
	const empty, stable, consumer = snapshot.StateEmpty, snapshot.StateStable, snapshot.TypeConsumer
	for _, tt := range []struct {
		state snapshot.GroupState
		after float64
		want  uint64
	}{{empty, 10, 0}, {empty, 720, 0}, {empty, 730, 2}, {stable, 10, 2}} {
		w := newShiftStory()
		w.see(0, consumer, empty, 5, places{10, 10}, places{10})
		w.see(10, consumer, empty, 5, places{90, 90}, places{10})
		g := w.see(10+tt.after, consumer, tt.state, 5, places{90, 90}, places{10})
		shows(t, w.v, map[string]float64{"group_skips_total g": float64(tt.want)})
		if tt.want > 0 && (len(g.Shifts) != 1 || !g.Shifts[0].At.Equal(tenths(at(10), 3))) {
			t.Errorf("%+v, want one that was seen at 10 s", g.Shifts)
		}
	}
}

// What went back or on is told by topic, with how far, and whether members came or went
// near it.
func TestShifts(t *testing.T) {
	const empty, stable, consumer = snapshot.StateEmpty, snapshot.StateStable, snapshot.TypeConsumer
	for _, tt := range []struct {
		name string
		poll func(w shiftStory) *Group
		want []Shift
	}{
		{"by an admin", func(w shiftStory) *Group {
			w.see(0, consumer, empty, 5, places{50, 60}, places{70})
			return w.see(10, consumer, empty, 5, places{40, 40}, places{700})
		}, []Shift{
			{At: tenths(at(10), 3), Topic: "t", Back: true, Partitions: 2, Offsets: 30, Empty: true},
			{At: tenths(at(10), 3), Topic: "u", Partitions: 1, Offsets: 630, Empty: true},
		}},
		{"on and back on one topic", func(w shiftStory) *Group {
			w.see(0, consumer, empty, 5, places{50, 60}, places{70})
			return w.see(10, consumer, empty, 5, places{40, 90}, places{70})
		}, []Shift{
			{At: tenths(at(10), 3), Topic: "t", Back: true, Partitions: 1, Offsets: 10, Empty: true},
			{At: tenths(at(10), 3), Topic: "t", Partitions: 1, Offsets: 30, Empty: true},
		}},
		{"in the poll of a round", func(w shiftStory) *Group {
			w.see(0, consumer, stable, 5, places{50, 60}, places{70})
			return w.see(10, consumer, stable, 6, places{40, 60}, places{70})
		}, []Shift{{At: tenths(at(10), 3), Topic: "t", Back: true, Partitions: 1, Offsets: 10, NearRound: true}}},
		{"in the poll of a round that counts later, as of a single member that is deployed anew", func(w shiftStory) *Group {
			w.see(0, snapshot.TypeClassic, stable, 5, places{50, 60}, places{70}, members(member("a", owns("t", 0))))
			return w.see(10, snapshot.TypeClassic, stable, 0, places{40, 60}, places{70}, members(member("b", owns("t", 0))))
		}, []Shift{{At: tenths(at(10), 3), Topic: "t", Back: true, Partitions: 1, Offsets: 10, NearRound: true}}},
		{"two polls after a round", func(w shiftStory) *Group {
			w.see(0, consumer, stable, 5, places{50, 60}, places{70})
			w.see(10, consumer, stable, 6, places{50, 60}, places{70})
			w.see(20, consumer, stable, 6, places{50, 60}, places{70})
			return w.see(30, consumer, stable, 6, places{40, 60}, places{70})
		}, []Shift{{At: tenths(at(30), 3), Topic: "t", Back: true, Partitions: 1, Offsets: 10, NearRound: true}}},
		{"three polls after a round", func(w shiftStory) *Group {
			w.see(0, consumer, stable, 5, places{50, 60}, places{70})
			w.see(10, consumer, stable, 6, places{50, 60}, places{70})
			return w.see(40, consumer, stable, 6, places{40, 60}, places{70})
		}, []Shift{{At: tenths(at(40), 3), Topic: "t", Back: true, Partitions: 1, Offsets: 10}}},
		{"a poll before a round", func(w shiftStory) *Group {
			w.see(0, consumer, stable, 5, places{50, 60}, places{70})
			w.see(10, consumer, stable, 5, places{40, 60}, places{70})
			return w.see(20, consumer, stable, 6, places{40, 60}, places{70})
		}, []Shift{{At: tenths(at(10), 3), Topic: "t", Back: true, Partitions: 1, Offsets: 10, NearRound: true}}},
		{"while the group rebalances, for long", func(w shiftStory) *Group {
			w.see(0, consumer, snapshot.StateReconciling, 5, places{50, 60}, places{70})
			return w.see(60, consumer, snapshot.StateReconciling, 5, places{40, 60}, places{70})
		}, []Shift{{At: tenths(at(60), 3), Topic: "t", Back: true, Partitions: 1, Offsets: 10, NearRound: true}}},
		{"long before a round", func(w shiftStory) *Group {
			w.see(0, consumer, stable, 5, places{50, 60}, places{70})
			w.see(10, consumer, stable, 5, places{40, 60}, places{70})
			return w.see(40, consumer, stable, 6, places{40, 60}, places{70})
		}, []Shift{{At: tenths(at(10), 3), Topic: "t", Back: true, Partitions: 1, Offsets: 10}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newShiftStory()
			tt.poll(w)
			if diff := cmp.Diff(tt.want, w.later().Shifts); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Only the latest shifts are kept, and what a view has of them never changes.
func TestShiftsAreBounded(t *testing.T) {
	w := newShiftStory()
	var views []*Group
	var kept [][]Shift
	for i := range 30 {
		g := w.see(float64(10*i), snapshot.TypeConsumer, snapshot.StateStable, int32(1+i/7), places{int64(100 - i), 60}, places{70})
		views, kept = append(views, g), append(kept, append([]Shift(nil), g.Shifts...))
	}
	last := views[len(views)-1]
	if last.Rewinds != 29 || len(last.Shifts) != latestShifts || !last.Shifts[latestShifts-1].At.Equal(tenths(at(290), 3)) {
		t.Errorf("%d rewinds, kept %v", last.Rewinds, last.Shifts)
	}
	for i, g := range views {
		if diff := cmp.Diff(kept[i], g.Shifts, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("view %d was changed afterwards (-then +now):\n%s", i, diff)
		}
	}
}
