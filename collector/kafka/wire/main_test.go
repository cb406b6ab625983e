package wire

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checkLine checks that a text fits on a line of a log.
func checkLine(t *testing.T, text string) {
	t.Helper()
	if text == "" || strings.ContainsAny(text, "\n\r\t") || len(text) > 2000 {
		t.Errorf("not a line: %q", text)
	}
}

// startNode makes the node of an address. No connection of it is left after
// the test.
func startNode(t *testing.T, o Options, addr string) *Node {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = patience // a slow machine is not what is tested
	}
	ns, err := NewNodes(o)
	must(t, err)
	n := ns.At(addr, "")
	t.Cleanup(n.Drop)
	return n
}

// listGroups sends ListGroups, as good a request as any.
func listGroups(t *testing.T, n *Node) error {
	t.Helper()
	_, err := n.Do(testContext(t), kmsg.NewPtrListGroupsRequest(), func(kmsg.Request) {})
	return err
}

// ends reads where the only partition of a handmade broker ends, which is 7.
func ends(t *testing.T, n *Node) {
	t.Helper()
	req := kmsg.NewPtrListOffsetsRequest()
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Timestamp = -1
	req.Topics = []kmsg.ListOffsetsRequestTopic{{Topic: "t", Partitions: []kmsg.ListOffsetsRequestTopicPartition{p}}}
	a, err := n.Do(testContext(t), req, func(kmsg.Request) {})
	must(t, err)
	if got := a.Body.(*kmsg.ListOffsetsResponse).Topics[0].Partitions[0].Offset; got != 7 {
		t.Errorf("the partition ends at %d, not 7", got)
	}
}

// checkFailed checks that a request failed for one reason, told in one line
// that has the parts given.
func checkFailed(t *testing.T, err error, want snapshot.Reason, says ...string) {
	t.Helper()
	if err == nil || ReasonOf(err) != want {
		t.Fatalf("%s, not %s: %v", ReasonOf(err), want, err)
	}
	text := Explain(err)
	checkLine(t, text)
	for _, part := range says {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %q", part, text)
		}
	}
	t.Log(text)
}
