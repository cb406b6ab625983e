package collector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// countSeries counts what is published of a view.
func countSeries(v *View) (n int) {
	samples(v, func(*Metric, float64, []string) { n++ })
	return n
}

// countOthers counts what is not of groups.
func countOthers(v *View) (n int) {
	samples(v, func(m *Metric, _ float64, _ []string) {
		if m.Detail == 0 {
			n++
		}
	})
	return n
}

// detailsOf are the details of a view's groups.
func detailsOf(v *View) map[string]Detail {
	out := map[string]Detail{}
	for i := range v.Groups {
		out[v.Groups[i].ID] = v.Groups[i].Detail
	}
	return out
}

// inFull is a copy of a view with all groups shown as configured.
func inFull(v *View) *View {
	full := *v
	full.Groups = slices.Clone(v.Groups)
	for i := range full.Groups {
		full.Groups[i].Detail = full.Groups[i].shown.detail
	}
	return &full
}

// goesFirst tells whether a is lowered before b: the one with less rank is, and
// one that was lowered before b also if b has no less than half its rank. One
// with an unknown lag comes last.
func goesFirst(a, b *Group, lowered map[string]bool, ranks map[string]int64) bool {
	x, y := ranks[a.ID], ranks[b.ID]
	switch {
	case !a.Lag.Known() || !b.Lag.Known():
		return a.Lag.Known()
	case lowered[a.ID] && !lowered[b.ID]:
		return x <= 2*y
	case !lowered[a.ID] && lowered[b.ID]:
		return 2*x < y
	}
	return x < y
}

// ranksTwin are the greatest lags of a view's groups, those of earlier polls less
// by a tenth for each since; a poll that does not know the lag is none.
func ranksTwin(before map[string]int64, v *View) map[string]int64 {
	now := map[string]int64{}
	for i := range v.Groups {
		id := v.Groups[i].ID
		now[id] = before[id]
		if lag, ok := v.Groups[i].Lag.Get(); ok {
			now[id] = max(lag, int64(float64(before[id])*0.9))
		}
	}
	return now
}

// limitTwin decides the details of a view's groups by trying. Where none is
// lowered it lowers to a twentieth below what there is room for. From then on it
// lowers what it must, raises what would fit with a twentieth to spare, and
// leaves the others as they are.
func limitTwin(before, v *View, most int, ranks map[string]int64) map[string]Detail {
	lowered, was := map[string]bool{}, detailsOf(before)
	for i := range before.Groups {
		g := &before.Groups[i]
		if g.Detail < g.shown.detail && previous(v.Groups, g.ID, groupID) != nil {
			lowered[g.ID] = true
		}
	}
	if countSeries(inFull(v)) <= most && len(lowered) == 0 {
		return detailsOf(inFull(v))
	}
	must := lowerTwin(v, most, lowered, ranks)
	spare := lowerTwin(v, most-(most-countOthers(v))/20, lowered, ranks)
	if len(lowered) == 0 {
		return detailsOf(spare)
	}
	for i := range spare.Groups {
		g, fits := &spare.Groups[i], must.Groups[i].Detail
		raised := *must
		raised.Groups = slices.Clone(must.Groups)
		raised.Groups[i].Detail = min(fits, max(was[g.ID], g.Detail))
		if countSeries(&raised) <= countSeries(must) {
			g.Detail = raised.Groups[i].Detail
		}
	}
	return detailsOf(spare)
}

// lowerTwin lowers one group after the other and counts everything after each.
func lowerTwin(v *View, most int, lowered map[string]bool, ranks map[string]int64) *View {
	v = inFull(v)
	for _, detail := range []Detail{DetailTopic, DetailGroup} {
		for tried := map[string]bool{}; countSeries(v) > most && len(tried) < len(v.Groups); {
			var next *Group
			for i := range v.Groups {
				if g := &v.Groups[i]; !tried[g.ID] && (next == nil || goesFirst(g, next, lowered, ranks)) {
					next = g
				}
			}
			tried[next.ID] = true
			was, n := next.Detail, countSeries(v)
			if next.Detail = min(was, detail); countSeries(v) >= n {
				next.Detail = was
			}
		}
	}
	return v
}

// least is how few series a view can have.
func least(v *View) int {
	v = inFull(v)
	for i := range v.Groups {
		g, n := &v.Groups[i], countSeries(v)
		if g.Detail = DetailGroup; countSeries(v) > n {
			g.Detail = g.shown.detail
		}
	}
	return countSeries(v)
}

// mixed are options that differ by group, and leave some families out.
func mixed(r *rand.Rand, most int) Options {
	details, out := map[string]Detail{}, map[string]bool{}
	return Options{
		MaxSeries: most,
		Detail: func(group string) Detail {
			if details[group] == 0 {
				details[group] = []Detail{DetailGroup, DetailTopic, DetailPartition, DetailPartition, DetailPartition}[r.IntN(5)]
			}
			return details[group]
		},
		Publish: func(group, family string, byDefault bool) bool {
			key := group + " " + family
			if _, ok := out[key]; !ok {
				out[key] = r.IntN(8) == 0
			}
			return !out[key]
		},
	}
}

// The details of random views, poll after poll, are those that trying would
// find; the series are what the log says, never above max_series where less
// detail can bring that about, and nothing is lowered without need.
func TestLimit(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		most := 60 + r.IntN(300)
		o := mixed(r, most)
		if seed%3 == 0 {
			o = Options{MaxSeries: most}
		}
		feed, w := newHostile(seed), newStoryWith(o)
		w.rules.staleAfter = chaosStale
		ranks := map[string]int64{}
		for n := range 25 {
			before := w.v
			v := w.take(feed.next())
			ranks = ranksTwin(ranks, v)
			want := limitTwin(before, v, most, ranks)
			if diff := cmp.Diff(want, detailsOf(v)); diff != "" {
				t.Errorf("the details are others than trying finds (-twin +view):\n%s", diff)
			}
			checkLowered(t, v)
			series := countSeries(v)
			switch {
			case series > most && series > least(v):
				t.Errorf("%d series, %d wanted, %d possible", series, most, least(v))
			case series > most:
				kinds["too many even so"]++
			case cmp.Equal(detailsOf(v), detailsOf(inFull(v))):
				kinds["in full"]++
			default:
				kinds["lowered"]++
			}
			if v.series != 0 && v.series != series {
				t.Errorf("the log says %d series, there are %d", v.series, series)
			}
			if t.Failed() {
				t.Fatalf("seed %d, poll %d, max_series %d", seed, n, most)
			}
		}
	}
	if len(kinds) != 3 {
		t.Errorf("views by kind: %v; this test sees too little", kinds)
	}
}

// checkLowered holds group_detail_lowered against the details: it is on exactly
// the groups that are shown in less than the config asks for, and tells in how
// much.
func checkLowered(t *testing.T, v *View) {
	t.Helper()
	want, got := map[string]string{}, map[string]string{}
	for i := range v.Groups {
		if g := &v.Groups[i]; g.Detail < g.shown.detail {
			want[g.labels.Append(nil)[1]] = g.Detail.String() + " 1"
		}
	}
	samples(v, func(m *Metric, value float64, labels []string) {
		if m.Name == lowering {
			got[labels[1]] = fmt.Sprint(labels[2], " ", value)
		}
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("group_detail_lowered (-want +got):\n%s", diff)
	}
}
