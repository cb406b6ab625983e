package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/words"
)

// outages are the conditions in which a group does not read, or does not keep up. While
// it is not known whether one of them holds, nobody can say that all is well.
var outages = []string{
	"unreadable", "never_committed", "no_consumers", "rebalancing", "unowned_partitions", "stalled_group", "stalled_member",
	"stalled_partition", "hot_partition", "slow_member", "slow_dependency", "under_capacity",
}

// Doubt says in a line why it is not known whether anything is wrong with a group; "" where
// it is known, or a condition holds.
func Doubt(d *document.Group) string {
	if text := doubt(d); text != "" && !Holds(d) {
		return words.Printable(d.Group) + ": " + text
	}
	return ""
}

func doubt(d *document.Group) string {
	undecided := doubts(d)
	switch {
	case d.At == nil:
		return "its cluster has not been read yet"
	case !d.Up:
		return "its cluster could not be read in the last poll"
	case late(d):
		return "the last poll was " + lasted(*d.AgeSeconds) + " ago"
	case !evaluated(d):
		return "nothing can be said of it yet"
	case len(undecided) > 0:
		return "not known yet: " + strings.Join(undecided, ", ")
	}
	return ""
}

// late tells whether polls have stopped to come.
func late(d *document.Group) bool {
	return d.AgeSeconds != nil && *d.AgeSeconds > 3*d.IntervalSeconds
}

// evaluated tells whether anything is known of any condition.
func evaluated(d *document.Group) bool {
	for _, verdict := range d.Verdicts {
		if verdict == "clear" {
			return true
		}
	}
	return false
}

// doubts are those outages of which it is not known whether they hold: they cannot be
// evaluated, or the group was watched for too short a time for them to begin.
func doubts(d *document.Group) (names []string) {
	for _, name := range outages {
		begins := name == "no_consumers" && deserted(d) || name == "never_committed" && unplaced(d)
		if verdict := d.Verdicts[name]; verdict == "unknown" || begins && verdict == "clear" {
			names = append(names, name)
		}
	}
	return names
}

// deserted tells whether nobody is a member, and it is not known how fast what is unread
// is read: nobody has been seen to commit for long enough, or not to.
func deserted(d *document.Group) bool {
	return d.Members != nil && len(d.Members) == 0 && unsure(d.Lag, &d.Estimates)
}

// unsure tells whether something is unread and it is not known when it will be read.
func unsure(lag *int64, e *document.Estimates) bool {
	return lag != nil && *lag > 0 && e.Drain.State == document.DrainUnknown
}

// Silent tells whether something is unread, and nothing was seen to be committed: whether
// that is usual takes twelve minutes to be known, and no condition says so before.
func Silent(d *document.GroupPartitions) bool {
	committed := slices.ContainsFunc(d.Partitions, func(p document.Partition) bool { return p.CommitAge != nil })
	return d.Lag != nil && *d.Lag > 0 && !committed
}

// unplaced tells whether there are members, and something to read, and no committed
// position anywhere.
func unplaced(d *document.Group) bool {
	available := int64(0)
	for i := range d.Topics {
		t := &d.Topics[i]
		for state, n := range t.States {
			if state != "uncommitted" && n > 0 {
				return false
			}
		}
		if t.Available != nil {
			available += *t.Available
		}
	}
	return len(d.Members) > 0 && available > 0
}

// Doubts says why it is not known whether anything is wrong with the groups of a list, of
// which no condition holds; "" where it is known, or a condition holds. The list is the
// first part of one that [Client.Groups] returned; the others are asked for. deep also asks
// for each group on its own, which tells more, and is too much for a lagwatch elsewhere.
func (c *Client) Doubts(ctx context.Context, d *document.Groups, cluster string, deep bool) (string, error) {
	if AnyHolds(d) {
		return "", nil
	}
	for i := range d.Clusters {
		if note := blindness(&d.Clusters[i]); note != "" {
			return note, nil // why is in the answer
		}
	}
	var names []string
	for seen := 0; ; {
		list, err := c.unsureOf(ctx, d, deep)
		if err != nil {
			return "", err
		}
		names = append(names, list...)
		if seen += len(d.Groups); len(d.Groups) == 0 || seen >= d.Total {
			break
		}
		if d, _, err = c.part(ctx, cluster, seen); err != nil {
			return "", err
		}
	}
	if len(names) > 0 {
		return "not known yet of " + some(names), nil
	}
	return "", nil
}

// unsureOf are groups of which no condition holds, and it is not known whether one does.
func (c *Client) unsureOf(ctx context.Context, d *document.Groups, deep bool) (names []string, err error) {
	for i := range d.Groups {
		s := &d.Groups[i]
		doubt := unsureSummary(s)
		if deep && !doubt {
			g, _, err := c.Group(ctx, s.Group, s.Cluster)
			if err != nil {
				return nil, err
			}
			doubt = Doubt(&g.Group) != ""
		}
		if doubt {
			names = append(names, s.Group)
		}
	}
	return names, nil
}

func unsureSummary(s *document.Summary) bool {
	return len(s.Conditions) == 0 && unsure(s.Lag, &s.Estimates)
}

// blindness says that nothing is known of a cluster, or of its present; "" where it is.
func blindness(c *document.ClusterMoment) string {
	switch {
	case c.At == nil:
		return words.Printable(c.Cluster) + " has not been read yet"
	case !c.Up:
		return words.Printable(c.Cluster) + " could not be read in the last poll"
	}
	return ""
}

// some are a few names, and how many more there are.
func some(names []string) string {
	const most = 5
	text := list(names[:min(most, len(names))])
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
