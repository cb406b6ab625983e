package kafka

import (
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// metadataOf makes an alteration of the answers to metadata requests: of those
// for all topics, or of those by name.
func metadataOf(all bool, f func(*kmsg.MetadataResponse)) func(*call, kmsg.Response) {
	return func(k *call, resp kmsg.Response) {
		if q, ok := k.req.(*kmsg.MetadataRequest); ok && (q.Topics == nil) == all {
			f(resp.(*kmsg.MetadataResponse))
		}
	}
}

func without(topic string) func(*kmsg.MetadataResponse) {
	return func(m *kmsg.MetadataResponse) {
		m.Topics = slices.DeleteFunc(m.Topics, func(t kmsg.MetadataResponseTopic) bool { return *t.Topic == topic })
	}
}

// namedBy makes OffsetFetch answers name a topic that the group never
// committed on here: one that is deleted, or hidden.
func namedBy(group, topic string) func(*call, kmsg.Response) {
	return func(_ *call, resp kmsg.Response) {
		r, ok := resp.(*kmsg.OffsetFetchResponse)
		if !ok {
			return
		}
		for i := range r.Groups {
			if r.Groups[i].Group == group {
				t := kmsg.NewOffsetFetchResponseGroupTopic()
				t.Topic = topic
				p := kmsg.NewOffsetFetchResponseGroupTopicPartition()
				p.Offset = 5
				t.Partitions = append(t.Partitions, p)
				r.Groups[i].Topics = append(r.Groups[i].Topics, t)
			}
		}
	}
}

func both(f, g func(*call, kmsg.Response)) func(*call, kmsg.Response) {
	return func(k *call, resp kmsg.Response) { f(k, resp); g(k, resp) }
}

// byName is who was asked for topics by name.
func byName(calls []*call) (addrs []string) {
	for _, k := range ofAPI(calls, kmsg.Metadata) {
		if k.req.(*kmsg.MetadataRequest).Topics != nil {
			addrs = append(addrs, k.addr)
		}
	}
	return addrs
}

// An all-topics answer that lacks a topic does not end it: another broker,
// asked by name, still has it, and its offsets are read in the same poll.
func TestTopicLeftOutOfMetadata(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.onAnswer(metadataOf(true, without("orders")))
	wire.reset()
	check(t, poll(t, client), trioLines(groups, -1)...)
	if n := byName(wire.reset()); len(n) != 1 {
		t.Errorf("asked by name at %v", n)
	}
}

// The second look is at another broker, not at the same one under the address
// that it advertises: what one broker does not know yet may well exist.
func TestSecondLookIsElsewhere(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.onAnswer(func(k *call, resp kmsg.Response) {
		if k.addr != c.Addrs()[0] {
			return
		}
		metadataOf(true, without("orders"))(k, resp)
		metadataOf(false, fail("orders", kerr.UnknownTopicOrPartition))(k, resp)
	})
	for range 8 {
		wire.reset()
		check(t, poll(t, client), trioLines(groups, -1)...)
		if n := byName(wire.reset()); len(n) != 1 || n[0] == c.Addrs()[0] {
			t.Errorf("asked by name at %v", n)
		}
	}
}

// Only Kafka's word ends a topic. It is believed for a while: a commit that
// outlives its topic does not cost a request every poll.
func TestDeletedTopicStillNamed(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	must(t, c.CreateTopic("old", 1))
	client, wire := startClient(t, c, Options{StartOffsetInterval: time.Hour})
	wire.onAnswer(namedBy(groups[0], "old"))
	if _, ok := poll(t, client).Topic("old"); !ok {
		t.Fatal("the topic is not there while it exists")
	}
	must(t, c.DeleteTopic("old"))
	wire.reset()
	for i := range 3 {
		s := poll(t, client)
		if _, ok := s.Topic("old"); ok || len(s.Problems) > 0 {
			t.Errorf("poll %d: still there; problems %v", i, problems(s))
		}
	}
	if n := byName(wire.reset()); len(n) != 1 {
		t.Errorf("it was asked for by name %d times", len(n))
	}
	must(t, c.CreateTopic("old", 2))
	if topic, ok := poll(t, client).Topic("old"); !ok || len(topic.Partitions) != 2 {
		t.Errorf("created again: %+v", topic)
	}
}

// What the belief in a topic's absence is worth ends: it is asked for again.
func TestAbsenceIsNotForever(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{StartOffsetInterval: time.Nanosecond})
	wire.onAnswer(namedBy(groups[0], "old"))
	for range 2 {
		poll(t, client)
		if n := byName(wire.reset()); len(n) != 1 {
			t.Errorf("it was asked for by name %d times", len(n))
		}
	}
}

