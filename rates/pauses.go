package rates

// pauses is how long a pair leaves between commits while there is something to
// commit, in seconds: the two longest of late. They shrink with each that is shorter.
// fastest is how much it committed after one, in offsets per second of it: the most of
// late.
type pauses struct {
	longest, second, fastest float32
	seen                     uint8
}

// fading is the part by which a longest pause comes nearer to a shorter one.
const fading = 1.0 / 12

// add takes in one, and how much was committed after it.
func (p *pauses) add(seconds, perSecond float64) {
	gap, speed := float32(max(0, seconds)), float32(perSecond)
	p.fastest = max(speed, p.fastest-(p.fastest-speed)*fading)
	p.seen = min(p.seen+1, enoughPauses)
	switch {
	case gap >= p.longest:
		p.longest, p.second = gap, p.longest
	case gap >= p.second:
		p.second = gap
	}
	p.longest -= (p.longest - gap) * fading
	p.second = max(p.second-(p.second-gap)*fading, 0)
}

// From so many on a single longer one is an exception.
const enoughPauses = 5

// usual is the longest that is usual, so that a single long one does not count; of
// few the longest; 0 while none was seen.
func (p *pauses) usual() float64 {
	if p.seen < enoughPauses {
		return float64(p.longest)
	}
	return float64(p.second)
}
