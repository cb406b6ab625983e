// Package replay lets the collector watch a simulated group: polls come at the moments
// at which the simulation has them, and bring what it says that they saw.
package replay

import (
	"context"
	"errors"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/simulate"
	"github.com/lagwatch/lagwatch/internal/simulate/trace"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Seen is what is known of the group after a poll.
type Seen struct {
	// At is when the poll was made, Failed that it brought nothing.
	At     trace.Moment
	Failed bool
	// Group is nil before anything is known of it.
	Group *collector.Group
}

// Watch calls each after every poll, in order. It sleeps from poll to poll: to have it
// done soon, call it in a bubble of testing/synctest.
func Watch(run simulate.Run, o collector.Options, each func(Seen)) {
	p := &player{run: run, began: time.Now()}
	o.Cluster, o.Interval = "simulated", time.Duration(run.Trace.Header.Interval)
	var w *collector.Watcher
	for i := range run.Looks {
		p.look = &run.Looks[i]
		if w == nil || p.look.Poll >= 0 && run.Trace.Polls[p.look.Poll].Restart {
			w = collector.New(p, o)
		}
		time.Sleep(time.Until(p.time(p.look.At)))
		w.Poll(context.Background())
		seen := Seen{At: p.look.At, Failed: p.look.Poll < 0}
		if list := w.View().Groups; len(list) > 0 {
			seen.Group = &list[0]
		}
		each(seen)
	}
}

// player is the poller, and the broker that is asked when records arrived.
type player struct {
	run   simulate.Run
	began time.Time
	look  *simulate.Look
}

var errLost = errors.New("no answer from any broker")

func (p *player) time(m trace.Moment) time.Time { return p.began.Add(time.Duration(m)) }

// Poll brings what the present look saw. It takes as long as that took.
func (p *player) Poll(context.Context) (*snapshot.Snapshot, error) {
	s := &snapshot.Snapshot{Started: time.Now()}
	if p.look.Poll < 0 {
		s.Finished = s.Started
		s.Problems = []snapshot.Problem{{Stage: snapshot.StageMetadata, Reason: snapshot.ReasonTimeout, Count: 1, Detail: errLost.Error()}}
		return s, errLost
	}
	poll := &p.run.Trace.Polls[p.look.Poll]
	s.ClusterID = "simulated"
	s.Brokers = []snapshot.Broker{{ID: 1, Addr: "broker:9092", Answered: snapshot.Known(true)}}
	s.Groups = []snapshot.Group{p.group(poll)}
	for i := range poll.Logs {
		time.Sleep(time.Until(p.time(poll.Logs[i].At)))
	}
	s.Topics = []snapshot.Topic{p.topic(poll)}
	s.Finished = time.Now()
	return s, nil
}

// Times says when records arrived, as a broker does.
func (p *player) Times(_ context.Context, list []snapshot.TimeQuestion) []snapshot.TimeAnswer {
	answers := make([]snapshot.TimeAnswer, len(list))
	now := trace.Moment(time.Since(p.began))
	for i, q := range list {
		offset, stamp, found := p.run.Lookup(q.Partition, trace.Moment(q.Asked.Sub(p.began)), now)
		answers[i] = snapshot.TimeAnswer{Known: true, Found: found}
		if found {
			answers[i].Offset, answers[i].Stamp = offset, p.time(stamp)
		}
	}
	return answers
}
