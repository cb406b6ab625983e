package kafka

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// noon is when the records of these tests were written.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// produceAt appends one record for each stamp, each in a batch of its own.
func produceAt(t *testing.T, c *lab.Cluster, topic string, partition int32, stamps ...time.Time) {
	t.Helper()
	cl, err := c.NewClient(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	must(t, err)
	defer cl.Close()
	for _, at := range stamps {
		must(t, cl.ProduceSync(testContext(t), &kgo.Record{Topic: topic, Partition: partition, Timestamp: at}).FirstErr())
	}
}

// found is the answer that names a record.
func found(offset int64, stamp time.Time) snapshot.TimeAnswer {
	return snapshot.TimeAnswer{Known: true, Found: true, Offset: offset, Stamp: stamp}
}

var none, unknown = snapshot.TimeAnswer{Known: true}, snapshot.TimeAnswer{}

// The first record at or after a moment, to the millisecond; none and unknown
// are two things.
func TestTimes(t *testing.T) {
	c := startLab(t, lab.Options{Topics: map[string]int32{"orders": 3}})
	lead(t, c, "orders", 0, 1, 2)
	produceAt(t, c, "orders", 0, noon, noon.Add(time.Second), noon.Add(time.Hour))
	produceAt(t, c, "orders", 1, noon.Add(time.Minute))
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.reset()
	var questions []snapshot.TimeQuestion
	var want []snapshot.TimeAnswer
	for _, q := range []struct {
		topic     string
		partition int32
		asked     time.Time
		want      snapshot.TimeAnswer
	}{
		{"orders", 1, noon, found(0, noon.Add(time.Minute))},
		{"orders", 0, noon.Add(-time.Hour), found(0, noon)},
		{"orders", 0, noon, found(0, noon)},
		{"orders", 0, noon.Add(time.Nanosecond), found(1, noon.Add(time.Second))},
		{"orders", 0, noon.Add(time.Hour), found(2, noon.Add(time.Hour))},
		{"orders", 1, noon.Add(2 * time.Minute), none},
		{"orders", 1, time.Time{}, found(0, noon.Add(time.Minute))},
		{"orders", 2, noon, none},
		{"orders", 3, noon, unknown},
		{"orders", -1, noon, unknown},
		{"missing", 0, noon, unknown},
	} {
		questions = append(questions, snapshot.TimeQuestion{Topic: q.topic, Partition: q.partition, Asked: q.asked})
		want = append(want, q.want)
	}
	if diff := cmp.Diff(want, client.Times(testContext(t), questions)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	sent := requests(wire.reset())
	s := poll(t, client)
	if got := s.Requests["ListOffsets"] - requests(wire.reset())["ListOffsets"]; got != sent["ListOffsets"] || got != 4+3+1 || len(s.Problems) > 0 {
		t.Errorf("%v were sent, the next snapshot counts %d of them, and has problems %v", sent, got, problems(s))
	}
}

// Nothing is asked of a cluster that no poll has read.
func TestTimesBeforeAPoll(t *testing.T) {
	c := startLab(t, lab.Options{Topics: map[string]int32{"orders": 1}})
	client, wire := startClient(t, c, Options{})
	got := client.Times(testContext(t), []snapshot.TimeQuestion{{Topic: "orders", Asked: noon}})
	if calls := wire.reset(); len(calls) > 0 || !slices.Equal(got, []snapshot.TimeAnswer{unknown}) {
		t.Errorf("%d requests, %v", len(calls), got)
	}
}

// timeQuestions ask about the first n partitions of a topic, over and over.
func timeQuestions(topic string, n, times int) (list []snapshot.TimeQuestion) {
	for k := range times {
		for p := range n {
			list = append(list, snapshot.TimeQuestion{Topic: topic, Partition: int32(p), Asked: noon.Add(time.Duration(k) * time.Second)})
		}
	}
	return list
}

// Requests are of 500 partitions at most, have none twice, which Kafka refuses,
// follow each other at a broker, and are four at most: what is too much stays
// unknown, the last of it.
func TestTimesRequests(t *testing.T) {
	for _, test := range []struct {
		name              string
		partitions, times int
		sizes             []int
	}{
		{"one", 1, 1, []int{1}},
		{"the same one five times", 1, 5, []int{1, 1, 1, 1}},
		{"just one request", 500, 1, []int{500}},
		{"one more", 501, 1, []int{500, 1}},
		{"twice", 400, 2, []int{400, 400}},
		{"twice, more than one request", 600, 2, []int{500, 500, 200}},
		{"too much", 2_001, 1, []int{500, 500, 500, 500}},
		{"too much of one", 300, 7, []int{300, 300, 300, 300}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": int32(test.partitions)}})
			client, wire := startClient(t, c, Options{})
			poll(t, client)
			wire.reset()
			answers := client.Times(testContext(t), timeQuestions("orders", test.partitions, test.times))
			var sizes []int
			answered, asked := 0, 0
			for _, k := range wire.reset() {
				if k.sent < answered {
					t.Errorf("a request was sent before the one before was answered")
				}
				answered = k.answered
				partitions := k.req.(*kmsg.ListOffsetsRequest).Topics[0].Partitions
				sizes = append(sizes, len(partitions))
				asked += len(partitions)
				seen := map[int32]bool{}
				for _, p := range partitions {
					if seen[p.Partition] {
						t.Errorf("partition %d is in a request twice", p.Partition)
					}
					seen[p.Partition] = true
				}
			}
			if !slices.Equal(sizes, test.sizes) {
				t.Errorf("requests of %v partitions, want %v", sizes, test.sizes)
			}
			for i, got := range answers {
				if got.Known != (i < asked) {
					t.Fatalf("answer %d of %d, where %d were asked for: %+v", i, len(answers), asked, got)
				}
			}
		})
	}
}

// A broker that was silent in the last poll costs no look-up its time, and one
// that falls silent is asked once; the next poll tells of it, and is complete.
func TestTimesOfASilentBroker(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{RequestTimeout: time.Second})
	poll(t, client)
	hung := func(k *call) verdict {
		if k.addr == c.Addrs()[1] {
			return hang
		}
		return pass
	}
	wire.onRequest(hung)
	wire.reset()
	want := []bool{true, false, true, true, false, true}
	check := func(when string, requests int) {
		t.Helper()
		known := []bool(nil)
		for _, a := range client.Times(testContext(t), timeQuestions("orders", 3, 2)) {
			known = append(known, a.Known)
		}
		sent := 0
		for _, k := range wire.reset() {
			if k.addr == c.Addrs()[1] {
				sent++
			}
		}
		if !slices.Equal(known, want) || sent != requests {
			t.Errorf("%s: known %v, %d requests", when, known, sent)
		}
	}
	check("it falls silent", 1)
	check("it has fallen silent", 0)
	wire.onRequest(nil)
	s := poll(t, client)
	if diff := cmp.Diff([]string{"problem list_offsets_by_time timeout broker=1 ×1"}, problems(s)); diff != "" || !s.Problems[0].Optional {
		t.Errorf("optional: %t (-want +got):\n%s", s.Problems[0].Optional, diff)
	}
	if s := poll(t, client); len(s.Problems) > 0 {
		t.Errorf("told twice: %v", problems(s))
	}
	wire.onRequest(hung)
	poll(t, client)
	wire.reset()
	check("it was silent in the last poll", 0)
}

