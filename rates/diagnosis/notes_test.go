package diagnosis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// One walk over the partitions tells of all topics what a walk for each does.
func TestAbandonedTwin(t *testing.T) {
	var seen [Holds + 1]int
	limits := Defaults()
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		l := look{g: anything(r, begin), t: &limits, m: &Memory{began: begin - snapshot.Instant(r.Int64N(int64(20*time.Minute)))}}
		for i := range l.g.Topics {
			l.g.Topics[i].Subscribed = pick(r, snapshot.Known(false), snapshot.Known(false), snapshot.Known(true), snapshot.Maybe[bool]{})
		}
		for i := range l.g.Partitions {
			l.g.Partitions[i].Estimate.CommitAge = pick(r, rates.Value{}, rates.Of(1200*r.Float64()))
		}
		got := l.abandoned()
		for i := range l.g.Topics {
			want := abandonedTwin(&l, i)
			seen[want]++
			if got == nil && want == Clear {
				continue // all are subscribed to
			}
			if got[i] != want {
				t.Fatalf("seed %d: topic %d is %d, want %d", seed, i, got[i], want)
			}
		}
	}
	if slices.Min(seen[:]) < 100 {
		t.Errorf("%v: too few to prove anything", seen)
	}
}

func abandonedTwin(l *look, topic int) Verdict {
	if l.g.Topics[topic].Subscribed == snapshot.Known(true) {
		return Clear
	}
	n, quiet := 0, l.watched().Seconds()
	for i := range l.g.Partitions {
		p := &l.g.Partitions[i]
		if int(p.Topic) != topic || p.Position == Uncommitted {
			continue
		}
		n++
		age, ok := p.Estimate.CommitAge.Get()
		if ok && age < l.t.Abandoned.Seconds() {
			return Clear
		}
		quiet = max(quiet, age)
	}
	switch {
	case n == 0:
		return Clear
	case quiet < l.t.Abandoned.Seconds(), l.g.Topics[topic].Subscribed != snapshot.Known(false):
		return Unknown
	}
	return Holds
}

// One operation is a poll of a group with commits on so many topics that nobody reads.
func BenchmarkAbandonedTopics(b *testing.B) {
	for _, topics := range []int{500, 5000} {
		b.Run(fmt.Sprint(topics), func(b *testing.B) {
			g := healthy()
			for i := range topics {
				g.Topics = append(g.Topics, Topic{Name: fmt.Sprint("t", i), Subscribed: snapshot.Known(false)})
				p := keepsUp(0, -1)
				p.Topic, p.Estimate.CommitAge = int32(i+1), rates.Of(600)
				g.Partitions = append(g.Partitions, p)
			}
			limits := Defaults()
			var m Memory
			for g.Now = begin; b.Loop(); g.Now += snapshot.Instant(g.Interval) {
				m.Observe(g, &limits)
			}
		})
	}
}
