package configs

import (
	"cmp"
	"regexp"
	"slices"
)

// Filter says which names to keep: those that an Include pattern matches, or
// all where there is none, without those that an Exclude pattern matches.
// Patterns are RE2 and match whole names.
type Filter struct {
	Include []string `mapstructure:"include"`
	Exclude []string `mapstructure:"exclude"`

	include, exclude []*regexp.Regexp // compiled by Load, nil in one built by hand
}

// Equal compares the patterns. How the filters were made plays no part.
func (f Filter) Equal(g Filter) bool {
	return slices.Equal(f.Include, g.Include) && slices.Equal(f.Exclude, g.Exclude)
}

// keep works on a filter built by hand as well, but compiles at every call
// then; a pattern that does not compile matches nothing.
func (f Filter) keep(name string) bool {
	if len(f.include) != len(f.Include) || len(f.exclude) != len(f.Exclude) {
		_ = f.compile()
	}
	matches := func(re *regexp.Regexp) bool { return re != nil && re.MatchString(name) }
	return (len(f.include) == 0 || slices.ContainsFunc(f.include, matches)) && !slices.ContainsFunc(f.exclude, matches)
}

// compile readies the patterns and returns the first error.
func (f *Filter) compile() error {
	var errInclude, errExclude error
	f.include, errInclude = wholePatterns(f.Include)
	f.exclude, errExclude = wholePatterns(f.Exclude)
	return cmp.Or(errInclude, errExclude)
}

// wholePatterns returns a nil for each pattern that does not compile, and the
// first error.
func wholePatterns(patterns []string) ([]*regexp.Regexp, error) {
	var out []*regexp.Regexp
	var first error
	for _, p := range patterns {
		re, err := wholePattern(p)
		out, first = append(out, re), cmp.Or(first, err)
	}
	return out, first
}

// Isolation says how the groups that a pattern matches read.
type Isolation struct {
	// Groups is an RE2 pattern that has to match the whole group id.
	Groups string `mapstructure:"groups"`
	// Level is read_committed or read_uncommitted.
	Level string `mapstructure:"level"`

	pattern *regexp.Regexp // Groups compiled by Load, nil in one built by hand
}

// Equal compares pattern and level. How they were made plays no part.
func (i Isolation) Equal(j Isolation) bool { return i.Groups == j.Groups && i.Level == j.Level }

// KeepGroup tells whether a group is to be watched. Any number of goroutines
// may call it.
func (c *Cluster) KeepGroup(name string) bool { return c.Groups.keep(name) }

// KeepTopic tells whether a topic is to be watched. Any number of goroutines
// may call it.
func (c *Cluster) KeepTopic(name string) bool { return c.Topics.keep(name) }

// ReadCommitted tells whether a group reads committed records only, by the
// first pattern that matches it; where none does, it doesn't. Any number of
// goroutines may call it.
func (c *Cluster) ReadCommitted(group string) bool {
	for _, i := range c.Isolation {
		if matchesWhole(i.pattern, i.Groups, group) {
			return i.Level == "read_committed"
		}
	}
	return false
}

// matchesWhole uses the compiled pattern where there is one.
func matchesWhole(re *regexp.Regexp, pattern, name string) bool {
	if re == nil {
		var err error
		if re, err = wholePattern(pattern); err != nil {
			return false
		}
	}
	return re.MatchString(name)
}
