package reasons

import (
	"math/rand/v2"
	"slices"

	"github.com/lagwatch/lagwatch/internal/simulate"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// world is something that happens to a group, and what is to be said of it. Its numbers
// vary with the seed.
type world struct {
	name  string
	about string // in a line
	// want are the headlines that are right, none where nothing is to be said. also is
	// one that is to hold beside, 0 if none is. unread says that polls fail: after two
	// in succession it is right to say so.
	want   []diagnosis.Condition
	also   diagnosis.Condition
	unread bool
	build  func(r *rand.Rand) story
}

// story is when it happens, in seconds.
type story struct {
	setup simulate.Setup
	// from is when it begins, judged when it has lasted long enough to be recognised,
	// until when it ends.
	from, judged, until float64
}

// right tells whether what holds is what is to be said.
func (w *world) right(d *diagnosis.Diagnosis) bool {
	list := d.Findings
	if w.unread && len(list) > 0 && list[0].Condition == diagnosis.Unreadable {
		list = list[1:]
	}
	if len(list) == 0 {
		return len(w.want) == 0
	}
	return slices.Contains(w.want, list[0].Condition) && (w.also == 0 || d.Verdicts[w.also] == diagnosis.Holds)
}

// make simulates it.
func (w *world) make(seed uint64) (simulate.Run, story) {
	var of story
	s := simulate.Scenario{Name: w.name, Build: func(r *rand.Rand) simulate.Setup {
		of = w.build(r)
		return of.setup
	}}
	run := s.Make(seed)
	return run, of
}
