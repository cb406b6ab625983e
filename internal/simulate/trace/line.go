package trace

import "fmt"

// pollLine is a poll as it is read: what it may not lack is a pointer, for nothing is
// taken to be 0 because it is missing.
type pollLine struct {
	At        *Moment        `json:"t"`
	Restart   bool           `json:"restart"`
	Logs      []logLine      `json:"logs"`
	Positions []positionLine `json:"positions"`
}

type logLine struct {
	Topic     string  `json:"topic"`
	Partition *int32  `json:"partition"`
	Start     *int64  `json:"start"`
	End       *int64  `json:"end"`
	At        *Moment `json:"t"`
}

type positionLine struct {
	Group     string  `json:"group"`
	Topic     string  `json:"topic"`
	Partition *int32  `json:"partition"`
	Committed *int64  `json:"committed"`
	At        *Moment `json:"t"`
	Owner     string  `json:"owner"`
	Truth     *Truth  `json:"truth"`
}

func (l pollLine) poll() (Poll, error) {
	var n need
	p := Poll{At: needed(&n, "t", l.At), Restart: l.Restart}
	for _, x := range l.Logs {
		p.Logs = append(p.Logs, Log{
			Topic: x.Topic, Partition: needed(&n, "partition", x.Partition),
			Start: needed(&n, "start", x.Start), End: needed(&n, "end", x.End), At: needed(&n, "t", x.At),
		})
	}
	for _, x := range l.Positions {
		p.Positions = append(p.Positions, Position{
			Group: x.Group, Topic: x.Topic, Partition: needed(&n, "partition", x.Partition),
			Committed: needed(&n, "committed", x.Committed), At: needed(&n, "t", x.At), Owner: x.Owner, Truth: x.Truth,
		})
	}
	return p, n.err
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
