package diagnosis

import "time"

// Thresholds are what a condition is judged by. Each may be set by config under the
// name that [Keys] gives it, which also says in what unit, what it is by default and why.
type Thresholds struct {
	Behind   time.Duration
	AtRisk   time.Duration
	Window   time.Duration
	HeldBack time.Duration
	Settle   time.Duration

	NeverCommitted, Abandoned time.Duration
	Gone, Silence             time.Duration
	Pause                     float64
	Stalled                   time.Duration

	Unstable, UnstableWindow time.Duration
	Moved                    int
	MovedPerPartition        float64

	Hot, Slower, Grown float64

	Enter, EnterUnowned, Leave, Switch, Keep int
}

// Defaults are the thresholds where nothing is configured.
func Defaults() Thresholds {
	var t Thresholds
	for _, k := range keys {
		switch at := k.at(&t).(type) {
		case *time.Duration:
			*at = k.Default.(time.Duration)
		case *float64:
			*at = k.Default.(float64)
		case *int:
			*at = k.Default.(int)
		}
	}
	return t
}

// Key is one threshold as the config and the docs know it.
type Key struct {
	Name string
	// Unit is "duration", "polls", "partitions" or "" for a ratio.
	Unit string
	// Default and Min, below which it may not be, are a time.Duration, a float64 or an
	// int, all of one type.
	Default, Min any
	Help         string

	at func(*Thresholds) any
}

// Of points to the threshold in a set of them: a *time.Duration, *float64 or *int.
func (k Key) Of(t *Thresholds) any { return k.at(t) }

// Keys are all thresholds.
func Keys() []Key { return append([]Key(nil), keys...) }

var keys = []Key{
	{"behind", "duration", 30 * time.Second, time.Duration(0),
		"how old the oldest unread record of a partition must be before the group counts as behind on it, and older than its usual pause explains; less is what any consumer needs for a batch",
		func(t *Thresholds) any { return &t.Behind }},
	{"at_risk", "duration", time.Hour, time.Duration(0),
		"how soon retention must be about to delete unread records; time for somebody to act",
		func(t *Thresholds) any { return &t.AtRisk }},
	{"window", "duration", 10 * time.Minute, time.Minute,
		"how far back losses, rewinds and rebalances count; long enough to be seen, short enough to be over when the trouble is",
		func(t *Thresholds) any { return &t.Window }},
	{"settle", "duration", time.Minute, time.Duration(0),
		"for how long a group must be watched before anything but uneven keys is said to make it fall behind, where it was never seen to keep up: rates of all partitions take that long to be known",
		func(t *Thresholds) any { return &t.Settle }},
	{"held_back", "duration", 5 * time.Minute, time.Duration(0),
		"for how long the last stable offset must have stood still; a transaction may take a minute by default, 15 at most",
		func(t *Thresholds) any { return &t.HeldBack }},
	{"never_committed", "duration", time.Minute, time.Duration(0),
		"for how long partitions must have been assigned without a first commit; clients commit every 5 seconds by default",
		func(t *Thresholds) any { return &t.NeverCommitted }},
	{"abandoned", "duration", 10 * time.Minute, time.Duration(0),
		"for how long a topic to which nobody subscribes must be without a commit; a deployment may take that long",
		func(t *Thresholds) any { return &t.Abandoned }},
	{"gone", "duration", 30 * time.Second, time.Duration(0),
		"for how long a group must be without a member, and without a commit, whatever is usual; three polls at least while its usual pause is not known; for batch jobs set it to the time between two runs",
		func(t *Thresholds) any { return &t.Gone }},
	{"silence", "duration", 12 * time.Minute, time.Duration(0),
		"the same of a group that never had members, while its usual pause is not known; jobs that checkpoint every ten minutes are common",
		func(t *Thresholds) any { return &t.Silence }},
	{"pause", "", 1.2, 1.0,
		"how many times its usual pause between commits a partition must be silent to count as stopped",
		func(t *Thresholds) any { return &t.Pause }},
	{"stalled", "duration", time.Minute, time.Duration(0),
		"for how long it must be silent at least; where few records arrive, little is seen of the pauses that are usual, and most clients commit more often than that",
		func(t *Thresholds) any { return &t.Stalled }},
	{"unstable", "duration", time.Minute, time.Duration(0),
		"for how long a rebalance must be going on; members have their session timeout, 45 seconds by default, to come back",
		func(t *Thresholds) any { return &t.Unstable }},
	{"unstable_window", "duration", 90 * time.Second, time.Duration(0),
		"for how much of the window the group must have been between two assignments; a rolling restart is for less",
		func(t *Thresholds) any { return &t.UnstableWindow }},
	{"moved", "partitions", 10, 1,
		"how many partitions must have moved in the window, at least",
		func(t *Thresholds) any { return &t.Moved }},
	{"moved_per_partition", "", 4.0, 1.0,
		"how often each partition must have moved in the window, on average; a rolling restart moves most of them twice",
		func(t *Thresholds) any { return &t.MovedPerPartition }},
	{"hot", "", 2.0, 1.0,
		"how many times the median arrivals of its topic a partition must take to be hot; less is what hashing keys leaves",
		func(t *Thresholds) any { return &t.Hot }},
	{"slower", "", 0.05, 0.0,
		"by which part what a member drains must have fallen, against what it drained while it kept up; less cannot be told from noise",
		func(t *Thresholds) any { return &t.Slower }},
	{"grown", "", 0.25, 0.0,
		"by which part arrivals may have grown and still count as what they were",
		func(t *Thresholds) any { return &t.Grown }},
	{"enter", "polls", 2, 1,
		"in how many polls in succession a condition must hold before it is shown",
		func(t *Thresholds) any { return &t.Enter }},
	{"enter_unowned", "polls", 3, 1,
		"the same of unowned_partitions: a cooperative rebalance leaves partitions unowned between its two steps",
		func(t *Thresholds) any { return &t.EnterUnowned }},
	{"leave", "polls", 3, 1,
		"in how many polls in succession it must not hold before it is no longer shown",
		func(t *Thresholds) any { return &t.Leave }},
	{"switch", "polls", 6, 1,
		"the same where another reason for the same trouble holds in its place: reasons seldom change, and rates are noisy",
		func(t *Thresholds) any { return &t.Switch }},
	{"keep", "polls", 3, 0,
		"for how many polls in which it cannot be evaluated the last verdict stands",
		func(t *Thresholds) any { return &t.Keep }},
}
