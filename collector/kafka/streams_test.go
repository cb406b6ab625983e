package kafka

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// streamsGroup is a word count: subtopology 0 reads lines and sends words to
// itself, subtopology 1 counts them.
func streamsGroup(members ...kmsg.StreamsGroupDescribeResponseGroupMember) kmsg.StreamsGroupDescribeResponseGroup {
	d := kmsg.NewStreamsGroupDescribeResponseGroup()
	d.Group, d.State, d.Epoch, d.Members = "count", "Stable", 7, members
	d.Topology = &kmsg.StreamsGroupDescribeResponseGroupTopology{
		Subtopologies: []kmsg.StreamsGroupDescribeResponseGroupTopologySubtopology{
			{SubtopologyID: "0", SourceTopics: []string{"lines", "stopwords"}, RepartitionSinkTopics: []string{"words"}},
			{SubtopologyID: "1", RepartitionSourceTopics: []kmsg.TopicInfo{{Topic: "words"}}, StateChangelogTopics: []kmsg.TopicInfo{{Topic: "counts-changelog"}}},
		},
	}
	return d
}

func thread(id string, active ...kmsg.TaskIDs) kmsg.StreamsGroupDescribeResponseGroupMember {
	m := kmsg.NewStreamsGroupDescribeResponseGroupMember()
	m.MemberID, m.ClientID, m.ClientHost = id, id+"-consumer", "/10.0.0.1"
	m.Assignment.ActiveTasks = active
	return m
}

func tasks(subtopology string, partitions ...int32) kmsg.TaskIDs {
	return kmsg.TaskIDs{SubtopologyID: subtopology, Partitions: partitions}
}

// describedStreams is what comes of a described streams group, in a cluster
// whose topic stopwords has one partition, lines four, and words is not known.
func describedStreams(t *testing.T, d kmsg.StreamsGroupDescribeResponseGroup) (*snapshot.Group, []snapshot.Problem) {
	t.Helper()
	c, err := New(Options{Brokers: []string{"localhost:9092"}})
	must(t, err)
	var m kmsg.MetadataResponse
	for name, n := range map[string]int32{"lines": 4, "stopwords": 1} {
		topic := kmsg.NewMetadataResponseTopic()
		topic.Topic = kmsg.StringPtr(name)
		for i := range n {
			p := kmsg.NewMetadataResponseTopicPartition()
			p.Partition = i
			topic.Partitions = append(topic.Partitions, p)
		}
		m.Topics = append(m.Topics, topic)
	}
	c.cluster.update(&m)
	r := newRound(c)
	g := &reading{Group: snapshot.Group{ID: d.Group, Type: snapshot.TypeStreams}}
	r.takeStreams(g, &d, &wire.Answer{})
	return &g.Group, r.sortedProblems()
}

// Who owns a partition follows from the active tasks: task p reads partition p
// of each source topic that has one. Standby and warm-up tasks own nothing.
func TestStreamsTasks(t *testing.T) {
	standby := thread("c")
	standby.Assignment.StandbyTasks = []kmsg.TaskIDs{tasks("1", 0, 1)}
	standby.Assignment.WarmupTasks = []kmsg.TaskIDs{tasks("0", 1)}
	uninitialised := streamsGroup(thread("a"))
	uninitialised.Topology, uninitialised.State = nil, "NotReady"
	for _, test := range []struct {
		name     string
		group    kmsg.StreamsGroupDescribeResponseGroup
		assigned bool
		members  []string
		problem  string
	}{
		{"two threads", streamsGroup(thread("b", tasks("0", 2, 3), tasks("1", 1)), thread("a", tasks("1", 0), tasks("0", 1, 0))), true, []string{
			"a reads [lines stopwords words] owns lines[0 1] stopwords[0] words[0]",
			"b reads [lines stopwords words] owns lines[2 3] words[1]",
		}, ""},
		{"standby and warm-up", streamsGroup(thread("a", tasks("0", 0)), standby), true, []string{
			"a reads [lines stopwords words] owns lines[0] stopwords[0]",
			"c reads [lines stopwords words] owns",
		}, ""},
		{"nobody", streamsGroup(), true, nil, ""},
		{"not initialised", uninitialised, true, []string{"a reads [] owns"}, ""},
		{"task of an unknown subtopology", streamsGroup(thread("a", tasks("2", 0)), thread("b", tasks("1", 0))), false, []string{
			"a reads [lines stopwords words] owns",
			"b reads [lines stopwords words] owns words[0]",
		}, "problem describe_groups incomplete group=count ×1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, found := describedStreams(t, test.group)
			m, known := g.Members.Get()
			if !known || m.Assigned != test.assigned || g.Generation.Or(-1) != 7 || g.ProtocolType != "streams" {
				t.Errorf("group %+v", g)
			}
			var got []string
			for _, member := range m.List {
				line := fmt.Sprintf("%s reads %v owns", member.ID, member.Subscribed)
				for _, a := range member.Assignment {
					line += fmt.Sprintf(" %s%v", a.Topic, a.Partitions)
				}
				if got = append(got, line); member.ClientID != member.ID+"-consumer" || member.Host != "10.0.0.1" {
					t.Errorf("member %+v", member)
				}
			}
			if diff := cmp.Diff(test.members, got); diff != "" {
				t.Errorf("members (-want +got):\n%s", diff)
			}
			lines := problems(&snapshot.Snapshot{Problems: found})
			if strings.Join(lines, "\n") != test.problem {
				t.Errorf("problems %q", lines)
			}
		})
	}
}

// A streams group is described by its own request, and its commits are read
// like any other group's.
func TestStreamsGroup(t *testing.T) {
	b := wiretest.Start(t)
	b.Answer(func(q wiretest.Question) wiretest.Reply {
		switch r := q.Right.(type) {
		case *kmsg.ListGroupsResponse:
			g := kmsg.NewListGroupsResponseGroup()
			g.Group, g.GroupType, g.GroupState, g.ProtocolType = "count", "Streams", "Stable", "streams"
			r.Groups = append(r.Groups, g)
		case *kmsg.StreamsGroupDescribeResponse:
			d := streamsGroup(thread("a", tasks("0", 0)))
			d.Topology.Subtopologies[0].SourceTopics = []string{"t"}
			r.Groups = append(r.Groups, d)
		case *kmsg.OffsetFetchResponse:
			p := kmsg.NewOffsetFetchResponseGroupTopicPartition()
			p.Offset = 3
			topic := kmsg.OffsetFetchResponseGroupTopic{Topic: "t", Partitions: []kmsg.OffsetFetchResponseGroupTopicPartition{p}}
			r.Groups = []kmsg.OffsetFetchResponseGroup{{Group: "count", Topics: []kmsg.OffsetFetchResponseGroupTopic{topic}}}
		}
		return q.Answer(q.Right)
	})
	client, tapped := newClient(t, Options{}, b.Addr)
	s := poll(t, client)
	if i := slices.Index(strings.Split(render(s), "\n"), "group count streams streams/ stable coordinator=0 generation=7"); i < 0 ||
		!strings.Contains(render(s), "  member a-consumer@10.0.0.1 reads [t words] owns t[0]\n  committed t 0=3\n") {
		t.Errorf("snapshot\n%s", render(s))
	}
	if n := requests(tapped.reset()); n["StreamsGroupDescribe"] != 1 || n["OffsetFetch"] != 1 || n["DescribeGroups"] != 0 {
		t.Errorf("requests %v", n)
	}
}
