package kafka

import (
	"context"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// trio is three brokers, each of which leads a partition with ten records and
// coordinates a group that has committed 1, 2 and 3 on it.
func trio(t *testing.T, o lab.Options) (*lab.Cluster, [3]string) {
	t.Helper()
	o.Topics = map[string]int32{"orders": 3}
	c := startLab(t, o)
	lead(t, c, "orders", 0, 1, 2)
	var groups [3]string
	for b := range int32(3) {
		groups[b] = groupOn(c, b, fmt.Sprintf("group-%d", b))
		produce(t, c, "orders", b, 10)
		commit(t, c, groups[b], "orders", b, int64(b+1))
	}
	return c, groups
}

// trioLines is what a trio looks like, but for the partition and group of a
// broker that is lost.
func trioLines(groups [3]string, lost int32) []string {
	list := []string{"topic orders"}
	for b := range int32(3) {
		end := "10"
		if b == lost {
			end = "?"
		}
		list = append(list, fmt.Sprintf("  %d leader=%d 0..%s", b, b, end))
	}
	for b := range int32(3) {
		if b == lost {
			list = append(list, unreadGroup(groups[b])...)
			continue
		}
		list = append(list,
			fmt.Sprintf("group %s classic / empty coordinator=%d generation=?", groups[b], b),
			fmt.Sprintf("  committed orders %d=%d", b, b+1))
	}
	return list
}

func unreadGroup(id string) []string {
	return []string{
		"group " + id + " classic / unknown coordinator=? generation=?",
		"  members=?",
		"  commits=?",
	}
}

func dialError(err error) func(context.Context) error {
	return func(context.Context) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", err)}
	}
}

// A lost broker costs its own partitions and groups, with the reason told, and
// no more than a few requests (fault 11).
func TestLostBroker(t *testing.T) {
	for _, test := range []struct {
		name   string
		lose   func(*lab.Cluster, *tap)
		reason string
	}{
		{"closes", func(c *lab.Cluster, _ *tap) { _ = c.SetLink(1, lab.LinkDown) }, "unreachable"},
		{"freezes", func(c *lab.Cluster, _ *tap) { _ = c.SetLink(1, lab.LinkHung) }, "timeout"},
		{"refuses", func(c *lab.Cluster, w *tap) { w.refuse(c.Addrs()[1], dialError(syscall.ECONNREFUSED)) }, "connection_refused"},
		{"no route", func(c *lab.Cluster, w *tap) { w.refuse(c.Addrs()[1], dialError(syscall.EHOSTUNREACH)) }, "unreachable"},
		{"no name", func(c *lab.Cluster, w *tap) {
			w.refuse(c.Addrs()[1], func(context.Context) error {
				return &net.DNSError{Name: "kafka-1", Err: "no such host", IsNotFound: true}
			})
		}, "unresolvable"},
		{"packets dropped", func(c *lab.Cluster, w *tap) {
			w.refuse(c.Addrs()[1], func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		}, "timeout"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{})
			client, wire := startClient(t, c, Options{RequestTimeout: time.Second})
			if s := poll(t, client); len(s.Problems) > 0 {
				t.Fatal(problems(s))
			}
			test.lose(c, wire)
			for i := range 3 {
				wire.reset()
				started := time.Now()
				s := poll(t, client)
				want := append(trioLines(groups, 1),
					"problem list_groups "+test.reason+" broker=1 ×1",
					"problem describe_groups unavailable group="+groups[1]+" ×1",
					"problem list_offsets "+test.reason+" broker=1 ×1")
				check(t, s, want...)
				if s.Brokers[1].Answered.Or(true) || !s.Brokers[0].Answered.Or(false) || !s.Brokers[2].Answered.Or(false) {
					t.Errorf("poll %d: brokers %+v", i, s.Brokers)
				}
				if took := time.Since(started); took > 6*time.Second {
					t.Errorf("poll %d took %s", i, took)
				}
				if n := wire.dialled(c.Addrs()[1]); n > 4 {
					t.Errorf("poll %d dialled the lost broker %d times", i, n)
				}
				// Listing, description, commits and end offsets of the
				// other two, the second look at the lost group there,
				// and metadata twice.
				if sent := requests(wire.reset()); total(sent) > 2*4+2+2+1 {
					t.Errorf("poll %d sent %v", i, sent)
				}
			}
		})
	}
}

// A broker that comes back is read at the next poll, by itself.
func TestLostBrokerReturns(t *testing.T) {
	for _, link := range []lab.Link{lab.LinkDown, lab.LinkHung} {
		t.Run(link.String(), func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{})
			client, _ := startClient(t, c, Options{RequestTimeout: time.Second})
			poll(t, client)
			must(t, c.SetLink(1, link))
			poll(t, client)
			poll(t, client)
			must(t, c.SetLink(1, lab.LinkUp))
			check(t, poll(t, client), trioLines(groups, -1)...)
		})
	}
}

// The broker that gives the metadata is no single point of failure, and its
// loss is told as one, not as the cluster's.
func TestMetadataSourceIsLost(t *testing.T) {
	for _, link := range []lab.Link{lab.LinkDown, lab.LinkHung} {
		t.Run(link.String(), func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{})
			client, _ := newClient(t, Options{RequestTimeout: time.Second}, c.Addrs()[0])
			poll(t, client)
			must(t, c.SetLink(0, link))
			for range 3 {
				s := poll(t, client)
				got := s.Problems
				s.Problems = nil
				check(t, s, trioLines(groups, 0)...)
				if len(got) == 0 || s.Brokers[0].Answered.Or(true) {
					t.Errorf("problems %+v, broker %+v", got, s.Brokers[0])
				}
			}
		})
	}
}

// When all is lost the poll fails within its time, and says what of each
// address in one line.
func TestEverythingIsLost(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	client, _ := startClient(t, c, Options{RequestTimeout: time.Second})
	poll(t, client)
	for b, link := range []lab.Link{lab.LinkDown, lab.LinkHung, lab.LinkDown} {
		must(t, c.SetLink(int32(b), link))
	}
	s, err := client.Poll(testContext(t))
	if err == nil || s == nil || s.Topics != nil || s.Groups != nil || s.Brokers != nil || s.ClusterID != "" {
		t.Fatalf("%v, %+v", err, s)
	}
	if len(s.Problems) == 0 {
		t.Error("no problem says why")
	}
	checkLine(t, err.Error())
	for b := range int32(3) {
		must(t, c.SetLink(b, lab.LinkUp))
	}
	if s := poll(t, client); len(s.Problems) > 0 || len(s.Groups) != 3 {
		t.Errorf("after the outage: %v", problems(s))
	}
}

// A poll ends when its context does, also amid frozen brokers; what was read
// until then is in the snapshot.
func TestPollEndsWithContext(t *testing.T) {
	c, _ := trio(t, lab.Options{})
	client, _ := startClient(t, c, Options{RequestTimeout: 2 * time.Second})
	poll(t, client)
	must(t, c.SetLink(1, lab.LinkHung))
	ctx, cancel := context.WithTimeout(testContext(t), 300*time.Millisecond)
	defer cancel()
	started := time.Now()
	s, err := client.Poll(ctx)
	if took := time.Since(started); took > 1500*time.Millisecond {
		t.Errorf("took %s", took)
	}
	if err != nil || len(s.Groups) != 3 || len(s.Problems) == 0 {
		t.Errorf("%v, %v", err, problems(s))
	}
}
