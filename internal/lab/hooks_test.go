package lab

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// listGroups asks the only broker of a cluster once, without retries.
func listGroups(ctx context.Context, cl *kgo.Client) (*kmsg.ListGroupsResponse, error) {
	return kmsg.NewPtrListGroupsRequest().RequestWith(ctx, cl)
}

func hooked(t *testing.T) (*Cluster, *kgo.Client) {
	t.Helper()
	c := startLab(t, Options{Brokers: 1})
	cl, err := c.NewClient(kgo.RequestRetries(0), kgo.RequestTimeoutOverhead(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	if _, err := listGroups(testContext(t), cl); err != nil {
		t.Fatal(err)
	}
	return c, cl
}

func TestHookActions(t *testing.T) {
	reply := Reply(func(r kmsg.Request) kmsg.Response {
		resp := r.ResponseKind().(*kmsg.ListGroupsResponse)
		resp.Groups = []kmsg.ListGroupsResponseGroup{{Group: "made-up"}}
		return resp
	})
	tests := []struct {
		name   string
		fn     func(Request) Action
		fails  bool   // the first request; the second never does
		groups string // in the first answer
		hits   int
	}{
		{name: "pass", fn: Always(Pass())},
		{name: "drop once", fn: Once(Drop()), fails: true, hits: 1},
		{name: "hang once", fn: Once(Hang()), fails: true, hits: 1},
		{name: "reply once", fn: Once(reply), groups: "made-up", hits: 1},
		{name: "delay", fn: Once(Delay(20 * time.Millisecond)), hits: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, cl := hooked(t)
			h := c.OnRequest(kmsg.ListGroups, tt.fn)
			ctx, cancel := context.WithTimeout(testContext(t), 500*time.Millisecond)
			defer cancel()
			resp, err := listGroups(ctx, cl)
			if (err != nil) != tt.fails {
				t.Fatalf("first request: %v, want failure %t", err, tt.fails)
			}
			if tt.groups != "" && (len(resp.Groups) != 1 || resp.Groups[0].Group != tt.groups) {
				t.Errorf("first answer has groups %v", resp.Groups)
			}
			if h.Hits() != tt.hits {
				t.Errorf("%d hits, want %d", h.Hits(), tt.hits)
			}
			eventually(t, "a later request is answered", func() bool {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				resp, err := listGroups(ctx, cl)
				return err == nil && len(resp.Groups) == 0
			})
		})
	}
}

func TestHooksRunInOrderUntilOneAnswers(t *testing.T) {
	c, cl := hooked(t)
	var seen []string
	see := func(name string, a Action) func(Request) Action {
		return func(r Request) Action {
			seen = append(seen, name)
			if r.Broker != 0 {
				t.Errorf("hook %s sees broker %d", name, r.Broker)
			}
			return a
		}
	}
	empty := Reply(func(r kmsg.Request) kmsg.Response { return r.ResponseKind() })
	first := c.OnRequest(kmsg.ListGroups, see("first", Pass()))
	second := c.OnRequest(kmsg.ListGroups, see("second", empty))
	c.OnRequest(kmsg.ListGroups, see("third", empty))

	for _, remove := range []func(){first.Remove, second.Remove, func() {}} {
		if _, err := listGroups(testContext(t), cl); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, "|")
		remove()
	}
	want := []string{"first", "second", "|", "second", "|", "third", "|"}
	if d := cmp.Diff(want, seen); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A delayed request holds up its connection and no other, and Close doesn't
// wait for the delay.
func TestDelayHoldsUpOneConnection(t *testing.T) {
	c, cl := hooked(t)
	h := c.OnRequest(kmsg.ListGroups, Once(Delay(time.Hour)))
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	answer := make(chan error, 1)
	go func() {
		_, err := listGroups(ctx, cl)
		answer <- err
	}()
	eventually(t, "the request is being delayed", func() bool { return h.Hits() == 1 })
	if _, err := lonely(t, c).ListGroups(testContext(t)); err != nil {
		t.Errorf("another connection: %v", err)
	}
	cancel()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("delayed request: %v", err)
	}
}