// An error counts before the values beside it, and a record from before the
// moment asked for is no answer, as some brokers gave it: all that is unknown,
// and counted.
func TestTimesThatCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct {
		alter   func(*kmsg.ListOffsetsResponseTopic)
		problem string
	}{
		"an error":          {func(r *kmsg.ListOffsetsResponseTopic) { r.Partitions[0].ErrorCode = 6 }, "not_leader"},
		"no such offset":    {func(r *kmsg.ListOffsetsResponseTopic) { r.Partitions[0].Offset = -2 }, "malformed"},
		"a record before":   {func(r *kmsg.ListOffsetsResponseTopic) { r.Partitions[0].Timestamp-- }, "malformed"},
		"no time":           {func(r *kmsg.ListOffsetsResponseTopic) { r.Partitions[0].Timestamp = -1 }, "malformed"},
		"nothing":           {func(r *kmsg.ListOffsetsResponseTopic) { r.Partitions = r.Partitions[1:] }, "incomplete"},
		"another partition": {func(r *kmsg.ListOffsetsResponseTopic) { r.Partitions[0].Partition = 7 }, "incomplete"},
	} {
		t.Run(name, func(t *testing.T) {
			c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 2}})
			produceAt(t, c, "orders", 0, noon)
			produceAt(t, c, "orders", 1, noon)
			client, wire := startClient(t, c, Options{})
			poll(t, client)
			wire.onAnswer(func(_ *call, resp kmsg.Response) { test.alter(&resp.(*kmsg.ListOffsetsResponse).Topics[0]) })
			if diff := cmp.Diff([]snapshot.TimeAnswer{unknown, found(0, noon)}, client.Times(testContext(t), timeQuestions("orders", 2, 1))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			wire.onAnswer(nil)
			s := poll(t, client)
			if diff := cmp.Diff([]string{fmt.Sprintf("problem list_offsets_by_time %s broker=0 ×1", test.problem)}, problems(s)); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			checkLine(t, s.Problems[0].Detail)
		})
	}
}

// The end of the caller's time makes no broker silent: the next look-up asks it again.
// But that it did not answer in time was told nowhere.
func TestTimesThatTakeTooLong(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 3}})
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.onRequest(func(*call) verdict { return hang })
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if got := client.Times(ctx, timeQuestions("orders", 3, 1)); got[0].Known {
			t.Errorf("%+v", got)
		}
		cancel()
	}
	ctx, cancel := context.WithCancel(t.Context())
	wire.onRequest(func(*call) verdict { cancel(); return hang })
	client.Times(ctx, timeQuestions("orders", 3, 1)) // stopping is nobody's fault
	wire.onRequest(nil)
	if got := client.Times(testContext(t), timeQuestions("orders", 1, 1)); !got[0].Known {
		t.Errorf("%+v", got)
	}
	s := poll(t, client)
	if diff := cmp.Diff([]string{"problem list_offsets_by_time timeout broker=0 ×3"}, problems(s)); diff != "" || !s.Problems[0].Optional {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	checkLine(t, s.Problems[0].Detail)
}
