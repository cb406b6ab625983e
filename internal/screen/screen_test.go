package screen

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

var update = flag.Bool("update", false, "write the golden screens instead of comparing with them")

const interval = 10 * time.Second

// fits is the width of the terminal that a screen with names as long as the demo's
// fits into.
const fits = 100

func TestRender(t *testing.T) {
	for _, tt := range []struct {
		name  string
		polls int
	}{
		{"first-poll", 1},
		{"settled", 60},
		{"two-minutes", 12},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := collector.New(cluster{time.Now()}, collector.Options{Cluster: "main", Interval: interval})
				for range tt.polls {
					time.Sleep(interval)
					w.Poll(t.Context())
				}
				got := Render(w.View(), fits).String()
				compare(t, filepath.Join("testdata", tt.name+".txt"), got)
				for line := range strings.Lines(got) {
					if n := utf8.RuneCountInString(line) - 1; n > fits {
						t.Errorf("%d columns: %s", n, line)
					}
				}
			})
		})
	}
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got; go test -update writes it):\n%s", file, d)
	}
}

// cluster is a poller: what there is to read follows from how long it has been there.
type cluster struct{ since time.Time }

// Poll implements [collector.Poller].
func (c cluster) Poll(context.Context) (*snapshot.Snapshot, error) {
	now := time.Now()
	sec := int64(now.Sub(c.since).Seconds())
	commits := func(topic string, at ...int64) snapshot.Maybe[snapshot.Commits] {
		tc := snapshot.TopicCommits{Topic: topic}
		for i, offset := range at {
			tc.Partitions = append(tc.Partitions, snapshot.Commit{Partition: int32(i), Offset: snapshot.Known(offset)})
		}
		return snapshot.Known(snapshot.Commits{At: now, Topics: []snapshot.TopicCommits{tc}})
	}
	return &snapshot.Snapshot{
		ClusterID: "kraft-1", Started: now, Finished: now,
		Topics: []snapshot.Topic{
			logs(now, "idle-for-long", 700),
			logs(now, "notifications", 100*sec+20000, 100*sec+20000, 100*sec+20000),
			logs(now, "refunds", sec/30, 10),
		},
		Groups: []snapshot.Group{
			{ID: "caught-up", Type: snapshot.TypeClassic, State: snapshot.StateEmpty,
				Members: memberList(now, "idle-for-long"), Commits: commits("idle-for-long", 700)},
			{ID: "never-committed", Type: snapshot.TypeConsumer, State: snapshot.StateStable,
				Members: memberList(now, "refunds", []int32{0}, []int32{1}), Commits: snapshot.Known(snapshot.Commits{At: now})},
			{ID: "notification-catch", Type: snapshot.TypeClassic, State: snapshot.StateStable,
				Members: memberList(now, "notifications", []int32{0}, []int32{1}, []int32{2}), Commits: commits("notifications", 110*sec-1000, 110*sec, 100*sec+19600)},
			{ID: "notification-sender", Type: snapshot.TypeClassic, State: snapshot.StatePreparingRebalance,
				Members: memberList(now, "notifications", []int32{0, 1}, []int32{2}), Commits: commits("notifications", 100*sec+19800, 100*sec+19700, 100*sec+19600)},
			{ID: "notification-stood", Type: snapshot.TypeClassic, State: snapshot.StateEmpty,
				Members: memberList(now, "notifications"), Commits: commits("notifications", 90, 100*sec+20000, 90*sec+20000)},
			{ID: "odd\nname", Type: snapshot.TypeShare, State: snapshot.StateStable,
				Members: memberList(now, "refunds", []int32{0, 1}, []int32{0}), Shares: shares(now, sec)},
			{ID: "unreadable"},
		},
	}, nil
}

func logs(now time.Time, topic string, ends ...int64) snapshot.Topic {
	t := snapshot.Topic{Name: topic, ID: snapshot.TopicID{1}}
	for i, end := range ends {
		t.Partitions = append(t.Partitions, snapshot.Partition{
			ID:     int32(i),
			Leader: snapshot.Known(int32(1)),
			Start:  snapshot.Known(snapshot.Reading{At: snapshot.InstantOf(now)}),
			End:    snapshot.Known(snapshot.Reading{Offset: end, At: snapshot.InstantOf(now)}),
		})
	}
	return t
}

// memberList are as many as lists of a topic's partitions, which they own.
func memberList(now time.Time, topic string, owned ...[]int32) snapshot.Maybe[snapshot.Members] {
	m := snapshot.Members{At: now, Assigned: true}
	for i, partitions := range owned {
		id := fmt.Sprintf("%s-%d", topic, i)
		one := snapshot.Member{ID: id, ClientID: id, Host: "127.0.0.1:40000", Subscribed: []string{topic}}
		if len(partitions) > 0 {
			one.Assignment = []snapshot.TopicPartitions{{Topic: topic, Partitions: partitions}}
		}
		m.List = append(m.List, one)
	}
	return snapshot.Known(m)
}

func shares(now time.Time, sec int64) snapshot.Maybe[snapshot.Shares] {
	return snapshot.Known(snapshot.Shares{At: now, Topics: []snapshot.TopicShares{{
		Topic: "refunds", ID: snapshot.TopicID{1},
		Partitions: []snapshot.Share{
			{Partition: 0, Start: snapshot.Known(sec / 30), Lag: snapshot.Known(int64(0))},
			{Partition: 1, Start: snapshot.Known(int64(3)), Lag: snapshot.Known(int64(5))},
		},
	}}})
}
