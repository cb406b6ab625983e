package rates

import (
	"math"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// steady is since when a line rises as it does now. It is looked for in all of the
// history only now and then: in between it is enough that what is new is no surprise.
type steady struct {
	// at and offset are the far end: the first reading, or the mean of the first
	// third of the commits, which are so many. unsure, noise and jump are those
	// of knots.
	at                  snapshot.Instant
	offset              int64
	unsure, noise, jump float32
	of                  uint8
	long                bool // more than someKnots ago
	// due is for how many polls it is believed if nothing surprises.
	due uint8
}

// How many knots are looked at when nothing is thought to have changed, how many at
// first when something is, and how many of the newest make the near end.
const (
	fewKnots  = 8
	someKnots = 16
	endKnots  = 6
)

// slope estimates how fast a history rises now.
func (s *steady) slope(c *Clock, h *history, k *knots) slope {
	news := !k.ofCommits || h.run == 0 // a commit is, and any reading of a log
	if s.of == 0 || news && s.due == 0 {
		return s.search(c, h, k)
	}
	if news {
		s.due--
	}
	if !k.ofCommits && h.offset == s.offset {
		t := seconds(h.at(c).Sub(s.at))
		return slopeOf(0, 1/(t*t))
	}
	k.gather(c, h, fewKnots)
	if !s.holds(c, h, k) {
		return s.search(c, h, k)
	}
	return s.between(c, h, k)
}

// search looks for since when it rises like this: in few knots if that was enough the
// last time, and in all if it is not.
func (s *steady) search(c *Clock, h *history, k *knots) slope {
	most := someKnots
	if s.long {
		most = mostKnots
	}
	k.gather(c, h, most)
	if k.n < 2 {
		*s = steady{}
		return slope{}
	}
	m := k.recent(0)
	if m == most-1 && most < mostKnots {
		k.gather(c, h, mostKnots)
		m = k.recent(m)
	}
	s.begin(c, h, k, m)
	return s.between(c, h, k)
}

// begin sets the far end to the knots up to m.
func (s *steady) begin(c *Clock, h *history, k *knots, m int) {
	of := 1
	if k.unsure[m] > 0 {
		of = (m + 1) / 3
	}
	of = min(max(of, 1), math.MaxUint8)
	ago, below, unsure := k.mean(m+1-of, m+1)
	*s = steady{
		at: h.at(c) - instants(ago), offset: h.offset - int64(math.Round(below)),
		unsure: float32(unsure), noise: float32(k.noise), jump: float32(k.jump), of: uint8(of),
		long: m >= someKnots, due: uint8(m / 4),
	}
	if s.long { // not all in the same poll
		s.due = uint8(10 + h.offset&7)
	}
}

// mean is the middle of some knots.
func (k *knots) mean(from, to int) (ago, below, unsure float64) {
	for i := from; i < to; i++ {
		ago += k.ago[i]
		below += k.below[i]
		unsure += k.unsure[i]
	}
	n := float64(to - from)
	return ago / n, below / n, unsure / n
}

// far is the far end as it is seen from the last reading.
func (s *steady) far(c *Clock, h *history) (ago, below float64) {
	return seconds(h.at(c).Sub(s.at)), float64(h.offset - s.offset)
}

// holds tells whether nothing in the newest knots is a surprise. It puts the far end
// behind them.
func (s *steady) holds(c *Clock, h *history, k *knots) bool {
	ago, below := s.far(c, h)
	for k.n > 0 && k.ago[k.n-1] >= ago {
		k.n--
	}
	if k.n < 1 || s.at < c.at(c.first) || h.offset < s.offset || below < k.below[k.n-1] {
		return false
	}
	k.add(ago, below, float64(s.unsure)/float64(s.of))
	k.noise, k.jump = float64(s.noise), float64(s.jump)
	vague := k.vague()
	for m := 1; m < k.n-1; m += max(1, m/2) {
		if by, no := k.changed(vague, m, k.n-1); by > no && (m > 1 || by > 2*no) {
			return false
		}
	}
	return true
}

// between is the slope between the near end and the far one. That commits come late
// may last, and does not become less by the mean of many.
func (s *steady) between(c *Clock, h *history, k *knots) slope {
	n := min(int(s.of), endKnots, k.n-1)
	near, risen, unsure := k.mean(0, n)
	ago, below := s.far(c, h)
	t := ago - near
	r := (below - risen) / t
	late := (1 + 1/float64(n)) * r * r * max(unsure, float64(s.unsure)) / (t * t)
	return slopeOf(r, late+float64(s.noise)*r*1.2/t+1/(t*t)+unseen*unseen*r*r)
}
