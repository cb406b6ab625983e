package configs

import (
	"regexp"
	"slices"
)

// Metrics says what is published of a cluster: families beyond the default
// ones or short of them, and how far down the series of groups go. The zero
// value is the default families in full, without a limit.
type Metrics struct {
	// Include and Exclude are RE2 patterns that have to match whole names of
	// families; see [Cluster.Publishes].
	Include []string `mapstructure:"include"`
	Exclude []string `mapstructure:"exclude"`
	// Detail is group, topic or partition. Empty, in one built by hand, is
	// partition.
	Detail string `mapstructure:"detail"`
	// MaxSeries is the number of series above which groups with the least lag
	// are to be shown in less detail. 0 is no limit; never negative.
	MaxSeries int `mapstructure:"max_series"`
	// ByGroup entries are tried in order, and the first whose pattern matches
	// a group is the only one that counts for it.
	ByGroup []GroupMetrics `mapstructure:"by_group"`

	lists familyLists
}

// GroupMetrics is what the groups that a pattern matches have of their own.
type GroupMetrics struct {
	// Groups is an RE2 pattern that has to match the whole group id.
	Groups string `mapstructure:"groups"`
	// Detail is group, topic or partition, or empty for that of the cluster.
	Detail string `mapstructure:"detail"`
	// Include and Exclude come before those of the cluster.
	Include []string `mapstructure:"include"`
	Exclude []string `mapstructure:"exclude"`

	pattern *regexp.Regexp // Groups compiled by Load, nil in one built by hand
	lists   familyLists
}

// Equal compares what the keys say. How they were made plays no part.
func (m Metrics) Equal(n Metrics) bool {
	return slices.Equal(m.Include, n.Include) && slices.Equal(m.Exclude, n.Exclude) &&
		m.Detail == n.Detail && m.MaxSeries == n.MaxSeries &&
		slices.EqualFunc(m.ByGroup, n.ByGroup, GroupMetrics.Equal)
}

// Equal compares what the keys say. How they were made plays no part.
func (g GroupMetrics) Equal(h GroupMetrics) bool {
	return g.Groups == h.Groups && g.Detail == h.Detail &&
		slices.Equal(g.Include, h.Include) && slices.Equal(g.Exclude, h.Exclude)
}

// DetailFor tells how far down the series of a group go: "group", "topic" or
// "partition". What is below that is not to be shown, whatever
// [Cluster.Publishes] says of the family. It knows nothing of MaxSeries. Any
// number of goroutines may call it.
func (c *Cluster) DetailFor(group string) string {
	if g := c.Metrics.of(group); g != nil && g.Detail != "" {
		return g.Detail
	}
	if c.Metrics.Detail != "" {
		return c.Metrics.Detail
	}
	return "partition"
}

// Publishes tells whether a family is to be shown for a group. The family is
// named without lagwatch_, and group is empty for families that are not of a
// group. byDefault tells whether the family is one of the default ones.
//
// What the entry says that matches the group comes before what the cluster
// says: whoever writes a pattern for few groups knows of that for all. At each
// of the two, exclude comes before include, as for groups and topics, so that
// one family can be left out of a pattern for many. Where nobody says
// anything, byDefault stands. Detail plays no part in it.
//
// The empty group id, which old clients could commit for (KIP-289), has no entry here and in
// [Cluster.DetailFor]. Any number of goroutines may call it. Each call tries
// patterns: ask once per group and family, not for each series.
func (c *Cluster) Publishes(group, family string, byDefault bool) bool {
	m := &c.Metrics
	if g := m.of(group); g != nil {
		if says, ok := decide(g.Include, g.Exclude, g.lists, family); ok {
			return says
		}
	}
	if says, ok := decide(m.Include, m.Exclude, m.lists, family); ok {
		return says
	}
	return byDefault
}

// decide tells what one level says of a family, and whether it says anything.
func decide(include, exclude []string, l familyLists, family string) (says, ok bool) {
	switch {
	case l.exclude.match(exclude, family):
		return false, true
	case l.include.match(include, family):
		return true, true
	}
	return false, false
}

// Unmatched returns the first pattern of include and exclude that matches none
// of the families, which are named without lagwatch_; ok is false where there
// is none. Those of by_group can match families of groups only. Key names its place as the errors of [Load] do: file, line and
// path, variable or flag. In a cluster built by hand it is the path alone.
//
// It is for whoever knows all families to refuse a name that is written
// wrongly, which would otherwise show or hide nothing without a word.
func (c *Cluster) Unmatched(families, ofGroups []string) (key, pattern string, ok bool) {
	m := &c.Metrics
	if key, pattern, ok = unmatched(m.Include, m.Exclude, m.lists, "metrics", families); ok {
		return key, pattern, true
	}
	for i, g := range m.ByGroup {
		if key, pattern, ok = unmatched(g.Include, g.Exclude, g.lists, index("metrics.by_group", i), ofGroups); ok {
			return key, pattern, true
		}
	}
	return "", "", false
}

func unmatched(include, exclude []string, l familyLists, path string, families []string) (key, pattern string, ok bool) {
	if i := l.include.idle(include, families); i >= 0 {
		return l.include.place(path+".include", i), include[i], true
	}
	if i := l.exclude.idle(exclude, families); i >= 0 {
		return l.exclude.place(path+".exclude", i), exclude[i], true
	}
	return "", "", false
}

// of returns the entry that counts for a group, or nil.
func (m *Metrics) of(group string) *GroupMetrics {
	if group == "" {
		return nil
	}
	for i := range m.ByGroup {
		if g := &m.ByGroup[i]; matchesWhole(g.pattern, g.Groups, group) {
			return g
		}
	}
	return nil
}
