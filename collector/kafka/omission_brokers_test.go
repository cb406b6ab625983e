package kafka

import (
	"context"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// A broker that is starting answers with no brokers, or with an error: that is
// no empty cluster, and another one is asked.
func TestMetadataOfAStartingBroker(t *testing.T) {
	for name, alter := range map[string]func(*kmsg.MetadataResponse){
		"no brokers": func(m *kmsg.MetadataResponse) { m.Brokers, m.Topics = nil, nil },
		"an error":   func(m *kmsg.MetadataResponse) { m.ErrorCode = kerr.RebootstrapRequired.Code },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{})
			client, wire := startClient(t, c, Options{})
			poll(t, client)
			wire.onAnswer(func(k *call, resp kmsg.Response) {
				if k.addr == c.Addrs()[0] {
					metadataOf(true, alter)(k, resp)
				}
			})
			// Another broker knows: nothing is unknown, so nothing is a problem.
			check(t, poll(t, client), trioLines(groups, -1)...)
		})
	}
}

// Nobody knows of any broker: the poll fails rather than show an empty cluster.
func TestMetadataWithoutBrokersEverywhere(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	wire.onAnswer(metadataOf(true, func(m *kmsg.MetadataResponse) { m.Brokers, m.Topics = nil, nil }))
	s, err := client.Poll(testContext(t))
	if err == nil || s.Groups != nil || len(s.Problems) == 0 {
		t.Fatalf("%v, %+v", err, s)
	}
	checkLine(t, err.Error())
}

// A broker that metadata leaves out for a moment takes its partitions and
// groups with it for that moment only, and none of them is gone.
func TestBrokerLeftOutOfMetadata(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.onAnswer(metadataOf(true, func(m *kmsg.MetadataResponse) {
		m.Brokers = slices.DeleteFunc(m.Brokers, func(b kmsg.MetadataResponseBroker) bool { return b.NodeID == 1 })
	}))
	s := poll(t, client)
	want := append(trioLines(groups, 1),
		"problem describe_groups unavailable group="+groups[1]+" ×1",
		"problem list_offsets unavailable broker=1 ×1")
	check(t, s, want...)
	if len(s.Brokers) != 2 {
		t.Errorf("brokers %+v", s.Brokers)
	}
	wire.onAnswer(nil)
	check(t, poll(t, client), trioLines(groups, -1)...)
}

// The addresses of the config may be gone by the time they are needed again;
// the brokers that are known serve.
func TestBootstrapIsGone(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	const bootstrap = "kafka.example:9092"
	var gone atomic.Bool
	client, wire := newClient(t, Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr != bootstrap {
			return dialTCP(ctx, network, addr)
		}
		if gone.Load() {
			return nil, &net.DNSError{Name: addr, Err: "no such host", IsNotFound: true}
		}
		return dialTCP(ctx, network, c.Addrs()[0])
	}}, bootstrap)
	poll(t, client)
	gone.Store(true)
	wire.cut(bootstrap)
	for range 3 {
		check(t, poll(t, client), trioLines(groups, -1)...)
	}
}

// Another cluster that answers at the address of a known broker does not
// become the one that is watched; nor are its groups and offsets taken for
// ours, nor our groups for gone because it has none of that name.
func TestAddressOfAnotherCluster(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	other := startLab(t, lab.Options{Brokers: 1, ClusterID: "other", Topics: map[string]int32{"theirs": 1, "orders": 3}})
	commit(t, other, "foreign", "theirs", 0, 0)
	var moved atomic.Bool
	client, wire := newClient(t, Options{RequestTimeout: time.Second, Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == c.Addrs()[1] && moved.Load() {
			addr = other.Addrs()[0]
		}
		return dialTCP(ctx, network, addr)
	}}, c.Addrs()[0])
	poll(t, client)
	moved.Store(true)
	wire.cut(c.Addrs()[1])
	check(t, poll(t, client), append(trioLines(groups, 1),
		"problem list_groups unavailable broker=1 ×1",
		"problem describe_groups unavailable group="+groups[1]+" ×1",
		"problem list_offsets unavailable broker=1 ×1")...)
	must(t, c.SetLink(0, lab.LinkDown)) // so that another one gives the metadata
	for range 5 {
		client.lastGot = nil
		s := poll(t, client)
		if _, ok := s.Topic("theirs"); ok || s.ClusterID != "lagwatch-lab" || len(s.Brokers) != 3 {
			t.Fatalf("cluster %q, topics %+v", s.ClusterID, s.Topics)
		}
	}
}

