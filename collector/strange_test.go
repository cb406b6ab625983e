package collector

import (
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// strangeNames are pairs of what Kafka may have and what the label shows.
var strangeNames = map[string]string{
	"ordinary": "ordinary", "": "", "a\"b'c\n\td": "a\"b'c\n\td", `C:\temp`: `C:\temp`, `a\\b`: `a\\b`, "a\\": "a\\",
	"заказы-🦀": "заказы-🦀", "a\x00b": "a\x00b", "a\ufffdb": "a\ufffdb", "a\xffb": `a\xffb`, `a\xffb`: `a\x5cxffb`,
	"\\\xff": `\\xff`, `\\xff`: `\\x5cxff`, "\\x\xff": `\x\xff`, `\x5cxff`: `\x5cx5cxff`,
}

// Kafka puts no limit on the names of groups and clients: a page with the worst
// of them can be read by Prometheus, and no two become one.
func TestStrangeNames(t *testing.T) {
	var all []part
	for name := range strangeNames {
		m := snapshot.Member{ID: "m", ClientID: name, Host: name, Assignment: []snapshot.TopicPartitions{owns(name, 0)}}
		all = append(all, logOf(name, 1, ends(0, 10)), groupOf(name, members(m), commits(on(name, 4))))
	}
	families := parse(t, pageOf(t, newStory().poll(0, all...)))
	for _, family := range []string{"lagwatch_group_partition_lag", "lagwatch_group_partition_owner", "lagwatch_group_lag", "lagwatch_partition_end_offset"} {
		seen := map[string]bool{}
		for _, m := range families[family].GetMetric() {
			for _, l := range m.Label {
				if l.GetName() == "group" || l.GetName() == "topic" || l.GetName() == "client_id" {
					seen[l.GetValue()] = true
				}
			}
		}
		for name, shown := range strangeNames {
			if !seen[shown] {
				t.Errorf("%s: %q is not shown as %q", family, name, shown)
			}
		}
		if n := len(families[family].GetMetric()); n != len(strangeNames) {
			t.Errorf("%s: %d series of %d names", family, n, len(strangeNames))
		}
	}
}
