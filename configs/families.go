package configs

import (
	"regexp"
	"slices"
	"strings"
)

// familyPrefix begins the names of all families on the page; configs may leave
// it out.
const familyPrefix = "lagwatch_"

// familyLists is what [Load] knows of an include and an exclude.
type familyLists struct{ include, exclude familyList }

// familyList is what [Load] knows of a list of patterns. The zero value is that
// of a list that was made by hand.
type familyList struct {
	compiled []*regexp.Regexp
	from     origin
}

// match tells whether one of the list's patterns matches a family. It compiles
// them at every call where Load did not; one that does not compile matches
// nothing.
func (l familyList) match(patterns []string, family string) bool {
	for i := range patterns {
		if l.matchOne(patterns, i, family) {
			return true
		}
	}
	return false
}

// matchOne holds a pattern against the name with the prefix only where the
// pattern mentions it: .*_up is meant for broker_up, not for lagwatch_up.
func (l familyList) matchOne(patterns []string, i int, family string) bool {
	var re *regexp.Regexp
	if len(l.compiled) == len(patterns) {
		re = l.compiled[i]
	}
	return matchesWhole(re, patterns[i], family) ||
		strings.Contains(patterns[i], familyPrefix) && matchesWhole(re, patterns[i], familyPrefix+family)
}

// idle returns the index of the first pattern that matches none of the
// families, or -1.
func (l familyList) idle(patterns, families []string) int {
	for i := range patterns {
		if !slices.ContainsFunc(families, func(f string) bool { return l.matchOne(patterns, i, f) }) {
			return i
		}
	}
	return -1
}

// place names a pattern of the list; path is what to call the list where it
// was made by hand. Variables and flags have no index: their list is short, and
// not written as one.
func (l familyList) place(path string, i int) string {
	switch l.from.source {
	case fromDefault:
		return index(path, i)
	case fromFile:
		return index(l.from.text, i)
	case fromEnv, fromFlag:
	}
	return l.from.text
}

// metrics readies the patterns of a cluster's metrics, which the layers have
// checked already, and remembers where they stand.
func (l *loader) metrics(m *Metrics, cluster int) {
	m.lists = l.familyLists(m.Include, m.Exclude, cluster, "metrics")
	for i := range m.ByGroup {
		g, at := &m.ByGroup[i], index("metrics.by_group", i)
		g.pattern = l.pattern(g.Groups, l.ofCluster(cluster, at))
		g.lists = l.familyLists(g.Include, g.Exclude, cluster, at)
	}
}

func (l *loader) familyLists(include, exclude []string, cluster int, path string) familyLists {
	list := func(patterns []string, name string) familyList {
		from := l.ofCluster(cluster, path+"."+name)
		compiled, err := wholePatterns(patterns)
		if err != nil {
			l.bad.add(from.text, err)
		}
		return familyList{compiled, from}
	}
	return familyLists{list(include, "include"), list(exclude, "exclude")}
}
