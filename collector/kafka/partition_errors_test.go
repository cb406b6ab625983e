package kafka

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// An error for one partition costs that partition only, is told once with the
// code's reason, and is asked about at most twice in a poll.
func TestPartitionErrors(t *testing.T) {
	for _, test := range []struct {
		err    *kerr.Error
		reason string
	}{
		{kerr.NotLeaderForPartition, "not_leader"},
		{kerr.FencedLeaderEpoch, "not_leader"},
		{kerr.UnknownLeaderEpoch, "not_leader"},
		{kerr.ReplicaNotAvailable, "not_leader"},
		{kerr.LeaderNotAvailable, "no_leader"},
		{kerr.UnknownTopicOrPartition, "unknown_partition"},
		{kerr.TopicAuthorizationFailed, "unauthorized"},
		{kerr.OffsetNotAvailable, "unavailable"},
		{kerr.KafkaStorageError, "unavailable"},
		{kerr.RequestTimedOut, "timeout"},
		{kerr.UnsupportedVersion, "unsupported"},
		{kerr.UnknownServerError, "other"},
	} {
		t.Run(test.err.Message, func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{})
			c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "orders", Partitions: []int32{1}, Err: test.err, Count: -1})
			client, wire := startClient(t, c, Options{})
			want := trioLines(groups, -1)
			want[2] = "  1 leader=1 ?..?"
			want = append(want, "problem list_offsets "+test.reason+" broker=1 topic=orders ×1")
			for range 2 {
				s := poll(t, client)
				check(t, s, want...)
				if !s.Brokers[1].Answered.Or(false) {
					t.Error("a broker that answers with a code is not silent")
				}
				asked := 0
				for _, k := range ofAPI(wire.reset(), kmsg.ListOffsets) {
					if k.addr == c.Addrs()[1] {
						asked++
					}
				}
				if asked > 4 { // end and start, twice
					t.Errorf("the leader was asked %d times", asked)
				}
			}
		})
	}
}

// once calls f on the first request of an API and lets all go on.
func once(key kmsg.Key, f func()) func(*call) verdict {
	var first sync.Once
	return func(k *call) verdict {
		if k.req.Key() == int16(key) && !k.own {
			first.Do(f)
		}
		return pass
	}
}

// A leader that moves during a poll leaves no gap: it is found by new metadata
// and asked in the same poll, once (fault 13).
func TestLeaderMovesDuringPoll(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.reset()
	wire.onRequest(once(kmsg.ListOffsets, func() { must(t, c.Fake().MoveTopicPartition("orders", 1, 2)) }))
	want := trioLines(groups, -1)
	want[2] = "  1 leader=2 0..10"
	check(t, poll(t, client), want...)
	if sent := requests(wire.reset()); sent["Metadata"] != 2 || sent["ListOffsets"] != 3+1 {
		t.Errorf("requests %v", sent)
	}
}

// A partition without a leader is known to exist and to have none; the others
// are read, and no request is spent on it (fault 12).
func TestLeaderlessPartition(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	wire.onAnswer(func(_ *call, resp kmsg.Response) {
		if m, ok := resp.(*kmsg.MetadataResponse); ok {
			for i := range m.Topics[0].Partitions {
				if p := &m.Topics[0].Partitions[i]; p.Partition == 1 {
					p.ErrorCode, p.Leader = kerr.LeaderNotAvailable.Code, -1
				}
			}
		}
	})
	want := trioLines(groups, -1)
	want[2] = "  1 leader=? ?..?"
	want = append(want, "problem list_offsets no_leader topic=orders ×1")
	for range 2 {
		check(t, poll(t, client), want...)
	}
	for _, k := range ofAPI(wire.reset(), kmsg.ListOffsets) {
		for _, topic := range k.req.(*kmsg.ListOffsetsRequest).Topics {
			for _, p := range topic.Partitions {
				if p.Partition == 1 {
					t.Error("it was asked for")
				}
			}
		}
	}
}

// A leader that metadata names and does not list is not a crash, nor a reason
// to lose the others.
func TestLeaderIsNoBroker(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	wire.onAnswer(func(_ *call, resp kmsg.Response) {
		if m, ok := resp.(*kmsg.MetadataResponse); ok {
			for i := range m.Topics[0].Partitions {
				if p := &m.Topics[0].Partitions[i]; p.Partition == 1 {
					p.Leader = 77
				}
			}
		}
	})
	want := trioLines(groups, -1)
	want[2] = "  1 leader=77 ?..?"
	want = append(want, "problem list_offsets unavailable broker=77 ×1")
	check(t, poll(t, client), want...)
}

// What an answer to ListOffsets leaves out, names twice, makes up or gives a
// negative offset is unknown, never −1 and never someone else's.
func TestListOffsetsAnswers(t *testing.T) {
	for _, test := range []struct {
		name  string
		alter func(*kmsg.ListOffsetsResponse)
		part  string
		then  string
	}{
		{"partition left out", func(r *kmsg.ListOffsetsResponse) { r.Topics[0].Partitions = nil }, "?..?", "problem list_offsets incomplete broker=1 ×1"},
		{"topic left out", func(r *kmsg.ListOffsetsResponse) { r.Topics = nil }, "?..?", "problem list_offsets incomplete broker=1 ×1"},
		{"negative without an error", func(r *kmsg.ListOffsetsResponse) { r.Topics[0].Partitions[0].Offset = -1 }, "?..?", "problem list_offsets malformed broker=1 ×1"},
		{"an error beside an offset", func(r *kmsg.ListOffsetsResponse) { r.Topics[0].Partitions[0].ErrorCode = 3 }, "?..?", "problem list_offsets unknown_partition broker=1 topic=orders ×1"},
		{"another partition", func(r *kmsg.ListOffsetsResponse) { r.Topics[0].Partitions[0].Partition = 0 }, "?..?", "problem list_offsets incomplete broker=1 ×1"},
		{"named twice", func(r *kmsg.ListOffsetsResponse) {
			p := r.Topics[0].Partitions[0]
			p.Offset = 999
			r.Topics[0].Partitions = append(r.Topics[0].Partitions, p)
		}, "0..10", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{})
			client, wire := startClient(t, c, Options{})
			wire.onAnswer(func(k *call, resp kmsg.Response) {
				if r, ok := resp.(*kmsg.ListOffsetsResponse); ok && k.addr == c.Addrs()[1] {
					test.alter(r)
				}
			})
			want := trioLines(groups, -1)
			want[2] = "  1 leader=1 " + test.part
			if test.then != "" {
				want = append(want, test.then)
			}
			check(t, poll(t, client), want...)
		})
	}
}

// A broker lost from the start is counted by partitions, not once for their
// end and once more for their start.
func TestLostFromTheStart(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	must(t, c.SetLink(1, lab.LinkDown))
	client, _ := startClient(t, c, Options{})
	got := strings.Join(problems(poll(t, client)), "\n")
	want := strings.Join([]string{
		"problem list_groups unreachable broker=1 ×1",
		"problem list_offsets unreachable broker=1 ×1",
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
