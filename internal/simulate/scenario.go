package simulate

import (
	"math/rand/v2"
	"time"
)

// Scenario is something that happens to a group. Its numbers vary with the seed.
type Scenario struct {
	Name  string
	About string // in a line
	Build func(r *rand.Rand) Setup
}

// between is a number in a range.
func between(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }

// around is a number within a share of v.
func around(r *rand.Rand, v, share float64) float64 { return v * between(r, 1-share, 1+share) }

// every is a consumer with a timer, as clients have it: they look at it when they
// have worked off what they had fetched.
func every(d time.Duration) Commit { return Commit{Every: d, Late: 0.02} }

// polls are those of a healthy exporter.
func polls(d time.Duration) Polls {
	return Polls{Every: d, Jitter: 0.02, Between: 300 * time.Millisecond}
}

// day is a log that has filled for a day.
func day(perSecond float64) Past { return Past{PerSecond: perSecond, Span: 24 * time.Hour} }

// one is a world of a partition with its member.
func one(length time.Duration, p Producer, capacity Curve, c Commit) Setup {
	return Setup{
		Length: length, Producers: []Producer{p}, Commit: c, Polls: polls(10 * time.Second),
		Members: []Member{{Capacity: capacity, Jitter: 0.1, Owns: []int{0}}},
		Past:    day(p.Rate(0)),
	}
}

// catchUp is a partition with a backlog that is gone after some time if capacity
// exceeds arrivals by a share of them.
func catchUp(perSecond float64, batch int, share float64, in time.Duration, c Commit) Setup {
	s := one(in+in/4, Producer{Constant(perSecond), batch}, Constant(perSecond*(1+share)), c)
	s.Behind = []int64{int64(perSecond * share * in.Seconds())}
	return s
}

// fourPartitions are read by two members.
func fourPartitions(length time.Duration, arrivals [4]Curve, batch int, capacity Curve, c Commit) Setup {
	s := Setup{
		Length: length, Commit: c, Polls: polls(10 * time.Second), Past: day(100),
		Members: []Member{
			{Capacity: capacity, Jitter: 0.1, Owns: []int{0, 1}},
			{Capacity: capacity, Jitter: 0.1, Owns: []int{2, 3}},
		},
	}
	for _, rate := range arrivals {
		s.Producers = append(s.Producers, Producer{rate, batch})
	}
	return s
}

func same4(c Curve) [4]Curve { return [4]Curve{c, c, c, c} }
