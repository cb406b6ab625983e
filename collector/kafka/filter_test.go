package kafka

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

func keep(prefix string) func(string) bool {
	return func(name string) bool { return strings.HasPrefix(name, prefix) }
}

// What the filters leave out is in no request and in no snapshot, and the rest
// is as it would be without them; a group that reads a topic that is left out
// is read for its other topics.
func TestFilters(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"in": 1, "out": 1}})
	for _, g := range []string{"in-one", "out-one"} {
		commit(t, c, g, "in", 0, 0)
		commit(t, c, g, "out", 0, 0)
	}
	consume(t, c, lab.ConsumerSpec{Group: "in-two", Topics: []string{"in", "out"}, Protocol: lab.ProtocolConsumer, ClientID: "two", NeverCommit: true})
	assigned(t, c, "in-two", 1, 2)
	client, wire := startClient(t, c, Options{KeepGroup: keep("in"), KeepTopic: keep("in")})
	for range 2 {
		s := poll(t, client)
		for i := range s.Groups { // the host has a port of the test's own
			m, _ := s.Groups[i].Members.Get()
			for j := range m.List {
				m.List[j].Host = "host"
			}
		}
		check(t, s,
			"topic in", "  0 leader=0 0..0",
			"group in-one classic / empty coordinator=0 generation=?", "  committed in 0=0",
			"group in-two consumer consumer/uniform stable coordinator=0 generation=1", "  member two@host reads [in out] owns in[0] out[0]")
	}
	for _, k := range wire.reset() {
		for _, name := range namesIn(k.req) {
			if !strings.HasPrefix(name, "in") {
				t.Errorf("%s asks for %q", k.api(), name)
			}
		}
	}
}

// namesIn are the groups and topics that a request names.
func namesIn(req kmsg.Request) (names []string) {
	switch r := req.(type) {
	case *kmsg.MetadataRequest:
		for _, t := range r.Topics {
			names = append(names, *t.Topic)
		}
	case *kmsg.DescribeGroupsRequest:
		names = r.Groups
	case *kmsg.ConsumerGroupDescribeRequest:
		names = r.Groups
	case *kmsg.OffsetFetchRequest:
		for _, g := range r.Groups {
			names = append(names, g.Group)
		}
	case *kmsg.ListOffsetsRequest:
		for _, t := range r.Topics {
			names = append(names, t.Topic)
		}
	}
	return names
}

// Last stable offsets are read for topics that groups with isolation
// read_committed use, and for no others; an open transaction holds them back.
func TestReadCommitted(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"ledger": 1, "orders": 1}})
	produce(t, c, "ledger", 0, 3)
	commit(t, c, "careful", "ledger", 0, 2)
	commit(t, c, "other", "orders", 0, 0)
	producer, err := c.NewClient(kgo.TransactionalID("t"), kgo.DefaultProduceTopic("ledger"))
	must(t, err)
	defer producer.Close()
	must(t, producer.BeginTransaction())
	must(t, producer.ProduceSync(testContext(t), kgo.StringRecord("open"), kgo.StringRecord("open")).FirstErr())
	client, wire := startClient(t, c, Options{ReadCommitted: func(g string) bool { return g == "careful" }})
	s := poll(t, client)
	check(t, s,
		"topic ledger", "  0 leader=0 0..5 stable=3",
		"topic orders", "  0 leader=0 0..0",
		"group careful classic / empty coordinator=0 generation=?", "  committed ledger 0=2",
		"group other classic / empty coordinator=0 generation=?", "  committed orders 0=0")
	if careful, _ := s.Group("careful"); !careful.ReadCommitted || s.Groups[1].ReadCommitted {
		t.Errorf("groups %+v", s.Groups)
	}
	if n := requests(wire.reset())["ListOffsets"]; n != 3 {
		t.Errorf("%d requests for ends, starts and one last stable offset", n)
	}
	must(t, producer.EndTransaction(testContext(t), kgo.TryCommit))
	p := poll(t, client).Topics[0].Partitions[0]
	if offset(p.LastStable) != "6" || offset(p.End) != "6" { // a marker takes an offset too
		t.Errorf("last stable %s, end %s", offset(p.LastStable), offset(p.End))
	}
	if n := requests(wire.reset())["ListOffsets"]; n != 2 {
		t.Errorf("%d requests for ends and one last stable offset", n)
	}
}

// A last stable offset that cannot be read is unknown, and no high watermark.
func TestLastStableNotRead(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"ledger": 1}})
	commit(t, c, "careful", "ledger", 0, 0)
	client, wire := startClient(t, c, Options{ReadCommitted: keep("")})
	poll(t, client)
	isStable := func(k *call) bool { r, ok := k.req.(*kmsg.ListOffsetsRequest); return ok && r.IsolationLevel == 1 }
	wire.onAnswer(func(k *call, resp kmsg.Response) {
		if isStable(k) {
			resp.(*kmsg.ListOffsetsResponse).Topics[0].Partitions[0].ErrorCode = kerr.OffsetNotAvailable.Code
		}
	})
	check(t, poll(t, client),
		"topic ledger", "  0 leader=0 0..0",
		"group careful classic / empty coordinator=0 generation=?", "  committed ledger 0=0",
		"problem list_offsets unavailable broker=0 topic=ledger ×1")
}

