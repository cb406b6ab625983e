package simulate

import (
	"math/rand/v2"
	"time"
)

// changing are those in which what arrives changes.
func changing() []Scenario {
	return []Scenario{
		{"arrival-steps", "catches up while arrivals change by 15–30 % every ten minutes", func(r *rand.Rand) Setup {
			rate := between(r, 50, 300)
			var changes []Change
			for i := range 5 {
				changes = append(changes, Change{600 * float64(i+1), rate * (1 + between(r, 0.15, 0.3)*float64(1-2*(i%2)))})
			}
			s := one(time.Hour, Producer{Steps(rate, changes...), 1}, Constant(rate*between(r, 1.6, 2)), every(5*time.Second))
			s.Behind = []int64{int64(rate * 3000)}
			return s
		}},
		{"wave", "an hourly wave of ±60 % around less than the capacity", func(r *rand.Rand) Setup {
			rate := between(r, 50, 300)
			return one(2*time.Hour, Producer{Wave(rate, 0.6, 3600, r.Float64()), 1}, Constant(rate*between(r, 1.1, 1.3)), every(5*time.Second))
		}},
		{"hourly-burst", "five minutes of ten times as much each hour, then the drain", func(r *rand.Rand) Setup {
			rate := between(r, 20, 100)
			return one(3*time.Hour, Producer{Bursts(rate, 10*rate, 3600, 300, 600), 1}, Constant(rate*between(r, 2.5, 4)), every(5*time.Second))
		}},
		{"on-off", "two minutes of records, three of none", func(r *rand.Rand) Setup {
			rate := between(r, 50, 300)
			s := one(time.Hour, Producer{Bursts(0, rate, 300, 120, 0), 1}, Constant(rate*between(r, 0.6, 0.9)), every(5*time.Second))
			s.Behind = []int64{int64(rate * 600)}
			return s
		}},
		{"hot-key", "one of four partitions gets five times as much as the others", func(r *rand.Rand) Setup {
			rate := between(r, 20, 100)
			arrivals := same4(Constant(rate))
			arrivals[1] = Steps(rate, Change{900, 5 * rate}, Change{2100, rate})
			return fourPartitions(time.Hour, arrivals, 1, Constant(rate*between(r, 3.5, 4.5)), every(5*time.Second))
		}},
		{"slow-dependency", "the capacity falls everywhere, and comes back", func(r *rand.Rand) Setup {
			rate := between(r, 20, 100)
			capacity := rate * 2 * between(r, 1.3, 2)
			return fourPartitions(time.Hour, same4(Constant(rate)), 1,
				Steps(capacity, Change{900, rate * 2 * between(r, 0.5, 0.8)}, Change{1800, capacity}), every(5*time.Second))
		}},
	}
}
