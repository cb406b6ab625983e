package kafka

import (
	"context"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// A partition that was added after the metadata of the poll was read, and has a
// commit already, was said not to exist.
func TestPartitionNewerThanTheMetadata(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{StartOffsetInterval: time.Hour})
	wire.onAnswer(both(namedBy(groups[0], "grown"), func(k *call, resp kmsg.Response) {
		if q, ok := k.req.(*kmsg.MetadataRequest); ok && q.Topics == nil { // the answer of a moment ago
			m := resp.(*kmsg.MetadataResponse)
			for i := range m.Topics {
				if *m.Topics[i].Topic == "grown" {
					m.Topics[i].Partitions = nil
				}
			}
		}
	}))
	must(t, c.CreateTopic("grown", 1))
	s := poll(t, client)
	if topic, ok := s.Topic("grown"); !ok || len(topic.Partitions) != 1 || !topic.Partitions[0].End.Known() {
		t.Errorf("topic %+v", topic)
	}
	if n := byName(wire.reset()); len(n) != 1 {
		t.Errorf("asked by name at %v", n)
	}
}

// A commit on a partition that will never exist is asked about now and then,
// not at every poll.
func TestPartitionThatIsNotThere(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	must(t, c.CreateTopic("small", 1))
	client, wire := startClient(t, c, Options{StartOffsetInterval: time.Hour})
	wire.onAnswer(func(_ *call, resp kmsg.Response) {
		if r, ok := resp.(*kmsg.OffsetFetchResponse); ok {
			namedBy(groups[0], "small")(nil, resp)
			for i := range r.Groups {
				for j := range r.Groups[i].Topics {
					if r.Groups[i].Topics[j].Topic == "small" {
						r.Groups[i].Topics[j].Partitions[0].Partition = 4
					}
				}
			}
		}
	})
	for range 3 {
		if s := poll(t, client); len(s.Problems) > 0 {
			t.Errorf("problems %v", problems(s))
		}
	}
	if n := byName(wire.reset()); len(n) != 1 {
		t.Errorf("asked by name %d times", len(n))
	}
}

// A bootstrap address answers and names brokers at addresses that cannot be
// reached from here. The cluster was called up, with nothing known of it.
func TestAdvertisedAddressesCannotBeReached(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	const bootstrap = "kafka.example:9092"
	client, _ := newClient(t, Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == bootstrap {
			return dialTCP(ctx, network, c.Addrs()[0])
		}
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}}, bootstrap)
	s, err := client.Poll(testContext(t))
	if err == nil || !strings.Contains(err.Error(), "advertises") {
		t.Fatalf("error %v", err)
	}
	checkLine(t, err.Error())
	if got := problems(s); len(got) != 3 || got[0] != "problem list_groups connection_refused broker=0 ×1" {
		t.Errorf("problems %q", got)
	}
	if len(s.Groups) > 0 || len(s.Topics) > 0 {
		t.Errorf("%d groups and %d topics of a cluster that nobody could read", len(s.Groups), len(s.Topics))
	}
}
