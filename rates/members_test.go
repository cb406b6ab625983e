package rates

import (
	"math"
	"testing"
	"time"
)

func TestMembersNeeded(t *testing.T) {
	const five = 5 * time.Minute
	for name, c := range map[string]struct {
		load Load
		want int
		ok   bool
	}{
		"keeps up with three":           {Load{Partitions: 12, Arrival: 250, Busiest: 30, PerMember: 100, Within: five}, 3, true},
		"exactly three":                 {Load{Partitions: 12, Arrival: 300, Busiest: 30, PerMember: 100, Within: five}, 3, true},
		"three in spite of rounding":    {Load{Partitions: 12, Arrival: 0.1 + 0.2, Busiest: 0.1, PerMember: 0.1, Within: five}, 3, true},
		"a backlog needs a fourth":      {Load{Partitions: 12, Arrival: 250, Busiest: 30, Lag: 24000, LargestLag: 2000, PerMember: 100, Within: five}, 4, true},
		"a little is one":               {Load{Partitions: 12, Arrival: 0.01, Busiest: 0.01, PerMember: 100, Within: five}, 1, true},
		"a lag alone is one":            {Load{Partitions: 12, Lag: 1, LargestLag: 1, PerMember: 100, Within: five}, 1, true},
		"nothing to do":                 {Load{Partitions: 12, PerMember: 100, Within: five}, 0, true},
		"no more than partitions":       {Load{Partitions: 4, Arrival: 390, Busiest: 99, Lag: 3000, LargestLag: 300, PerMember: 100, Within: five}, 4, true},
		"more than partitions would do": {Load{Partitions: 4, Arrival: 390, Busiest: 99, Lag: 60_000, LargestLag: 300, PerMember: 100, Within: five}, 4, true},
		"one partition is too much":     {Load{Partitions: 12, Arrival: 250, Busiest: 101, PerMember: 100, Within: five}, 0, false},
		// Used to be unknown, and so to vanish as the lag grew.
		"one partition and its lag":    {Load{Partitions: 12, Arrival: 250, Busiest: 60, Lag: 15000, LargestLag: 15000, PerMember: 100, Within: five}, 12, true},
		"nothing is known of members":  {Load{Partitions: 12, Arrival: 250, Busiest: 30, Within: five}, 0, false},
		"a lag that must be gone now":  {Load{Partitions: 12, Arrival: 250, Busiest: 30, Lag: 1, LargestLag: 1, PerMember: 100}, 12, true},
		"no lag, and at once":          {Load{Partitions: 12, Arrival: 250, Busiest: 30, PerMember: 100}, 3, true},
		"no partitions":                {Load{Arrival: 250, Busiest: 30, PerMember: 100, Within: five}, 0, false},
		"rates that are no numbers":    {Load{Partitions: 12, Arrival: math.NaN(), Busiest: math.NaN(), PerMember: math.NaN(), Within: five}, 0, false},
		"an arrival that is no number": {Load{Partitions: 12, Arrival: math.NaN(), Busiest: 1, PerMember: 100, Within: five}, 0, false},
		"infinite members":             {Load{Partitions: 12, Arrival: 250, Busiest: 30, PerMember: math.Inf(1), Within: five}, 0, false},
		"infinite arrivals":            {Load{Partitions: 12, Arrival: math.Inf(1), Busiest: math.Inf(1), PerMember: 100, Within: five}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			if n, ok := MembersNeeded(c.load); n != c.want || ok != c.ok {
				t.Errorf("%d, %v, want %d, %v", n, ok, c.want, c.ok)
			}
		})
	}
}
