//go:build !breaking && !soak

package integration

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector"
	read "github.com/lagwatch/lagwatch/collector/kafka"
	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// patient is a poller that takes its time: on a busy machine the embedded
// brokers, which are in this process, may be slow.
type patient struct{ collector.Poller }

func (p patient) Poll(ctx context.Context) (*snapshot.Snapshot, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return p.Poller.Poll(ctx)
}

// watchLab has lagwatch watch an embedded cluster, with a poll every 200 ms or
// as soon as the one before has ended.
func watchLab(t *testing.T, c *lab.Cluster, keep func(group string) bool) *collector.Watcher {
	t.Helper()
	client, err := read.New(read.Options{
		Brokers: c.Addrs(), RequestTimeout: 30 * time.Second, StartOffsetInterval: time.Second, KeepGroup: keep,
	})
	if err != nil {
		t.Fatal(err)
	}
	w := collector.New(patient{client}, collector.Options{Cluster: "lab", Interval: 200 * time.Millisecond, StaleAfter: time.Minute})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
		client.Close()
	})
	return w
}

func startLab(t *testing.T, o lab.Options) *lab.Cluster {
	t.Helper()
	c, err := lab.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// awaitPolls returns the view after so many complete polls.
func awaitPolls(t *testing.T, w *collector.Watcher, n uint64) *collector.View {
	t.Helper()
	await.Until(t, 5*time.Minute, fmt.Sprintf("%d complete polls", n), func() bool {
		return w.View().Counters.Polls[collector.PollComplete] >= n
	})
	return w.View()
}

// Fault 24: five thousand groups that died long ago, and ten that live. Memory
// does not grow with polls; and where a filter leaves the dead out, nothing is
// asked about them, and they take no memory.
func TestFault24DeadGroups(t *testing.T) {
	const dead, live = 5000, 10
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"log": 1}})
	for i := range dead + live {
		group := fmt.Sprintf("dead-%04d", i)
		if i >= dead {
			group = fmt.Sprintf("live-%d", i-dead)
		}
		if err := c.Commit(t.Context(), group, "log", 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	named := countNamed(c, "dead-")
	// watched polls for a while and returns how many groups there are and how
	// the heap grew, in the first polls and in more of them.
	watched := func(t *testing.T, keep func(string) bool) (groups int, first, more int64) {
		before := heapInUse()
		w := watchLab(t, c, keep)
		groups = len(awaitPolls(t, w, 3).Groups)
		young := heapInUse()
		awaitPolls(t, w, 10)
		old := heapInUse()
		t.Logf("%d groups in the view, names of dead ones in requests: %d; heap %+.1f MiB in 3 polls, %+.1f MiB in 7 more",
			groups, named.Load(), mib(young-before), mib(old-young))
		return groups, young - before, old - young
	}
	t.Run("filtered", func(t *testing.T) {
		groups, first, more := watched(t, func(group string) bool { return strings.HasPrefix(group, "live-") })
		if groups != live || named.Load() != 0 || first > 4<<20 || more > 4<<20 {
			t.Error("the dead ones cost something")
		}
	})
	t.Run("all", func(t *testing.T) {
		groups, first, more := watched(t, nil)
		if groups != dead+live || named.Load() == 0 || first > dead*(8<<10) || more > 8<<20 {
			t.Error("not all are there, or the heap grows")
		}
	})
}

// countNamed counts the groups that requests name beginning with a prefix.
func countNamed(c *lab.Cluster, prefix string) *atomic.Int64 {
	var n atomic.Int64
	count := func(r lab.Request) lab.Action {
		var names []string
		switch body := r.Body.(type) {
		case *kmsg.DescribeGroupsRequest:
			names = body.Groups
		case *kmsg.ConsumerGroupDescribeRequest:
			names = body.Groups
		case *kmsg.OffsetFetchRequest:
			for _, g := range body.Groups {
				names = append(names, g.Group)
			}
		}
		for _, name := range names {
			if strings.HasPrefix(name, prefix) {
				n.Add(1)
			}
		}
		return lab.Pass()
	}
	for _, key := range []kmsg.Key{kmsg.DescribeGroups, kmsg.ConsumerGroupDescribe, kmsg.OffsetFetch} {
		c.OnRequest(key, count)
	}
	return &n
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what finalizers of the first let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
