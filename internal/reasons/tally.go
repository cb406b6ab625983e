package reasons

import (
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// tally is how all runs of a world went.
type tally struct {
	world *world
	runs  int
	// first counts runs by what was said when they were judged, later polls after that.
	first, later [answers]int
	after        []time.Duration // until what is right was said, of the runs in which it was
	wrong        []mistake       // by condition
}

// mistake is a headline that is not right.
type mistake struct {
	condition   diagnosis.Condition
	runs, polls int
	// seed is the first run in which it was.
	seed uint64
}

func (t *tally) add(v verdict) {
	t.runs++
	t.first[v.first]++
	for i, n := range v.later {
		t.later[i] += n
	}
	if v.recognised {
		t.after = append(t.after, v.after)
	}
	for c := range diagnosis.Conditions {
		if n := v.wrong[c]; n > 0 {
			t.mistook(c, n, v.seed)
		}
	}
}

func (t *tally) mistook(c diagnosis.Condition, polls int, seed uint64) {
	i := slices.IndexFunc(t.wrong, func(m mistake) bool { return m.condition == c })
	if i < 0 {
		i = len(t.wrong)
		t.wrong = append(t.wrong, mistake{condition: c, seed: seed})
	}
	t.wrong[i].runs++
	t.wrong[i].polls += polls
}

// calm tells whether nothing is to be said.
func (t *tally) calm() bool { return len(t.world.want) == 0 }

// enough is the share of runs in which what is to be said is said at least.
const enough = 0.95

// met tells whether it is right often enough: in calm groups always and from the
// beginning, and elsewhere when it is judged, and at the polls after that.
func (t *tally) met() bool {
	if t.calm() {
		return len(t.wrong) == 0
	}
	polls := 0
	for _, n := range t.later {
		polls += n
	}
	return float64(t.first[right]) >= enough*float64(t.runs) && float64(t.later[right]) >= enough*float64(polls)
}

// quantile is how long it took in a share of the runs at most; false if in fewer it
// was right at all.
func (t *tally) quantile(share float64) (time.Duration, bool) {
	i := int(share * float64(t.runs))
	if i >= len(t.after) {
		return 0, false
	}
	return slices.Sorted(slices.Values(t.after))[i], true
}
