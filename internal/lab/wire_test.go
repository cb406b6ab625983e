package lab

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// frame is a request of a given key and version with a body of n bytes.
// A nil client is the null client id.
func frame(key, version int16, client *string, n int) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(key))
	b = binary.BigEndian.AppendUint16(b, uint16(version))
	b = binary.BigEndian.AppendUint32(b, 7) // correlation id
	if client == nil {
		b = binary.BigEndian.AppendUint16(b, 0xffff)
	} else {
		b = binary.BigEndian.AppendUint16(b, uint16(len(*client)))
		b = append(b, *client...)
	}
	b = append(b, make([]byte, n)...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func TestFramesInPiecesOfAnySize(t *testing.T) {
	name, empty := "payments-consumer", ""
	var stream []byte
	stream = append(stream, frame(3, 12, &name, 40)...)
	stream = append(stream, frame(18, 0, nil, 0)...)
	stream = append(stream, frame(9, 8, &empty, 1)...)
	stream = append(stream, frame(0, 11, &name, 3000)...)
	stream = append(stream, frame(16, 5, &name, 0)...)
	want := []header{{3, 12, name}, {18, 0, ""}, {9, 8, ""}, {0, 11, name}, {16, 5, name}}

	for size := 1; size <= len(stream); size++ {
		var (
			f   frames
			got []header
		)
		for b := stream; len(b) > 0; b = b[min(size, len(b)):] {
			f.feed(b[:min(size, len(b))], func(h header) { got = append(got, h) })
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(header{})); d != "" {
			t.Fatalf("in pieces of %d bytes (-want +got):\n%s", size, d)
		}
	}
}

// lonely is a client whose requests nothing else sends.
func lonely(t *testing.T, c *Cluster, opts ...kgo.Opt) *kadm.Client {
	t.Helper()
	cl, err := c.NewClient(append([]kgo.Opt{kgo.ClientID(t.Name())}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return kadm.NewClient(cl)
}

func TestCountRequests(t *testing.T) {
	ctx := testContext(t)
	c := startLab(t, Options{Topics: map[string]int32{"orders": 6}})
	n := c.CountRequests()
	adm := lonely(t, c)

	if _, err := adm.ListGroups(ctx); err != nil {
		t.Fatal(err)
	}
	perBroker := make(map[int32]int)
	for call, k := range n.Snapshot() {
		if call.API == "ListGroups" && call.Client == t.Name() {
			perBroker[call.Broker] += k
		}
	}
	if d := cmp.Diff(map[int32]int{0: 1, 1: 1, 2: 1}, perBroker); d != "" {
		t.Errorf("ListGroups by broker (-want +got):\n%s", d)
	}
	if got := n.Client(t.Name())["ListGroups"]; got != 3 {
		t.Errorf("ListGroups of the client: %d, want 3", got)
	}
	if n.Total() < 4 || n.Total("ListGroups") != 3 {
		t.Errorf("total %d, of ListGroups %d", n.Total(), n.Total("ListGroups"))
	}

	// A request that a hook answers used to be missed by observing controls.
	h := c.OnRequest(kmsg.ListGroups, Always(Reply(func(r kmsg.Request) kmsg.Response { return r.ResponseKind() })))
	n.Reset()
	if _, err := adm.ListGroups(ctx); err != nil {
		t.Fatal(err)
	}
	if n.Total("ListGroups") != 3 || h.Hits() != 3 {
		t.Errorf("counted %d answered requests, hook saw %d; want 3", n.Total("ListGroups"), h.Hits())
	}

	n.Stop()
	if _, err := adm.ListGroups(ctx); err != nil {
		t.Fatal(err)
	}
	if n.Total("ListGroups") != 3 {
		t.Errorf("a stopped counter went on to %d", n.Total("ListGroups"))
	}
}

func TestLinks(t *testing.T) {
	tests := []struct {
		name string
		link Link
	}{
		{"a broker that is down refuses", LinkDown},
		{"a broker that hangs answers nobody", LinkHung},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := testContext(t)
			c := startLab(t, Options{Brokers: 2})
			cl, err := c.NewClient(kgo.RequestRetries(0))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cl.Close)
			ask := func(broker int, patience time.Duration) error {
				ctx, cancel := context.WithTimeout(ctx, patience)
				defer cancel()
				_, err := cl.Broker(broker).Request(ctx, kmsg.NewPtrListGroupsRequest())
				return err
			}
			if _, err := kadm.NewClient(cl).ListBrokers(ctx); err != nil {
				t.Fatal(err)
			}
			if err := ask(1, patience); err != nil {
				t.Fatalf("before: %v", err)
			}
			if err := c.SetLink(1, tt.link); err != nil {
				t.Fatal(err)
			}
			if err := ask(1, 500*time.Millisecond); err == nil {
				t.Error("broker 1 answered")
			}
			if err := c.SetLink(1, LinkUp); err != nil {
				t.Fatal(err)
			}
			if err := ask(0, patience); err != nil {
				t.Errorf("broker 0: %v", err)
			}
			eventually(t, "broker 1 answers again", func() bool { return ask(1, time.Second) == nil })
		})
	}
}

func TestSetLinkOfNoBroker(t *testing.T) {
	c := startLab(t, Options{Brokers: 1})
	if err := c.SetLink(1, LinkDown); err == nil {
		t.Error("broker 1 of 1 was taken down")
	}
	if err := c.SetLink(0, LinkUnknown); err == nil {
		t.Error("a link became unknown")
	}
}

func TestHungBrokerAnswersLater(t *testing.T) {
	c := startLab(t, Options{Brokers: 1})
	adm := lonely(t, c)
	if _, err := adm.ListGroups(testContext(t)); err != nil {
		t.Fatal(err)
	}
	n := c.CountRequests()
	if err := c.SetLink(0, LinkHung); err != nil {
		t.Fatal(err)
	}
	answer := make(chan error, 1)
	ctx := testContext(t)
	go func() {
		_, err := adm.ListGroups(ctx)
		answer <- err
	}()
	eventually(t, "the request arrives", func() bool { return n.Total("ListGroups")+n.Total("Metadata") > 0 })
	select {
	case err := <-answer:
		t.Fatalf("a hung broker answered: %v", err)
	default:
	}
	if err := c.SetLink(0, LinkUp); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; err != nil {
		t.Errorf("once up: %v", err)
	}
}