// A topic that ACLs hide is there, unread, with the reason told at every poll
// and asked for only now and then (fault 25).
func TestTopicHiddenByACL(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{StartOffsetInterval: time.Hour})
	refuse := func(m *kmsg.MetadataResponse) {
		for i := range m.Topics {
			m.Topics[i].ErrorCode, m.Topics[i].Partitions = kerr.TopicAuthorizationFailed.Code, nil
		}
	}
	wire.onAnswer(both(namedBy(groups[0], "secret"), metadataOf(false, refuse)))
	for i := range 3 {
		s := poll(t, client)
		topic, ok := s.Topic("secret")
		if !ok || topic.Partitions != nil {
			t.Errorf("poll %d: topic %+v", i, topic)
		}
		if got := problems(s); len(got) != 1 || got[0] != "problem metadata unauthorized topic=secret ×1" {
			t.Errorf("poll %d: %v", i, got)
		}
	}
	if n := byName(wire.reset()); len(n) != 1 {
		t.Errorf("it was asked for by name %d times", len(n))
	}
	wire.onAnswer(nil)
	must(t, c.CreateTopic("secret", 1)) // as when the ACL is granted
	if topic, ok := poll(t, client).Topic("secret"); !ok || len(topic.Partitions) != 1 {
		t.Errorf("granted: %+v", topic)
	}
}

// A topic that a commit names and nobody can be asked about is not absent: a
// reader would forget it, and all that is known of it.
func TestNamedTopicWithoutAnAnswer(t *testing.T) {
	for name, second := range map[string]func(*tap){
		"no answer": func(w *tap) {
			w.onRequest(func(k *call) verdict {
				if q, ok := k.req.(*kmsg.MetadataRequest); ok && len(q.Topics) > 0 {
					return drop
				}
				return pass
			})
		},
		"left out again": func(*tap) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{})
			client, wire := startClient(t, c, Options{})
			wire.onAnswer(both(namedBy(groups[0], "new"), metadataOf(false, without("new"))))
			second(wire)
			for range 2 {
				s := poll(t, client)
				if topic, ok := s.Topic("new"); !ok || topic.Partitions != nil {
					t.Errorf("topic %+v, listed %t", topic, ok)
				}
				if len(s.Problems) == 0 {
					t.Error("nothing says why it is unread")
				}
				if n := byName(wire.reset()); len(n) > 2*(1+2*3) {
					t.Errorf("asked by name %d times", len(n))
				}
			}
		})
	}
}

// A topic id of zero, as while a cluster is upgraded, is unknown: it is not
// another topic, and the id known before stands.
func TestTopicIDZero(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	before := poll(t, client)
	wire.onAnswer(metadataOf(true, func(m *kmsg.MetadataResponse) { m.Topics[0].TopicID = [16]byte{} }))
	s := poll(t, client)
	check(t, s, trioLines(groups, -1)...)
	if s.Topics[0].ID != before.Topics[0].ID || !s.Topics[0].Partitions[1].Start.Equal(before.Topics[0].Partitions[1].Start) {
		t.Errorf("before %+v, after %+v", before.Topics[0], s.Topics[0])
	}
	fresh, wire := startClient(t, c, Options{})
	wire.onAnswer(metadataOf(true, func(m *kmsg.MetadataResponse) { m.Topics[0].TopicID = [16]byte{} }))
	if s := poll(t, fresh); s.Topics[0].ID.Known() {
		t.Errorf("id %x", s.Topics[0].ID)
	}
}

// A partition that metadata names twice is one: ListOffsets refuses a request
// that names it twice, for all its offsets.
func TestPartitionNamedTwice(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	wire.onAnswer(metadataOf(true, func(m *kmsg.MetadataResponse) {
		m.Topics[0].Partitions = append(m.Topics[0].Partitions, m.Topics[0].Partitions...)
	}))
	check(t, poll(t, client), trioLines(groups, -1)...)
}

// A topic whose metadata is an error is unread, and its last offsets are not
// passed off as new.
func TestTopicWithAnError(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.onAnswer(both(metadataOf(true, fail("orders", kerr.LeaderNotAvailable)), metadataOf(false, fail("orders", kerr.LeaderNotAvailable))))
	s := poll(t, client)
	if topic, ok := s.Topic("orders"); !ok || topic.Partitions != nil {
		t.Errorf("topic %+v", topic)
	}
	if got := problems(s); len(got) != 1 || got[0] != "problem metadata no_leader topic=orders ×1" {
		t.Errorf("%v", got)
	}
	wire.onAnswer(nil)
	if s := poll(t, client); s.Topics[0].Partitions == nil || len(s.Problems) > 0 {
		t.Errorf("once it is over: %+v, %v", s.Topics[0], problems(s))
	}
}

func fail(topic string, err *kerr.Error) func(*kmsg.MetadataResponse) {
	return func(m *kmsg.MetadataResponse) {
		for i := range m.Topics {
			if *m.Topics[i].Topic == topic {
				m.Topics[i].ErrorCode, m.Topics[i].Partitions = err.Code, nil
			}
		}
	}
}
