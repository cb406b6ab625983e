package kafka

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// A topic that is recreated has another id, and nothing of the old one's
// offsets carries over, its start least of all (fault 15).
func TestTopicRecreatedBetweenPolls(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 2}})
	produce(t, c, "orders", 0, 100)
	must(t, c.DeleteRecords("orders", 0, 60))
	client, _ := startClient(t, c, Options{StartOffsetInterval: time.Hour})
	before := poll(t, client)
	must(t, c.DeleteTopic("orders"))
	must(t, c.CreateTopic("orders", 1))
	produceAnew(t, c, "orders", 0, 5)
	s := poll(t, client)
	check(t, s, "topic orders", "  0 leader=0 0..5")
	if s.Topics[0].ID == before.Topics[0].ID || !s.Topics[0].ID.Known() {
		t.Errorf("id %x, before %x", s.Topics[0].ID, before.Topics[0].ID)
	}
}

// Where topics have no ids (before Kafka 2.8), a start offset beyond the end
// is of a log that is gone: it would count everything as lost.
func TestTopicRecreatedWithoutIDs(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
	produce(t, c, "orders", 0, 100)
	must(t, c.DeleteRecords("orders", 0, 60))
	client, wire := startClient(t, c, Options{StartOffsetInterval: time.Hour})
	wire.onAnswer(metadataOf(true, func(m *kmsg.MetadataResponse) {
		for i := range m.Topics {
			m.Topics[i].TopicID = [16]byte{}
		}
	}))
	check(t, poll(t, client), "topic orders", "  0 leader=0 60..100")
	must(t, c.DeleteTopic("orders"))
	must(t, c.CreateTopic("orders", 1))
	produceAnew(t, c, "orders", 0, 5)
	check(t, poll(t, client), "topic orders", "  0 leader=0 ?..5")
	check(t, poll(t, client), "topic orders", "  0 leader=0 0..5")
}

// A topic that is recreated in the middle of a poll is not missing from its
// snapshot: a missing topic is one that does not exist.
func TestTopicRecreatedDuringPoll(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.onRequest(once(kmsg.ListOffsets, func() {
		must(t, c.DeleteTopic("orders"))
		must(t, c.CreateTopic("orders", 3))
		lead(t, c, "orders", 1, 2, 0) // so that each is asked for at the wrong broker
	}))
	topic, ok := poll(t, client).Topic("orders")
	if !ok || len(topic.Partitions) != 3 || topic.ID != c.Fake().TopicInfo("orders").TopicID {
		t.Fatalf("topic %+v, listed %t", topic, ok)
	}
	for _, p := range topic.Partitions {
		if offset(p.Start) != "0" || offset(p.End) != "0" {
			t.Errorf("partition %d: %s..%s", p.ID, offset(p.Start), offset(p.End))
		}
	}
}

// Partitions that are added are read at the next poll, and the others keep
// their start offsets.
func TestPartitionsAdded(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
	produce(t, c, "orders", 0, 3)
	client, wire := startClient(t, c, Options{})
	first := poll(t, client)
	_, err := c.Admin().CreatePartitions(testContext(t), 2, "orders")
	must(t, err)
	wire.reset()
	s := poll(t, client)
	check(t, s, "topic orders", "  0 leader=0 0..3", "  1 leader=0 0..0", "  2 leader=0 0..0")
	if s.Topics[0].ID != first.Topics[0].ID || !s.Topics[0].Partitions[0].Start.Equal(first.Topics[0].Partitions[0].Start) {
		t.Error("partition 0 was taken for another")
	}
}

// A snapshot never changes after it was handed over.
func TestSnapshotsAreFinal(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	client, _ := startClient(t, c, Options{StartOffsetInterval: time.Nanosecond})
	s := poll(t, client)
	before := render(s)
	at := s.Topics[0].Partitions[0].End
	for p := range int32(3) {
		produce(t, c, "orders", p, 5)
	}
	poll(t, client)
	if render(s) != before || !s.Topics[0].Partitions[0].End.Equal(at) {
		t.Error("it did")
	}
}

// A topic that is deleted while lagwatch polls stays deleted on brokers that
// create topics on demand; nor does an empty cluster get Kafka's own topics
// (fault 17).
func TestPollingCreatesNothing(t *testing.T) {
	c := startLab(t, lab.Options{Topics: map[string]int32{"orders": 3, "audit": 1}, AutoCreate: true})
	commit(t, c, "billing", "orders", 0, 0)
	client, wire := startClient(t, c, Options{})
	wire.onAnswer(namedBy("billing", "orders")) // its commits outlive it
	poll(t, client)
	wire.onRequest(once(kmsg.ListOffsets, func() { must(t, c.DeleteTopic("orders")) }))
	for range 3 {
		poll(t, client)
	}
	if info := c.Fake().TopicInfo("orders"); info != nil {
		t.Error("orders was created")
	}
	if s := poll(t, client); len(s.Topics) != 1 || s.Topics[0].Name != "audit" {
		t.Errorf("topics %+v", s.Topics)
	}
	empty := startLab(t, lab.Options{AutoCreate: true})
	client, _ = startClient(t, empty, Options{})
	for range 2 {
		check(t, poll(t, client), "")
	}
	if info := empty.Fake().TopicInfo("__consumer_offsets"); info != nil {
		t.Error("__consumer_offsets was created")
	}
}

// A topic of Kafka's own that a group uses stays while that group cannot be
// read: it is no less used, and to leave it out says that it does not exist.
func TestInternalTopicOfUnreadGroup(t *testing.T) {
	c := startLab(t, lab.Options{})
	must(t, c.Fake().CreateTopic("__consumer_offsets", 1, map[string]string{"kfake.is_internal": "true"}))
	lead(t, c, "__consumer_offsets", 0)
	group := groupOn(c, 1, "curious")
	commit(t, c, group, "__consumer_offsets", 0, 0)
	client, _ := startClient(t, c, Options{})
	poll(t, client)
	must(t, c.SetLink(1, lab.LinkDown))
	if topic, ok := poll(t, client).Topic("__consumer_offsets"); !ok || len(topic.Partitions) != 1 {
		t.Errorf("topic %+v", topic)
	}
	must(t, c.SetLink(1, lab.LinkUp))
	poll(t, client)
	must(t, c.DeleteGroup(testContext(t), group))
	if _, ok := poll(t, client).Topic("__consumer_offsets"); ok {
		t.Error("it is still read when nobody uses it")
	}
}

// Kafka's own topics are read only where a group uses them.
func TestInternalTopics(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1})
	must(t, c.Fake().CreateTopic("__consumer_offsets", 2, map[string]string{"kfake.is_internal": "true"}))
	client, _ := startClient(t, c, Options{})
	check(t, poll(t, client), "")
	commit(t, c, "curious", "__consumer_offsets", 1, 0)
	if topic, ok := poll(t, client).Topic("__consumer_offsets"); !ok || !topic.Internal || len(topic.Partitions) != 2 {
		t.Errorf("topic %+v", topic)
	}
}
