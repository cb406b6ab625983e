package exercise

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/collector/kafka"
)

const (
	// pollInterval is lagwatch's, and with it how long a poll may take.
	pollInterval = time.Second

	// pollPace is the time from one poll to the next: more often than a lagwatch that
	// watches more than one group would.
	pollPace = 200 * time.Millisecond
)

// watch is lagwatch, which watches the one group. Its methods may be called
// concurrently.
type watch struct {
	watcher *collector.Watcher
	client  *kafka.Client
	group   string

	mu        sync.Mutex
	handovers []Handover // as the views showed them
	last      map[int32]PartitionSight
}

// Handover is a partition that got another owner, as lagwatch saw it.
type Handover struct {
	Partition int32  `json:"partition"`
	From      string `json:"from"`
	To        string `json:"to"`
	// Committed is the group's position before the new owner was seen: it reads from
	// there on, or from further on where the old one committed once more unseen. Absent
	// where the group had none.
	Committed *int64 `json:"committed,omitempty"`
}

func newWatch(o Options) (*watch, error) {
	only := func(name string) bool { return name == o.Name }
	client, err := kafka.New(kafka.Options{
		Brokers: o.Brokers, Interval: pollInterval, RequestTimeout: pollInterval * 4 / 5, StartOffsetInterval: pollInterval,
		TLS: o.TLS, SASL: o.SASL, KeepGroup: only, KeepTopic: only, ReadCommitted: only,
	})
	if err != nil {
		return nil, err
	}
	w := collector.New(client, collector.Options{Cluster: "exercise", Interval: pollInterval, StaleAfter: time.Minute})
	return &watch{watcher: w, client: client, group: o.Name, last: map[int32]PartitionSight{}}, nil
}

// run polls until ctx ends.
func (w *watch) run(ctx context.Context) {
	defer w.client.Close()
	tick := time.NewTicker(pollPace)
	defer tick.Stop()
	for ctx.Err() == nil {
		w.watcher.Poll(ctx)
		w.follow(sightOf(w.watcher.View(), w.group))
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// follow compares what a poll saw with what polls saw before. A partition that
// nobody owns for a while changes hands when somebody does.
func (w *watch) follow(s Sight) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range s.Partitions {
		before, ok := w.last[p.Partition]
		if p.Owner == "" {
			p.Owner = before.Owner
		}
		if ok && before.Owner != "" && before.Owner != p.Owner {
			w.handovers = append(w.handovers, Handover{p.Partition, before.Owner, p.Owner, before.Committed})
		}
		w.last[p.Partition] = p
	}
}

// look is what lagwatch sees now.
func (w *watch) look() Sight { return sightOf(w.watcher.View(), w.group) }

// since are the handovers after the first n, and how many there are now.
func (w *watch) since(n int) ([]Handover, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.handovers[n:]), len(w.handovers)
}
