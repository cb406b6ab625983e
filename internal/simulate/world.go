package simulate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// world is the state after a step.
type world struct {
	setup   Setup
	random  *rand.Rand
	at      int // the step
	parts   []*partition
	members []*member
	events  []Event

	downUntil float64 // nobody polls before
	restart   bool    // the next poll is the first of a new start

	generation int32 // each assignment makes a new one
	between    int   // assignments that are under way
}

type member struct {
	Member
	stopped int // by so many reasons
	speed   float64
	next    float64 // commit
	joined  int     // how often
}

func (w *world) now() float64 { return float64(w.at) * step }

func newWorld(s Setup, r *rand.Rand) *world {
	w := &world{setup: s, random: r, events: slices.Clone(s.Events), generation: 1}
	slices.SortStableFunc(w.events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	steps := int(s.Length.Seconds()/step) + 1
	first := int64(s.Past.PerSecond * s.Past.Span.Seconds())
	for i, producer := range s.Producers {
		p := &partition{producer: producer, first: first, past: s.Past.PerSecond, owner: nobody, noise: 1}
		p.ends = append(make([]int64, 0, steps), first)
		p.done = float64(first)
		if i < len(s.Behind) {
			p.done = float64(max(0, first-s.Behind[i]))
			p.behind = s.Behind[i] > 0
		}
		p.committed = p.processed()
		w.parts = append(w.parts, p)
	}
	for i, m := range s.Members {
		one := &member{Member: m, speed: 1, next: r.Float64() * s.Commit.Every.Seconds()}
		one.Owns = slices.Clone(m.Owns)
		if !m.Away {
			one.joined++
		}
		w.members = append(w.members, one)
		for _, p := range m.Owns {
			w.parts[p].owner = i
		}
	}
	return w
}

// step goes on to the next state.
func (w *world) step() {
	w.at++
	now := w.now()
	for len(w.events) > 0 && w.events[0].At <= now {
		w.events[0].do(w)
		w.events = w.events[1:]
	}
	for _, p := range w.parts {
		p.arrival = p.producer.Rate(now)
		w.vary(p)
		p.ends = append(p.ends, p.end()+p.producer.arrive(w.random, p.arrival*p.noise, &p.rest))
		p.drain = 0
	}
	w.retain(now)
	for i, m := range w.members {
		w.work(m, now)
		w.commit(i, m, now)
	}
	for _, p := range w.parts {
		p.rates.note(now, p.arrival, p.drain)
	}
}

// noiseEvery is for how long what arrives is more or less than the rate, in seconds.
const noiseEvery = 10

func (w *world) vary(p *partition) {
	if w.setup.Noise > 0 && w.at%int(noiseEvery/step) == 1 {
		p.noise = max(0, 1+w.setup.Noise*w.random.NormFloat64())
	}
}

// looksEvery is how often a broker looks for what is too old, in seconds.
const looksEvery = 60

func (w *world) retain(now float64) {
	if w.setup.Retain == 0 || w.at%int(looksEvery/step) != 0 {
		return
	}
	for _, p := range w.parts {
		p.retain(now, now-w.setup.Retain.Seconds())
	}
}

// work processes what a member can in a step, and sets how fast it drains each of
// its partitions.
func (w *world) work(m *member, now float64) {
	if m.stopped > 0 || w.between > 0 || len(m.Owns) == 0 {
		return
	}
	if m.Jitter > 0 && w.at%max(int(1/step), int(m.Swing.Seconds()/step)) == 0 {
		m.speed = max(0, 1+m.Jitter*w.random.NormFloat64())
	}
	capacity := m.Capacity(now)
	var parts []*partition
	for _, i := range m.Owns {
		if p := w.parts[i]; !p.stuck {
			parts = append(parts, p)
		}
	}
	share(parts, capacity, (*partition).steadyWant, func(p *partition, rate float64) { p.drain = rate })
	share(parts, capacity*m.speed*step, w.ready, func(p *partition, n float64) { p.done += n })
	for _, p := range parts {
		p.judge(capacity, len(m.Owns))
	}
}

// ready is how much a member can process already.
func (w *world) ready(p *partition) float64 {
	before := max(0, len(p.ends)-1-int(math.Round(w.setup.Delay.Seconds()/step)))
	return max(0, float64(p.ends[before])-p.done)
}

// steadyWant is how fast a partition would be drained if its owner could do all.
func (p *partition) steadyWant() float64 {
	if p.behind || p.arrival == 0 && p.backlog() > 0 {
		return math.Inf(1)
	}
	return p.arrival
}

// judge tells a backlog from what just arrived: it is more than two seconds of work
// and three batches, and is there until nothing is.
func (p *partition) judge(capacity float64, among int) {
	backlog := p.backlog()
	switch {
	case backlog < 1:
		p.behind = false
	case backlog > 2*capacity/float64(among)+float64(3*p.producer.Batch):
		p.behind = true
	}
}

// share gives each partition what it wants, at most an equal part of the total; what
// some do not want is for the others.
func share(parts []*partition, total float64, want func(*partition) float64, give func(*partition, float64)) {
	var room [16]float64
	wants := room[:0]
	for _, p := range parts {
		wants = append(wants, want(p))
	}
	slices.Sort(wants)
	most := math.Inf(1)
	for i, v := range wants {
		if fair := total / float64(len(wants)-i); v > fair {
			most = fair
			break
		}
		total -= v
	}
	for _, p := range parts {
		give(p, min(want(p), most))
	}
}
