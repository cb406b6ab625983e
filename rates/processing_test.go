package rates

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestProcessing polls every 10 s a group that commits now and then.
func TestProcessing(t *testing.T) {
	steady := Rate{PerSecond: 50, Low: 45, High: 55, Known: true}
	for name, c := range map[string]struct {
		lag, step int64 // at the begin, and what each commit takes away
		in        int64 // what arrives between two polls
		every     int   // polls from commit to commit
		polls     int
		drain     Rate
		moved     bool
		want      float64
	}{
		"a backlog":                            {100000, 500, 300, 1, 10, steady, false, 0.02},
		"a backlog, one commit a minute":       {100000, 3000, 300, 6, 24, steady, false, 0.02},
		"a backlog that grows":                 {100000, 500, 3000, 1, 10, steady, false, 0.02},
		"too few commits":                      {100000, 500, 300, 1, 3, steady, false, unknown},
		"one commit a minute, and caught up":   {1800, 1800, 300, 6, 60, steady, false, unknown},
		"all that arrives":                     {0, 300, 300, 1, 60, steady, false, unknown},
		"a lag of two commits: between them":   {600, 300, 300, 1, 60, steady, false, unknown},
		"one that stands still":                {100000, 0, 300, 1, 60, Rate{Known: true}, false, unknown},
		"a rate that is unknown":               {100000, 500, 300, 1, 10, Rate{}, false, unknown},
		"a rate that may be none":              {100000, 500, 300, 1, 10, Rate{PerSecond: 1, High: 9, Known: true}, false, unknown},
		"the partition moved to another owner": {100000, 500, 300, 1, 10, steady, true, unknown},
		"rewinds all the time":                 {100000, -500, 300, 1, 10, steady, false, unknown},
		"huge":                                 {math.MaxInt64 / 2, 500, 300, 1, 10, steady, false, 0.02},
	} {
		t.Run(name, func(t *testing.T) {
			var w work
			var got Value
			committed, end := int64(1000000), 1000000+c.lag
			for poll := range c.polls {
				if poll > 0 && poll%c.every == 0 {
					committed = min(committed+c.step, end)
				}
				if c.moved && poll == c.polls-1 {
					w.moved()
				}
				got = w.observe(Position{Committed: committed, Lag: end - committed, End: end}, c.drain)
				end += c.in
			}
			if diff := cmp.Diff(c.want, number(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
