package reasons

import (
	"fmt"
	"io"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/simulate/replay"
)

// show writes a run poll by poll: what the estimates were, and what was said.
func (w *world) show(out io.Writer, seed uint64) {
	run, of := w.make(seed)
	fmt.Fprintf(out, "%s, seed %d: from %.0f s, judged from %.0f s, until %.0f s; of each partition lag age, drain rate and drain time\n",
		w.name, seed, of.from, of.judged, of.until)
	all := func(_, _ string, _ bool) bool { return true }
	replay.Watch(run, collector.Options{Seed: true, Publish: all}, func(s replay.Seen) {
		if s.Group == nil {
			return
		}
		fmt.Fprintf(out, "%6.0f s %s %s lag %d", s.At.Seconds(), said[w.answer(&s.Group.Diagnosis)], s.Group.State, s.Group.Lag.Or(0))
		for i := range s.Group.Topics {
			showPairs(out, &s.Group.Topics[i])
		}
		fmt.Fprintln(out)
		for _, f := range s.Group.Diagnosis.Findings {
			fmt.Fprintf(out, "         %s: %s\n", f.Condition, f.Sentence)
		}
	})
}

var said = [answers]string{"right", "nothing", "another"}

func showPairs(out io.Writer, t *collector.GroupTopic) {
	for i := range t.Pairs {
		e := collector.PairEstimate{}
		if i < len(t.PairEstimates) {
			e = t.PairEstimates[i]
		}
		age, _ := t.Pairs[i].LagAge.Get()
		drain, _ := e.Drain.Get()
		left := "?"
		if v, ok := e.DrainSeconds.Get(); ok {
			left = fmt.Sprintf("%.0f", v)
		}
		fmt.Fprintf(out, " %.0f/%.0f/%s", age, drain, left)
	}
}
