package trace

import (
	"errors"
	"fmt"
	"math"
)

func (f firstLine) check() error {
	switch {
	case f.Format != format:
		return fmt.Errorf("the format is %q, not %q: is this a trace?", f.Format, format)
	case f.Version != version:
		return fmt.Errorf("the version is %d; this reads version %d", f.Version, version)
	case f.Times != times:
		return fmt.Errorf("times are in %q, and have to be in %q", f.Times, times)
	case f.Offsets != offsets:
		return fmt.Errorf("offsets are %q, and have to be %q in the log", f.Offsets, offsets)
	case f.Interval <= 0:
		return errors.New("the interval has to be more than 0 seconds")
	}
	return nil
}

// checker holds polls to what a trace promises.
type checker struct {
	any  bool
	last Moment // of what was read
}

type place struct {
	topic     string
	partition int32
}

type pair struct {
	group string
	place
}

func (c *checker) poll(p Poll) error {
	if c.any && p.At <= c.last {
		return fmt.Errorf("the poll is of %g s, and what was read before it of %g s: polls go on in time", p.At.Seconds(), c.last.Seconds())
	}
	c.any, c.last = true, p.At
	logs := map[place]Log{}
	for _, l := range p.Logs {
		at := place{l.Topic, l.Partition}
		if _, twice := logs[at]; twice {
			return fmt.Errorf("the log of %s is there twice", at)
		}
		if err := l.check(p); err != nil {
			return fmt.Errorf("the log of %s: %w", at, err)
		}
		logs[at] = l
		c.last = max(c.last, l.At)
	}
	seen := map[pair]bool{}
	for _, x := range p.Positions {
		of := pair{x.Group, place{x.Topic, x.Partition}}
		if seen[of] {
			return fmt.Errorf("the position of %s is there twice", of)
		}
		seen[of] = true
		log, read := logs[of.place]
		if !read {
			return fmt.Errorf("the position of %s has no log in the same poll: leave it out too", of)
		}
		if err := x.check(p, log); err != nil {
			return fmt.Errorf("the position of %s: %w", of, err)
		}
	}
	return nil
}

func (l Log) check(p Poll) error {
	switch {
	case l.Topic == "":
		return errors.New("there is no topic")
	case l.Partition < 0:
		return errors.New("a partition is 0 or more")
	case l.Start < 0 || l.End < l.Start:
		return fmt.Errorf("it goes from %d to %d", l.Start, l.End)
	case l.At < p.At:
		return fmt.Errorf("it was read at %g s, before the poll", l.At.Seconds())
	}
	return nil
}

func (x Position) check(p Poll, l Log) error {
	switch {
	case x.Group == "":
		return errors.New("there is no group")
	case x.Committed < 0:
		return fmt.Errorf("%d is committed; leave out what is not", x.Committed)
	case x.At < p.At || x.At > l.At:
		return fmt.Errorf("it was read at %g s; it has to be after the poll began and before the end was read, at %g s", x.At.Seconds(), l.At.Seconds())
	case x.Truth != nil:
		return x.Truth.check()
	}
	return nil
}

func (t Truth) check() error {
	for _, v := range []float64{t.Arrival, t.Drain, t.Age, t.Gap} {
		if v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
			return errors.New("a number of its truth is below 0")
		}
	}
	if t.CommitAge != nil && *t.CommitAge < 0 {
		return errors.New("the commit age of its truth is below 0")
	}
	if t.Polls < 0 || t.Commits < 0 {
		return errors.New("a count of its truth is below 0")
	}
	return nil
}

func (p place) String() string { return fmt.Sprintf("topic %q, partition %d", p.topic, p.partition) }
func (p pair) String() string  { return fmt.Sprintf("group %q, %s", p.group, p.place) }
