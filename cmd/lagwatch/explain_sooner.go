package main

import (
	"fmt"
	"time"

	"github.com/lagwatch/lagwatch/configs"
)

// hasty are the thresholds of what has to last for a while until it is said. Of a short
// watch they are a part, or it could not find what they are for.
var hasty = []string{"behind", "gone", "never_committed", "settle", "stalled"}

// leastPatience is no less than it takes to tell a fault from the usual pause between two
// commits: clients commit every five seconds by default.
const leastPatience = 10 * time.Second

// hasten lowers those thresholds that a watch of so long could not reach to a third of it,
// but for what the config sets otherwise. It returns to what, 0 where it lowered none.
// Start offsets are read in each poll: members soon pass over what retention removed, and
// then nothing shows that it was unread.
func hasten(c *configs.Config, long time.Duration) time.Duration {
	limit := max(leastPatience, long/3)
	for i := range c.Clusters {
		c.Clusters[i].StartOffsetInterval = min(c.Clusters[i].StartOffsetInterval, c.Clusters[i].Interval)
	}
	usual, sooner := map[string]time.Duration{}, map[string]any{}
	for _, name := range hasty {
		if usual[name] = usualThreshold(name); usual[name] > limit {
			sooner[name] = limit
		}
	}
	if len(sooner) == 0 {
		return 0
	}
	for i := range c.Conditions {
		set := c.Conditions[i].Thresholds
		for name := range sooner {
			if set[name] == usual[name] {
				set[name] = limit
			}
		}
	}
	c.Conditions = append(c.Conditions, configs.Conditions{Groups: "(?s).*", Thresholds: sooner})
	return limit
}

// usualThreshold is the default of one that is a time.
func usualThreshold(name string) time.Duration {
	for _, k := range configs.Describe() {
		if k.Path == "conditions[]."+name {
			d, _ := time.ParseDuration(k.Default)
			return d
		}
	}
	return 0
}

// limits says what such a short look cannot know, and by what it judges.
func limits(long, limit time.Duration) string {
	text := fmt.Sprintf("This is from %v of watching. ", long)
	if limit > 0 {
		text += fmt.Sprintf("What lasts for %v counts, where serve waits for up to a minute: a long pause may look like a fault. ", limit)
	}
	return text + "What was usual before, and earlier rebalances, rewinds and losses, only a running lagwatch knows (lagwatch serve, then explain without --brokers)."
}
