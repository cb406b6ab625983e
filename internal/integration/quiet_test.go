//go:build !breaking && !soak

package integration

import (
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// described is a partition of a group, as Kafka's group command tells it and as
// the page does. What one of them doesn't tell is nil, or empty.
type described struct {
	Committed, End, Lag *int64
	Owner               owner
}

// When nothing moves, the page and Kafka's own group command say the same of
// every partition: of groups of all protocols with lag and without, of one whose
// members have gone, of a partly committed one, and of one without commits.
func TestQuietEqualsGroupCommand(t *testing.T) {
	k := useKafka(t)
	const topic, partitions = "quiet", 4
	k.topic(topic, partitions)
	k.produce(topic, -1, 400)
	groups := k.loadedGroups(topic, 2, partitions)
	k.caughtUp(topic, groups...)
	groups = append(groups, k.stuckMembers(topic), k.leftBehind(topic), k.partlyCommitted(topic), k.neverCommitted(topic))
	k.produce(topic, 0, 7)
	k.caughtUp(topic, groups[:3]...)

	want := k.describe(groups)
	l := k.lagwatch()
	p := awaitEqual(t, l, 10*time.Second, "the page to agree with the group command", want, func(p *page) map[string]map[testkafka.TopicPartition]described {
		return describedBy(p, topic, groups)
	})
	for group, members := range map[string]float64{
		"quiet-range": 2, "quiet-cooperative": 2, "quiet-consumer": 2, "quiet-stuck": 1, "quiet-left": 0, "quiet-partly": 0, "quiet-never": 1,
	} {
		if !p.shows(members, "lagwatch_group_members", labels{"group": group}) || !p.complete(group) {
			t.Errorf("%s: not complete, or not %v members", group, members)
		}
	}
	for _, group := range groups {
		t.Logf("%-20s %d partitions the same as in the group command, group_lag %v", group, len(want[group]), p.sum("lagwatch_group_lag", labels{"group": group}))
	}
}

// caughtUp waits until groups have committed the whole log of a topic.
func (k *kafka) caughtUp(topic string, groups ...string) {
	k.t.Helper()
	end := k.ends(topic).Value
	k.waitUntil("groups to catch up", func() bool {
		for _, committed := range k.committed(groups...).Value {
			for at := range end {
				if committed[at] != end[at] {
					return false
				}
			}
		}
		return true
	})
}

// stuckMembers makes a group whose member owns everything and has committed a
// part of it: it works for an hour on the record after that.
func (k *kafka) stuckMembers(topic string) string {
	k.t.Helper()
	const group = "quiet-stuck"
	k.consumer(testkafka.ConsumerSpec{ID: group, Group: group, Topics: []string{topic}, Protocol: testkafka.Consumer})
	k.caughtUp(topic, group)
	k.must(k.SlowConsumer(k.ctx, group, time.Hour))
	k.produce(topic, -1, 40)
	return group
}

// leftBehind makes a group with commits and lag whose members have gone.
func (k *kafka) leftBehind(topic string) string {
	k.t.Helper()
	const group = "quiet-left"
	k.consumer(testkafka.ConsumerSpec{ID: group, Group: group, Topics: []string{topic}})
	k.caughtUp(topic, group)
	k.must(k.CloseConsumer(k.ctx, group))
	k.produce(topic, -1, 20)
	return group
}

func (k *kafka) partlyCommitted(topic string) string {
	k.t.Helper()
	const group = "quiet-partly"
	k.commit(group, testkafka.Offsets{{Topic: topic, Partition: 2}: 31})
	return group
}

// neverCommitted makes a group whose member owns everything and commits nothing.
func (k *kafka) neverCommitted(topic string) string {
	k.t.Helper()
	const group = "quiet-never"
	k.consumer(testkafka.ConsumerSpec{ID: group, Group: group, Topics: []string{topic}, Commit: testkafka.CommitNever})
	k.must(k.WaitAssigned(k.ctx, group, testkafka.Spread(1, 4)))
	return group
}

// describe asks Kafka's group command.
func (k *kafka) describe(groups []string) map[string]map[testkafka.TopicPartition]described {
	k.t.Helper()
	args := []string{"--describe"}
	for _, g := range groups {
		args = append(args, "--group", g)
	}
	out, err := k.cluster.GroupCommand(k.ctx, args...)
	k.must(err)
	rows, err := testkafka.ParseGroupDescribe(out)
	k.must(err)
	all := map[string]map[testkafka.TopicPartition]described{}
	for _, row := range rows {
		if row.Partition == nil {
			k.t.Fatalf("the group command tells no partition: %+v", row)
		}
		d := described{Committed: row.Current, End: row.End, Lag: row.Lag}
		if row.ClientID != "" {
			d.Owner = owner(row.ClientID + "@" + row.Host[1:])
		}
		if all[row.Group] == nil {
			all[row.Group] = map[testkafka.TopicPartition]described{}
		}
		all[row.Group][testkafka.TopicPartition{Topic: row.Topic, Partition: *row.Partition}] = d
	}
	if len(all) != len(groups) {
		k.t.Fatalf("the group command tells of %d groups, not %d:\n%s", len(all), len(groups), out)
	}
	return all
}

// describedBy is what a page tells of groups, in the group command's terms: a
// partition without a commit and without an owner is in no row.
func describedBy(p *page, topic string, groups []string) map[string]map[testkafka.TopicPartition]described {
	ends := p.offsets(endOf, labels{"topic": topic})
	all := map[string]map[testkafka.TopicPartition]described{}
	for _, group := range groups {
		all[group] = map[testkafka.TopicPartition]described{}
		committed, lag, owners := p.groupOffsets(committedOf, group), p.groupOffsets(lagOf, group), p.owners(group)
		for _, list := range [][]testkafka.TopicPartition{placesOf(committed), placesOf(lag), placesOf(owners)} {
			for _, at := range list {
				all[group][at] = described{pointer(committed, at), pointer(ends, at), pointer(lag, at), owners[at]}
			}
		}
	}
	return all
}

func pointer(offsets testkafka.Offsets, at testkafka.TopicPartition) *int64 {
	if n, ok := offsets[at]; ok {
		return &n
	}
	return nil
}
