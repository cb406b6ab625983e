package kafka

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func startLab(t *testing.T, o lab.Options) *lab.Cluster {
	t.Helper()
	c, err := lab.Start(o)
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

// checkLine checks that a text fits on a line of a log.
func checkLine(t *testing.T, text string) {
	t.Helper()
	if text == "" || strings.ContainsAny(text, "\n\r\t") || len(text) > 2000 {
		t.Errorf("not a line: %q", text)
	}
}

var dialTCP = (&net.Dialer{}).DialContext

// untapped makes a client whose connections no test code touches.
func untapped(t *testing.T, timeout time.Duration, addrs ...string) *Client {
	t.Helper()
	c, err := New(Options{Brokers: addrs, RequestTimeout: timeout})
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

// newClient makes a client of addrs whose connections run through a tap.
func newClient(t *testing.T, o Options, addrs ...string) (*Client, *tap) {
	t.Helper()
	o.Brokers = addrs
	if o.Dial == nil {
		o.Dial = dialTCP
	}
	if o.RequestTimeout == 0 {
		o.RequestTimeout = patience // a slow machine is not what is tested
	}
	wire := newTap(o.Dial)
	o.Dial = wire.Dial
	c, err := New(o)
	must(t, err)
	t.Cleanup(c.Close)
	return c, wire
}

// startClient makes a client of a lab cluster.
func startClient(t *testing.T, c *lab.Cluster, o Options) (*Client, *tap) {
	t.Helper()
	return newClient(t, o, c.Addrs()...)
}

// poll polls and expects that the poll succeeds, in part at least.
func poll(t *testing.T, c *Client) *snapshot.Snapshot {
	t.Helper()
	s, err := c.Poll(testContext(t))
	must(t, err)
	return s
}

// pollNobody polls a cluster none of whose brokers can say which groups it has.
func pollNobody(t *testing.T, c *Client) *snapshot.Snapshot {
	t.Helper()
	s, err := c.Poll(testContext(t))
	if err == nil {
		t.Fatal("the poll did not fail, though nothing could be read of any group")
	}
	checkLine(t, err.Error())
	return s
}

// groupsOn names n groups that a broker coordinates.
func groupsOn(c *lab.Cluster, broker int32, prefix string, n int) []string {
	var names []string
	for i := 0; len(names) < n; i++ {
		if name := prefix + "-" + string(rune('a'+i%26)) + string(rune('a'+i/26)); c.Fake().CoordinatorFor(name) == broker {
			names = append(names, name)
		}
	}
	return names
}

func groupOn(c *lab.Cluster, broker int32, prefix string) string {
	return groupsOn(c, broker, prefix, 1)[0]
}

// lead puts partitions 0, 1, … of a topic on the brokers given.
func lead(t *testing.T, c *lab.Cluster, topic string, brokers ...int32) {
	t.Helper()
	for p, b := range brokers {
		must(t, c.Fake().MoveTopicPartition(topic, int32(p), b))
	}
}

// produce appends n records to a partition.
func produce(t *testing.T, c *lab.Cluster, topic string, partition int32, n int) {
	t.Helper()
	_, err := c.Produce(testContext(t), topic, partition, n)
	must(t, err)
}

// produceAnew is produce for a topic that was deleted and created again, whose
// id the lab's own client does not know yet.
func produceAnew(t *testing.T, c *lab.Cluster, topic string, partition int32, n int) {
	t.Helper()
	cl, err := c.NewClient(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	must(t, err)
	defer cl.Close()
	for range n {
		must(t, cl.ProduceSync(testContext(t), &kgo.Record{Topic: topic, Partition: partition}).FirstErr())
	}
}

// commit commits for a group without members.
func commit(t *testing.T, c *lab.Cluster, group, topic string, partition int32, next int64) {
	t.Helper()
	must(t, c.Commit(testContext(t), group, topic, partition, next))
}
