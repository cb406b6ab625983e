package configs

import (
	"maps"
	"regexp"
)

// Conditions says when the conditions of some groups hold, which say why a group lags.
type Conditions struct {
	// Groups is an RE2 pattern that has to match the whole group id.
	Groups string `mapstructure:"groups"`
	// Thresholds has each key of conditions[] beside groups: a time.Duration, an int
	// or a float64, as the key's type is. One that Load returned lacks none.
	Thresholds map[string]any `mapstructure:",remain"`

	pattern *regexp.Regexp // Groups compiled by Load, nil in one built by hand
}

// Equal compares what the keys say. How they were made plays no part.
func (c Conditions) Equal(d Conditions) bool {
	return c.Groups == d.Groups && maps.Equal(c.Thresholds, d.Thresholds)
}

// ConditionsFor returns the first entry whose pattern matches the whole group id, nil
// where none does: then every threshold has its default. Any number of goroutines may
// call it.
func (c *Config) ConditionsFor(group string) *Conditions {
	for i := range c.Conditions {
		if o := &c.Conditions[i]; matchesWhole(o.pattern, o.Groups, group) {
			return o
		}
	}
	return nil
}

// conditionKeys are those of conditions. What the thresholds are for, and why they are
// what they are, stands with the conditions.
func conditionKeys() []Key {
	keys := []Key{
		{Path: "behind", Type: TypeDuration, Default: "30s", Min: "0s",
			Help: "lag age from which a group counts as behind on a partition"},
		{Path: "at_risk", Type: TypeDuration, Default: "1h", Min: "0s",
			Help: "data_at_risk: how soon retention must be about to delete unread records"},
		{Path: "window", Type: TypeDuration, Default: "10m", Min: "1m", Max: "30m",
			Help: "how far back losses, rewinds and rebalances count"},
		{Path: "settle", Type: TypeDuration, Default: "1m", Min: "0s",
			Help: "for how long a group never seen to keep up is watched before it is said why it falls behind"},
		{Path: "held_back", Type: TypeDuration, Default: "5m", Min: "0s",
			Help: "open_transaction: for how long the last stable offset must have stood still"},
		{Path: "never_committed", Type: TypeDuration, Default: "1m", Min: "0s",
			Help: "never_committed: for how long partitions must have been assigned without a commit"},
		{Path: "abandoned", Type: TypeDuration, Default: "10m", Min: "0s",
			Help: "abandoned_topic: for how long a topic that nobody subscribes to must be without a commit"},
		{Path: "gone", Type: TypeDuration, Default: "30s", Min: "0s",
			Help: "no_consumers: for how long a group must be without a member and without a commit, at least; for batch jobs the time between two runs"},
		{Path: "silence", Type: TypeDuration, Default: "12m", Min: "0s",
			Help: "no_consumers: for how long a group that never had members must be without a commit, while no pause is known to be usual"},
		{Path: "pause", Type: TypeNumber, Default: "1.2", Min: "1",
			Help: "how many times its usual pause between commits makes a partition count as stopped"},
		{Path: "stalled", Type: TypeDuration, Default: "1m", Min: "0s",
			Help: "for how long such a partition must be silent at least"},
		{Path: "unstable", Type: TypeDuration, Default: "1m", Min: "0s",
			Help: "rebalancing: for how long a rebalance must be going on"},
		{Path: "unstable_window", Type: TypeDuration, Default: "1m30s", Min: "0s",
			Help: "rebalancing: for how much of the window the group must have been unstable"},
		{Path: "moved", Type: TypeInt, Default: "10", Min: "1",
			Help: "rebalancing: how many partitions must have moved in the window"},
		{Path: "moved_per_partition", Type: TypeNumber, Default: "4", Min: "1",
			Help: "rebalancing: how often each partition must have moved in the window, on average"},
		{Path: "hot", Type: TypeNumber, Default: "2", Min: "1",
			Help: "hot_partition: how many times the median arrivals of its topic a partition must take"},
		{Path: "slower", Type: TypeNumber, Default: "0.05", Min: "0",
			Help: "slow_member and slow_dependency: by which part the drain per member must have fallen"},
		{Path: "grown", Type: TypeNumber, Default: "0.25", Min: "0",
			Help: "slow_dependency: by which part arrivals may have grown and still count as what they were"},
		{Path: "enter", Type: TypeInt, Default: "2", Min: "1", Max: "100",
			Help: "in how many polls in succession a condition must hold before it is shown"},
		{Path: "enter_unowned", Type: TypeInt, Default: "3", Min: "1", Max: "100",
			Help: "the same of unowned_partitions"},
		{Path: "leave", Type: TypeInt, Default: "3", Min: "1", Max: "100",
			Help: "in how many polls in succession it must not hold before it is no longer shown"},
		{Path: "switch", Type: TypeInt, Default: "6", Min: "1", Max: "100",
			Help: "the same where another reason for the same trouble holds in its place"},
		{Path: "keep", Type: TypeInt, Default: "3", Min: "0", Max: "100",
			Help: "for how many polls in which it cannot be evaluated the last verdict stands"},
	}
	for i := range keys {
		keys[i].Path = "conditions[]." + keys[i].Path
	}
	return append([]Key{
		{Path: "conditions", Type: TypeList, Help: "when conditions hold; the first that matches a group counts"},
		{Path: "conditions[].groups", Type: TypePattern,
			Help: "RE2 pattern that matches the whole group id"},
	}, keys...)
}