// refusedGroup makes brokers say that lagwatch's user may not describe a group,
// and leave it out of listings, as they do without any permission on it.
func refusedGroup(group string) func(*call, kmsg.Response) {
	return both(unlisted(group), func(_ *call, resp kmsg.Response) {
		switch r := resp.(type) {
		case *kmsg.DescribeGroupsResponse:
			for i := range r.Groups {
				if r.Groups[i].Group == group {
					r.Groups[i] = kmsg.DescribeGroupsResponseGroup{Group: group, ErrorCode: kerr.GroupAuthorizationFailed.Code}
				}
			}
		case *kmsg.OffsetFetchResponse:
			for i := range r.Groups {
				if r.Groups[i].Group == group {
					r.Groups[i] = kmsg.OffsetFetchResponseGroup{Group: group, ErrorCode: kerr.GroupAuthorizationFailed.Code}
				}
			}
		}
	})
}

// A group whose permission is withdrawn is one problem, whatever the number of
// brokers that refuse it; it is asked about again now and then only, and is
// read again as soon as it is listed.
func TestPermissionWithdrawn(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	settledPoll := total(requests(wire.reset()))
	wire.onAnswer(refusedGroup(groups[1]))
	gone := wantGroup(groups, 1, "group "+groups[1]+" classic / unknown coordinator=? generation=?", "  members=?", "  commits=?")
	gone = append(gone, "problem describe_groups unauthorized group="+groups[1]+" ×1")
	for i := range 3 {
		wire.reset()
		check(t, poll(t, client), gone...)
		if n := total(requests(wire.reset())); i > 0 && n > settledPoll {
			t.Errorf("poll %d sent %d requests, a settled one sends %d", i, n, settledPoll)
		}
	}
	client.opts.StartOffsetInterval = time.Nanosecond // so that it may be asked about again at once
	client.groups[groups[1]] = knownGroup{kind: snapshot.TypeClassic}
	poll(t, client)
	if len(ofAPI(wire.reset(), kmsg.DescribeGroups)) <= 3 {
		t.Error("it was not asked about again")
	}
	wire.onAnswer(nil)
	check(t, poll(t, client), trioLines(groups, -1)...)
	must(t, c.DeleteGroup(testContext(t), groups[1]))
	if s := poll(t, client); slices.ContainsFunc(s.Groups, func(g snapshot.Group) bool { return g.ID == groups[1] }) {
		t.Error("deleted, it is still there")
	}
}

// context9 is a poll's time at an interval of ten seconds.
func context9(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 9*time.Second)
}

// hiddenTopic makes brokers hide a topic as they do from a user who may not see
// it: left out of all-topics metadata and of commits, refused by name.
func hiddenTopic(topic string) func(*call, kmsg.Response) {
	return both(both(metadataOf(true, without(topic)), metadataOf(false, fail(topic, kerr.TopicAuthorizationFailed))),
		func(_ *call, resp kmsg.Response) {
			r, ok := resp.(*kmsg.OffsetFetchResponse)
			if !ok {
				return
			}
			for i := range r.Groups {
				r.Groups[i].Topics = slices.DeleteFunc(r.Groups[i].Topics, func(t kmsg.OffsetFetchResponseGroupTopic) bool { return t.Topic == topic })
			}
		})
}

// A topic whose permission is withdrawn leaves its group's commits unknown
// there: Kafka leaves them out without an error, and the group would look whole
// with less lag. Commits that are deleted on a topic that can be seen are gone.
func TestTopicWithdrawn(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"audit": 1, "orders": 1}})
	commit(t, c, "billing", "audit", 0, 0)
	commit(t, c, "billing", "orders", 0, 0)
	client, wire := startClient(t, c, Options{})
	group := "group billing classic / empty coordinator=0 generation=?"
	whole := []string{"topic audit", "  0 leader=0 0..0", "topic orders", "  0 leader=0 0..0", group, "  committed audit 0=0", "  committed orders 0=0"}
	check(t, poll(t, client), whole...)
	wire.onAnswer(hiddenTopic("audit"))
	for range 2 {
		check(t, poll(t, client), "topic audit unread", "topic orders", "  0 leader=0 0..0", group, "  committed audit 0=?", "  committed orders 0=0",
			"problem metadata unauthorized topic=audit ×1")
	}
	wire.onAnswer(nil)
	check(t, poll(t, client), whole...)
	wire.onAnswer(func(k *call, resp kmsg.Response) {
		if r, ok := resp.(*kmsg.OffsetFetchResponse); ok {
			r.Groups[0].Topics = slices.DeleteFunc(r.Groups[0].Topics, func(t kmsg.OffsetFetchResponseGroupTopic) bool { return t.Topic == "audit" })
		}
	})
	check(t, poll(t, client), "topic audit", "  0 leader=0 0..0", "topic orders", "  0 leader=0 0..0", group, "  committed orders 0=0")
}