// Where the bootstrap address itself leads to another cluster, that one is
// watched: its brokers are its own, though they have the ids and addresses of
// those before.
func TestBootstrapOfAnotherCluster(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	other := startLab(t, lab.Options{Brokers: 1, ClusterID: "other", Topics: map[string]int32{"theirs": 1}})
	var moved atomic.Bool
	client, wire := newClient(t, Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if moved.Load() {
			addr = other.Addrs()[0]
		}
		return dialTCP(ctx, network, addr)
	}}, c.Addrs()[0])
	poll(t, client)
	moved.Store(true)
	for _, addr := range c.Addrs() {
		wire.cut(addr)
	}
	wire.onAnswer(metadataOf(true, func(m *kmsg.MetadataResponse) {
		if *m.ClusterID == "other" {
			host, port, _ := net.SplitHostPort(c.Addrs()[0])
			n, _ := strconv.Atoi(port)
			m.Brokers[0].Host, m.Brokers[0].Port = host, int32(n)
		}
	}))
	for range 2 {
		s := poll(t, client)
		check(t, s, "topic theirs", "  0 leader=0 0..0")
		if s.ClusterID != "other" {
			t.Errorf("cluster %q", s.ClusterID)
		}
	}
}

// A broker that moves to another address is found there at the next poll, and
// nothing goes to the old one any more.
func TestBrokerMoves(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	const moved = "kafka-1.example:9092"
	client, wire := newClient(t, Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == moved {
			addr = c.Addrs()[1]
		}
		return dialTCP(ctx, network, addr)
	}}, c.Addrs()[0])
	poll(t, client)
	wire.onAnswer(metadataOf(true, func(m *kmsg.MetadataResponse) {
		for i := range m.Brokers {
			if m.Brokers[i].NodeID == 1 {
				m.Brokers[i].Host, m.Brokers[i].Port = "kafka-1.example", 9092
			}
		}
	}))
	wire.reset()
	s := poll(t, client)
	check(t, s, trioLines(groups, -1)...)
	if s.Brokers[1].Addr != moved || wire.dialled(moved) == 0 {
		t.Errorf("brokers %+v", s.Brokers)
	}
	for _, k := range wire.reset() {
		if k.addr == c.Addrs()[1] {
			t.Errorf("%s at the old address", k.api())
		}
	}
	eventually(t, "the old connections are closed", func() bool { return wire.connections(c.Addrs()[1]) == 0 })
}

// A broker that moves to another address, or leaves, takes its connections
// along: nothing is left of it after Close, though it gave the last metadata.
func TestBrokerLeavesWithItsConnections(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	client, wire := newClient(t, Options{}, c.Addrs()[0])
	poll(t, client)
	must(t, c.SetLink(0, lab.LinkDown))
	poll(t, client) // broker 1 or 2 gives the metadata from now on
	gone := newRound(client).idOf(client.lastGot).Or(-1)
	if gone < 1 {
		t.Fatalf("broker %d gave the metadata", gone)
	}
	must(t, c.SetLink(0, lab.LinkUp))
	wire.onAnswer(metadataOf(true, func(m *kmsg.MetadataResponse) {
		m.Brokers = slices.DeleteFunc(m.Brokers, func(b kmsg.MetadataResponseBroker) bool { return b.NodeID == gone })
	}))
	for range 3 {
		poll(t, client)
	}
	client.Close()
	eventually(t, "all connections are closed", func() bool { return wire.connections("") == 0 })
}
