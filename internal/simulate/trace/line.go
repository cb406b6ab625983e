package trace

import "fmt"

// pollLine is a poll as it is read: what it may not lack is a pointer, for nothing is
// taken to be 0 because it is missing.
type pollLine struct {
	At        *Moment         `json:"t"`
	Restart   bool            `json:"restart"`
	Logs      *[]logLine      `json:"logs"`
	Positions *[]positionLine `json:"positions"`
}

type logLine struct {
	Topic     string  `json:"topic"`
	Partition *int32  `json:"partition"`
	Start     *int64  `json:"start"`
	End       *int64  `json:"end"`
	At        *Moment `json:"t"`
}

type positionLine struct {
	Group     string     `json:"group"`
	Topic     string     `json:"topic"`
	Partition *int32     `json:"partition"`
	Committed *int64     `json:"committed"`
	At        *Moment    `json:"t"`
	Owner     string     `json:"owner"`
	Truth     *truthLine `json:"truth"`
}

type truthLine struct {
	Arrival   *float64  `json:"arrival"`
	Drain     *float64  `json:"drain"`
	Age       *float64  `json:"age"`
	ETA       *Infinite `json:"eta"`
	Remaining *Infinite `json:"remaining"`
	KeepsUp   bool      `json:"keeps_up"`
	Gap       *float64  `json:"gap"`
	CommitAge *float64  `json:"commit_age"`
	Polls     *int      `json:"polls"`
	Commits   *int      `json:"commits"`
}

func (l pollLine) poll() (Poll, error) {
	var n need
	p := Poll{At: needed(&n, "t", l.At), Restart: l.Restart}
	for _, x := range needed(&n, "logs", l.Logs) {
		p.Logs = append(p.Logs, Log{
			Topic: x.Topic, Partition: needed(&n, "partition", x.Partition),
			Start: needed(&n, "start", x.Start), End: needed(&n, "end", x.End), At: needed(&n, "t", x.At),
		})
	}
	for _, x := range needed(&n, "positions", l.Positions) {
		p.Positions = append(p.Positions, Position{
			Group: x.Group, Topic: x.Topic, Partition: needed(&n, "partition", x.Partition),
			Committed: needed(&n, "committed", x.Committed), At: needed(&n, "t", x.At), Owner: x.Owner, Truth: x.Truth.truth(&n),
		})
	}
	return p, n.err
}

// truth is nil where there is none.
func (l *truthLine) truth(n *need) *Truth {
	if l == nil {
		return nil
	}
	return &Truth{
		Arrival: needed(n, "arrival", l.Arrival), Drain: needed(n, "drain", l.Drain), Age: needed(n, "age", l.Age),
		ETA: needed(n, "eta", l.ETA), Remaining: needed(n, "remaining", l.Remaining), KeepsUp: l.KeepsUp,
		Gap: needed(n, "gap", l.Gap), CommitAge: l.CommitAge, Polls: needed(n, "polls", l.Polls), Commits: needed(n, "commits", l.Commits),
	}
}

// need is the first of what is missing.
type need struct{ err error }

func needed[T any](n *need, name string, v *T) T {
	if v != nil {
		return *v
	}
	if n.err == nil {
		n.err = fmt.Errorf("there is no %q where one has to be", name)
	}
	var zero T
	return zero
}
