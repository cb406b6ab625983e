package simulate

import (
	"math"
	"sort"
)

// partition is a log and how far the group is on it.
type partition struct {
	producer Producer
	rest     float64 // parts of records of an even flow
	noise    float64 // of what arrives now
	first    int64   // the end at the beginning
	past     float64 // records per second before
	start    int64
	ends     []int64 // after each step

	done      float64 // the next offset to process, with the part of it that is done
	committed int64
	commitAt  float64 // when committed last changed
	stuck     bool
	behind    bool
	owner     int     // nobody if it is no member
	arrival   float64 // the current rates
	drain     float64
	rates     rateLog
	cut       float64 // when polls last had to begin anew
	seen      seen
}

func (p *partition) end() int64       { return p.ends[len(p.ends)-1] }
func (p *partition) processed() int64 { return int64(math.Floor(p.done + 1e-6)) }
func (p *partition) backlog() float64 { return max(0, float64(p.end())-p.done) }

// passed tells when the end passed an offset that it has passed, in seconds: that is
// when the record there arrived.
func (p *partition) passed(offset int64) float64 {
	if offset < p.first {
		return float64(offset+1-p.first) / p.past
	}
	return float64(sort.Search(len(p.ends), func(i int) bool { return p.ends[i] > offset })) * step
}

// since is the first offset that arrived at a moment or later, which may be the end.
func (p *partition) since(t float64) int64 {
	if t <= 0 {
		return max(p.start, p.first+int64(math.Ceil(t*p.past-1e-9))-1)
	}
	i := min(int(math.Ceil(t/step-1e-9)), len(p.ends))
	return max(p.start, p.ends[i-1])
}

// commit makes durable what was processed. With a batch it is whole batches only,
// unless there is no more to process.
func (p *partition) commit(now float64, batch int64) {
	to := p.processed()
	if batch > 0 && p.backlog() >= 1 {
		to -= (to - p.committed) % batch
	}
	if to > p.committed {
		p.committed, p.commitAt = to, now
	}
}

func (p *partition) rewind(now float64, by int64) {
	p.committed = max(p.start, p.committed-by)
	p.done, p.commitAt, p.cut = float64(p.committed), now, now
	p.behind = true
}

// retain drops what arrived before a moment. A group that has not read it goes on
// with what is left.
func (p *partition) retain(now, before float64) {
	p.start = max(p.start, p.since(before))
	if p.done < float64(p.start) {
		p.done, p.cut = float64(p.start), now
	}
}
