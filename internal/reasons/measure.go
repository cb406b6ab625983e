package reasons

import (
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/simulate/replay"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// answer is what was said at a poll.
type answer uint8

const (
	right answer = iota
	none         // nothing was said, or, where nothing is to be said, this counts as right
	other
	answers
)

// verdict is how one run went.
type verdict struct {
	seed uint64
	// first is what was said when it was judged, later how often each was at the polls
	// after.
	first answer
	later [answers]int
	// after is how long it took until it was first right, if it was.
	after      time.Duration
	recognised bool
	// wrong are the headlines that were shown and are others, by the number of polls,
	// from the beginning of the run on.
	wrong map[diagnosis.Condition]int
	// at is when the first of them was shown, in seconds.
	at float64
}

// watch makes a run and watches it. It sleeps through it: to be called in a bubble.
func (w *world) watch(seed uint64) verdict {
	run, of := w.make(seed)
	v := verdict{seed: seed, wrong: map[diagnosis.Condition]int{}}
	judged := false
	replay.Watch(run, collector.Options{Seed: true}, func(seen replay.Seen) {
		now := seen.At.Seconds()
		if seen.Group == nil || now >= of.until {
			return
		}
		said := w.answer(&seen.Group.Diagnosis)
		if said == other {
			v.mistake(now, seen.Group.Diagnosis.Findings[0].Condition)
		}
		switch {
		case now < of.from:
			return
		case said == right && !v.recognised:
			v.recognised, v.after = true, time.Duration((now-of.from)*float64(time.Second))
		}
		switch {
		case now < of.judged:
		case !judged:
			judged, v.first = true, said
		default:
			v.later[said]++
		}
	})
	return v
}

func (w *world) answer(d *diagnosis.Diagnosis) answer {
	switch {
	case w.right(d):
		return right
	case len(d.Findings) == 0:
		return none
	}
	return other
}

func (v *verdict) mistake(now float64, c diagnosis.Condition) {
	if len(v.wrong) == 0 {
		v.at = now
	}
	v.wrong[c]++
}

// fine tells whether a run in which nothing is to be said went well.
func (v *verdict) fine() bool { return len(v.wrong) == 0 }
