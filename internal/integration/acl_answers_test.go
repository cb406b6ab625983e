//go:build !breaking && !soak

package integration

import (
	"maps"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// answers are what Kafka says to each request of lagwatch's: the names that are
// in the answer, with their error codes behind a "!".
type answers map[string]string

// answers asks everything.
func (a asker) answers() answers {
	a.t.Helper()
	return answers{
		"Metadata, all":                      a.metadata(nil),
		"Metadata, by name":                  a.metadata(askedBoth()),
		"ListGroups":                         a.listGroups(),
		"DescribeGroups":                     a.describeClassic(askedGroups+"classic", askedOther),
		"ConsumerGroupDescribe":              a.describeConsumer(askedGroups + "consumer"),
		"ShareGroupDescribe":                 a.describeShare(askedGroups + "share"),
		"StreamsGroupDescribe":               a.describeStreams(askedGroups + "streams"),
		"OffsetFetch, all topics":            a.offsetFetch(nil, askedGroups+"classic", askedOther),
		"OffsetFetch, by name":               a.offsetFetch(askedBoth(), askedGroups+"classic"),
		"DescribeShareGroupOffsets, all":     a.shareOffsets(nil, askedGroups+"share"),
		"DescribeShareGroupOffsets, by name": a.shareOffsets(askedBoth(), askedGroups+"share"),
		"ListOffsets":                        a.listOffsets(askedBoth()...),
		"DescribeConfigs":                    a.describeConfigs(askedBoth()...),
	}
}

// What Kafka answers where a permission is missing. The way lagwatch reads and
// docs/permissions.md rest on it.
func kafkaAnswers(s *secured) {
	hidden := refuse("GROUP", askedGroups)
	hidden.Prefixed = true
	for _, test := range []struct {
		user   string
		grants []testkafka.ACL
		want   answers
	}{
		{"everything", []testkafka.ACL{theCluster, allGroups, allTopics, allSettings}, permitted(nil)},
		// Listing is allowed by either permission, and all else is not asked
		// about the cluster.
		{"no-cluster", []testkafka.ACL{allGroups, allTopics, allSettings}, permitted(nil)},
		{"no-configs", []testkafka.ACL{allGroups, allTopics}, permitted(answers{
			"DescribeConfigs": "asked-hidden!29 asked-seen!29",
		})},
		{"no-group", []testkafka.ACL{theCluster, allGroups, hidden, allTopics, allSettings}, permitted(refusedGroups)},
		{"no-group-no-cluster", []testkafka.ACL{allGroups, hidden, allTopics, allSettings}, permitted(refusedGroups, answers{
			"ListGroups": "asked-other asked-seen-only",
		})},
		{"no-topic", []testkafka.ACL{theCluster, allGroups, allTopics, refuse("TOPIC", askedHidden)}, permitted(answers{
			"Metadata, all":                      "asked-seen",
			"Metadata, by name":                  "asked-hidden!29 asked-seen",
			"ListOffsets":                        "asked-hidden!29 asked-seen",
			"DescribeConfigs":                    "asked-hidden!29 asked-seen!29",
			"ConsumerGroupDescribe":              "asked-both-consumer!29",
			"ShareGroupDescribe":                 "asked-both-share!29",
			"StreamsGroupDescribe":               "asked-both-streams!29",
			"OffsetFetch, all topics":            "asked-both-classic asked-both-classic/asked-seen asked-other asked-other/asked-seen",
			"OffsetFetch, by name":               "asked-both-classic asked-both-classic/asked-hidden!29 asked-both-classic/asked-seen",
			"DescribeShareGroupOffsets, all":     "asked-both-share asked-both-share/asked-seen",
			"DescribeShareGroupOffsets, by name": "asked-both-share asked-both-share/asked-hidden!29 asked-both-share/asked-seen",
		})},
		{"nothing", nil, permitted(refusedGroups, answers{
			"ListGroups":              "",
			"DescribeGroups":          "asked-both-classic!30 asked-other!30",
			"OffsetFetch, all topics": "asked-both-classic!30 asked-other!30",
			"Metadata, all":           "",
			"Metadata, by name":       "asked-hidden!29 asked-seen!29",
			"ListOffsets":             "asked-hidden!29 asked-seen!29",
			"DescribeConfigs":         "asked-hidden!29 asked-seen!29",
		})},
	} {
		s.allow(test.user, test.grants...)
		s.askAs(test.user).await(test.user, test.want)
	}
}

// await asks until all answers are as they should be: brokers learn of
// permissions in their own time.
func (a asker) await(user string, want answers) {
	a.t.Helper()
	difference := ""
	defer func() {
		if difference != "" {
			a.t.Logf("%s (-want +got):\n%s", user, difference)
		}
	}()
	await.Until(a.t, 30*time.Second, "the answers to "+user, func() bool {
		difference = cmp.Diff(want, a.answers())
		return difference == ""
	})
}

// permitted are the answers to someone who may do everything, but for some.
func permitted(but ...answers) answers {
	all := answers{
		"Metadata, all":                      "asked-hidden asked-seen",
		"Metadata, by name":                  "asked-hidden asked-seen",
		"ListGroups":                         "asked-both-classic asked-both-consumer asked-both-share asked-both-streams asked-other asked-seen-only",
		"DescribeGroups":                     "asked-both-classic(1) asked-other",
		"ConsumerGroupDescribe":              "asked-both-consumer(1)",
		"ShareGroupDescribe":                 "asked-both-share(1)",
		"StreamsGroupDescribe":               "asked-both-streams(1)",
		"OffsetFetch, all topics":            "asked-both-classic asked-both-classic/asked-hidden asked-both-classic/asked-seen asked-other asked-other/asked-hidden asked-other/asked-seen",
		"OffsetFetch, by name":               "asked-both-classic asked-both-classic/asked-hidden asked-both-classic/asked-seen",
		"DescribeShareGroupOffsets, all":     "asked-both-share asked-both-share/asked-hidden asked-both-share/asked-seen",
		"DescribeShareGroupOffsets, by name": "asked-both-share asked-both-share/asked-hidden asked-both-share/asked-seen",
		"ListOffsets":                        "asked-hidden asked-seen",
		"DescribeConfigs":                    "asked-hidden asked-seen",
	}
	for _, some := range but {
		maps.Copy(all, some)
	}
	return all
}

// refusedGroups are the answers to someone who may not see the groups named
// asked-both-….
var refusedGroups = answers{
	"DescribeGroups":                     "asked-both-classic!30 asked-other",
	"ConsumerGroupDescribe":              "asked-both-consumer!30",
	"ShareGroupDescribe":                 "asked-both-share!30",
	"StreamsGroupDescribe":               "asked-both-streams!30",
	"OffsetFetch, all topics":            "asked-both-classic!30 asked-other asked-other/asked-hidden asked-other/asked-seen",
	"OffsetFetch, by name":               "asked-both-classic!30",
	"DescribeShareGroupOffsets, all":     "asked-both-share!30",
	"DescribeShareGroupOffsets, by name": "asked-both-share!30",
}
