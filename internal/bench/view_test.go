package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/collector/kafka"
	"github.com/lagwatch/lagwatch/internal/bench/least"
	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// lagwatch sees the synthetic cluster as what the formulas say: a poll that lacks
// a part would be measured as a cheap one.
func TestLagwatchSeesTheWholeCluster(t *testing.T) {
	c := startTiny(t)
	w := watch(t, c, 500, 5_000)
	for range 2 {
		w.Poll(t.Context())
		v := w.View()
		if err := whole(v); err != nil {
			t.Fatal(err)
		}
		if n := w.View().Counters.Requests["DescribeConfigs"]; n != 1 {
			t.Errorf("settings were asked for %d times", n)
		}
		if diff := cmp.Diff(formulas(tiny, c.Tick()), seen(v)); diff != "" {
			t.Errorf("tick %d (-formulas +lagwatch):\n%s", c.Tick(), diff)
		}
	}
}

// The least work is that of lagwatch's requests, and no other's: version by
// version, from the first poll on but for what lagwatch reads less often.
func TestBothSendTheSame(t *testing.T) {
	for _, tt := range []struct {
		name               string
		groups, partitions int // in one request
		requests           int
	}{
		{"all in one", 500, 5_000, 13},
		{"one by one", 1, 1, 1 + 3 + 4 + 4 + 9},
		{"a rest", 3, 2, 1 + 3 + 3 + 3 + 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := startTiny(t)
			w, l := watch(t, c, tt.groups, tt.partitions), least.New(c.Addrs()[0], tt.groups, tt.partitions)
			t.Cleanup(l.Close)
			poll := func() {
				w.Poll(t.Context())
				if err := l.Poll(); err != nil {
					t.Fatal(err)
				}
			}
			poll()
			c.Counter().Reset()
			poll()
			got := callsOf(c)
			if diff := cmp.Diff(got["lagwatch"], got[least.ClientID]); diff != "" || len(got) != 2 {
				t.Errorf("%d clients (-lagwatch +least):\n%s", len(got), diff)
			}
			if n := c.Counter().Total(); n != 2*tt.requests {
				t.Errorf("%d requests of two clients, want %d of each", n, tt.requests)
			}
		})
	}
}

// A cluster whose groups were all in trouble was taken for what conditions cost anywhere.
func TestCalmClusterIsCalm(t *testing.T) {
	for _, tt := range []struct {
		name        string
		calm        bool
		least, most int
	}{
		{"calm", true, 1, 5},
		{"not calm", false, 95, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := synthetic.Start(synthetic.Shape{Name: "few", Groups: 100, Topics: 80, PartitionsPerTopic: 10, TopicsPerGroup: 2, MembersPerGroup: 4, Calm: tt.calm})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			w := watch(t, c, 500, 5_000)
			for range 40 {
				snapshot.Advance(time.Hour)
				w.Poll(t.Context())
			}
			if n := troubled(w.View()); n < tt.least || n > tt.most {
				t.Errorf("%d of 100 groups are in trouble, want %d to %d", n, tt.least, tt.most)
			}
		})
	}
}

// callsOf returns what was counted, by client.
func callsOf(c *synthetic.Cluster) map[string]map[lab.Call]int {
	calls := map[string]map[lab.Call]int{}
	for call, n := range c.Counter().Snapshot() {
		client := call.Client
		call.Client = ""
		if calls[client] == nil {
			calls[client] = map[lab.Call]int{}
		}
		if call.API == "Metadata" {
			call.Broker = 0 // any may be asked
		}
		calls[client][call] = n
	}
	return calls
}

func startTiny(t *testing.T) *synthetic.Cluster {
	t.Helper()
	c, err := synthetic.Start(tiny)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// watch returns a watcher of the cluster that polls when it is told to.
func watch(t *testing.T, c *synthetic.Cluster, groups, partitions int) *collector.Watcher {
	t.Helper()
	client, err := kafka.New(kafka.Options{
		Brokers: c.Addrs()[:1], Interval: time.Hour, MaxGroupsPerRequest: groups, MaxPartitionsPerRequest: partitions, Configs: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return collector.New(client, collector.Options{Cluster: "bench", Interval: time.Hour})
}

// formulas lists groups with their lag, and pairs with their position and owner.
func formulas(s synthetic.Shape, tick int64) map[string]string {
	list := map[string]string{}
	for g := range s.Groups {
		list[s.Group(g)] = fmt.Sprint("lag ", s.GroupLag(g, tick))
		for i := range s.PerGroup() {
			t, p := s.TopicOf(g, i/s.PartitionsPerTopic), i%s.PartitionsPerTopic
			list[fmt.Sprintf("%s %s/%d", s.Group(g), s.Topic(t), p)] = fmt.Sprintf("%d+%d %s@%s",
				s.Committed(g, t, p, tick), s.Lag(g, t, p, tick), s.Client(g, s.MemberOf(i)), s.Host(g, s.MemberOf(i)))
		}
	}
	return list
}

// seen lists the same of a view.
func seen(v *collector.View) map[string]string {
	list := map[string]string{}
	for _, g := range v.Groups {
		list[g.ID] = fmt.Sprint("lag ", g.Lag.Or(-1))
		for _, t := range g.Topics {
			for _, p := range t.Pairs {
				owner := ""
				for _, o := range g.Owners(&p) {
					owner += o.ClientID + "@" + o.Host
				}
				list[fmt.Sprintf("%s %s/%d", g.ID, t.Topic, p.Partition)] = fmt.Sprintf("%d+%d %s", p.Committed.Or(-1), p.Lag.Or(-1), owner)
			}
		}
	}
	return list
}
