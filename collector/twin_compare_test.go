package collector

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/rates"
)

// tell is what the twin would show.
func (w *twin) tell() map[string]string {
	out := map[string]string{}
	show := func(name string, m map[spot]int64, k spot) string {
		if n, ok := m[k]; ok {
			return fmt.Sprint(name, n)
		}
		return ""
	}
	sums, of := map[string]string{}, map[[2]string][]spot{}
	for _, k := range slices.SortedFunc(maps.Keys(w.state), func(a, b spot) int { return int(a.partition - b.partition) }) {
		line := fmt.Sprint(k.partition, " ", w.state[k], show(" commit=", w.committed, k), show(" lag=", w.lag, k),
			show(" start=", w.start, k), show(" lost=", w.lost, k), show(" available=", w.available, k))
		if o, ok := w.owner[k]; ok {
			line += " owner=" + o
		}
		if !w.fresh[k] {
			line += " old"
		}
		out[fmt.Sprintf("pair %s %s/%d", k.group, k.topic, k.partition)] = line + sinceEpoch(w.read[k])
		e, headroom := w.estimated(k)
		lost := Quantity{}
		if _, ok := w.lost[k]; ok {
			if p := w.est.pairs[k]; p != nil {
				lost = quantity(p.lost)
			}
		}
		out[fmt.Sprintf("estimates %s %s/%d", k.group, k.topic, k.partition)] = tellPairEstimate(e.LagAge,
			&PairEstimate{e.Drain, e.DrainSeconds, e.DrainLow, e.DrainHigh, e.Processing, e.CommitAge, headroom, lost})
		of[[2]string{k.group, ""}] = append(of[[2]string{k.group, ""}], k)
		of[[2]string{k.group, k.topic}] = append(of[[2]string{k.group, k.topic}], k)
		if lag, ok := w.lag[k]; ok {
			n, _ := strconv.ParseInt(sums[k.group], 10, 64)
			sums[k.group] = strconv.FormatInt(n+lag, 10)
		}
	}
	for id, g := range w.groups {
		out["group "+id] = fmt.Sprint(g.complete, " lag ", sums[id], " ", g.state, " members ", g.members, sinceEpoch(g.ownersAt), sinceEpoch(g.readAt))
	}
	for k, pairs := range of {
		out["together "+k[0]+" "+k[1]] = w.together(k[0], pairs)
	}
	for id := range w.groups {
		out["rewinds "+id] = fmt.Sprint(w.est.rewinds[id])
	}
	for name, t := range w.topics {
		out["topic "+name] = fmt.Sprint(t.id, " recreated ", t.recreated, " added ", t.added, " known ", t.parts != nil)
		for i, p := range t.parts {
			out[fmt.Sprintf("log %s/%d", name, i)] = fmt.Sprint(p.start, " ", p.end, tellValues(map[string]rates.Value{"arrival": w.arrival(name, i, false)}))
		}
	}
	return out
}

func sinceEpoch(t time.Time) string {
	if t.IsZero() {
		return " never"
	}
	return fmt.Sprintf(" %.3f", t.Sub(epoch).Seconds())
}

// tellAll is the same of a view.
func tellAll(v *View) map[string]string {
	out := map[string]string{}
	for i := range v.Groups {
		g := &v.Groups[i]
		sum, n := "", -1
		if lag, ok := g.Lag.Get(); ok {
			sum = strconv.FormatInt(lag, 10)
		}
		if m, ok := g.Members.Get(); ok {
			n = len(m.List)
		}
		out["group "+g.ID] = fmt.Sprint(g.Complete, " lag ", sum, " ", g.State, " members ", n, sinceEpoch(g.OwnersAt), sinceEpoch(g.ReadAt))
		if out["rewinds "+g.ID] = fmt.Sprint(g.Rewinds); len(g.Topics) > 0 {
			out["together "+g.ID+" "] = tellEstimates(g.Estimates)
		}
		for _, t := range g.Topics {
			out["together "+g.ID+" "+t.Topic] = tellEstimates(t.Estimates)
			for k := range t.Pairs {
				p := &t.Pairs[k]
				out[fmt.Sprintf("pair %s %s/%d", g.ID, t.Topic, p.Partition)] = tellPair(g, p) + sinceEpoch(timeOf(p.At))
				out[fmt.Sprintf("estimates %s %s/%d", g.ID, t.Topic, p.Partition)] = tellPairEstimate(p.LagAge, &t.PairEstimates[k])
			}
		}
	}
	for _, t := range v.Topics {
		out["topic "+t.Name] = fmt.Sprint(t.ID[0], " recreated ", t.Recreated, " added ", t.Added, " known ", t.Partitions != nil)
		for i, p := range t.Partitions {
			r := twinLog{start: -1, end: -1}
			if s, ok := p.Start.Get(); ok {
				r.start = s.Offset
			}
			if e, ok := p.End.Get(); ok {
				r.end = e.Offset
			}
			out[fmt.Sprintf("log %s/%d", t.Name, p.ID)] = fmt.Sprint(r.start, " ", r.end, tellValues(map[string]rates.Value{"arrival": t.Arrivals[i]}))
		}
	}
	return out
}

// The view says what the contract says, for every order of faults.
func TestTwin(t *testing.T) {
	for seed := range uint64(40) {
		c, w, other := newChaos(seed), newStoryWith(Options{Publish: allFamilies}), newTwin()
		w.rules.staleAfter = chaosStale
		for n := range 50 {
			s, err := c.next()
			w.take(s, err)
			other.poll(s, err, s.Finished)
			if want, got := other.tell(), tellAll(w.v); !maps.Equal(want, got) {
				t.Fatalf("seed %d, poll %d, error %v: the view says something else than its twin (-twin +view):\n%s", seed, n, err, cmp.Diff(want, got))
			}
		}
	}
}
