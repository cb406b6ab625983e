package kafka

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// place is a place in the log that ListOffsets tells, each by a timestamp that
// stands for it and an isolation level.
type place uint8

const (
	atEnd        place = iota // high watermark
	atLastStable              // first offset of an open transaction, or the high watermark
	atStart                   // first offset still in the log
)

// request asks for the place in each partition of a list.
func (p place) request(list []want) *kmsg.ListOffsetsRequest {
	timestamp := int64(-1)
	if p == atStart {
		timestamp = -2
	}
	req := listOffsetsRequest(list, func(int) int64 { return timestamp })
	if p == atLastStable {
		req.IsolationLevel = 1
	}
	return req
}

// want is a partition whose offset is to be read. Lists of them are sorted by
// topic and partition.
type want struct {
	topic *topicState
	part  *snapshot.Partition
}

// readOffsets reads end offsets of all partitions at their leaders, last
// stable offsets where a group asks for them, and start offsets where they are
// unknown or due. It runs after every commit of the poll has been read. What
// failed because its leader moved is read once more after new metadata.
func (r *round) readOffsets(ctx context.Context) {
	failed := r.readWanted(ctx)
	if len(failed) > 0 && ctx.Err() == nil && r.movedSince(ctx, failed) {
		failed = r.readWanted(ctx)
	}
	r.noteFailed(failed)
}

// readWanted reads what is not known yet of this poll.
func (r *round) readWanted(ctx context.Context) []failure {
	wanted := r.wanted()
	var failed []failure
	for at, list := range wanted {
		failed = append(failed, r.readAt(ctx, place(at), list)...)
	}
	return failed
}

// byLeader are partitions by the broker that leads them, −1 for none.
type byLeader map[int32][]want

func (l byLeader) add(w want, expect int) {
	leader := w.part.Leader.Or(-1)
	list, ok := l[leader]
	if !ok {
		list = make([]want, 0, expect)
	}
	l[leader] = append(list, w)
}

// wanted finds what is not known yet of this poll, for each place in the log.
func (r *round) wanted() [3]byLeader {
	list := [3]byLeader{{}, {}, {}}
	now, topics := snapshot.InstantOf(r.started), r.cluster.byName()
	expect := 0 // of one broker's
	for _, t := range topics {
		expect += len(t.Partitions)
	}
	expect = expect/max(1, len(r.brokers)) + 1
	for _, t := range topics {
		if !t.wanted || !t.answered {
			continue
		}
		for i := range t.Partitions {
			w := want{t, &t.Partitions[i]}
			if !w.part.End.Known() {
				list[atEnd].add(w, expect)
			}
			if t.stable && !w.part.LastStable.Known() {
				list[atLastStable].add(w, 0)
			}
			if s, ok := w.part.Start.Get(); !ok || now.Sub(s.At) >= r.opts.StartOffsetInterval {
				list[atStart].add(w, 0)
			}
		}
	}
	return list
}

// failure is a partition that could not be read, and why.
type failure struct {
	want
	broker snapshot.Maybe[int32]
	err    error
	retry  bool // new metadata may help
}

// readAt reads one place in the log for every partition given, one request per
// leader and chunk, leaders at the same time.
func (r *round) readAt(ctx context.Context, at place, list byLeader) []failure {
	var mu sync.Mutex
	var failed []failure
	for _, w := range list[-1] {
		failed = append(failed, failure{want: w, err: wire.CodeError(wire.CodeLeaderNotAvailable), retry: true})
	}
	delete(list, -1)
	var wg sync.WaitGroup
	for leader, all := range list {
		wg.Go(func() {
			for chunk := range slices.Chunk(all, r.opts.MaxPartitionsPerRequest) {
				f := r.listOffsets(ctx, leader, at, chunk)
				mu.Lock()
				failed = append(failed, f...)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return failed
}

// listOffsets sends one ListOffsets request and takes in what it answers. No
// partition may be in it twice.
func (r *round) listOffsets(ctx context.Context, leader int32, at place, chunk []want) []failure {
	broker := snapshot.Known(leader)
	a, err := r.askBroker(ctx, leader, at.request(chunk))
	if err != nil {
		var failed []failure
		for _, w := range chunk {
			failed = append(failed, failure{w, broker, err, true})
		}
		return failed
	}
	var failed []failure
	now := snapshot.InstantOf(a.At)
	eachOffset(a.Body.(*kmsg.ListOffsetsResponse), chunk, func(i int, p *kmsg.ListOffsetsResponseTopicPartition) {
		w := chunk[i]
		if err := wire.CodeError(p.ErrorCode); err != nil {
			failed = append(failed, failure{w, broker, err, staleRoute(p.ErrorCode)})
		} else if p.Offset < 0 {
			failed = append(failed, failure{w, broker, fmt.Errorf("%w: offset %d", wire.ErrMalformed, p.Offset), false})
		} else {
			w.set(at, snapshot.Reading{Offset: p.Offset, At: now})
		}
	}, func(i int) {
		failed = append(failed, failure{chunk[i], broker, errIncomplete, false})
	})
	return failed
}

// set takes in a reading. A start beyond the end is of a log that is gone, as
// after a topic without an id was recreated: it is read again at the next poll.
func (w want) set(at place, r snapshot.Reading) {
	switch at {
	case atStart:
		w.part.Start = snapshot.Known(r)
		return
	case atLastStable:
		w.part.LastStable = snapshot.Known(r)
		return
	}
	w.part.End = snapshot.Known(r)
	if s, ok := w.part.Start.Get(); ok && s.Offset > r.Offset {
		w.part.Start = snapshot.Maybe[snapshot.Reading]{}
	}
}

// listOffsetsRequest asks for each partition of a list by the timestamp of its
// index.
func listOffsetsRequest(chunk []want, timestamp func(i int) int64) *kmsg.ListOffsetsRequest {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	all := make([]kmsg.ListOffsetsRequestTopicPartition, len(chunk))
	for i, w := range chunk {
		all[i] = kmsg.NewListOffsetsRequestTopicPartition()
		all[i].Partition, all[i].Timestamp, all[i].CurrentLeaderEpoch = w.part.ID, timestamp(i), -1
		if n := len(req.Topics); n == 0 || req.Topics[n-1].Topic != w.topic.Name {
			t := kmsg.NewListOffsetsRequestTopic()
			t.Topic, t.Partitions = w.topic.Name, all[i:i]
			req.Topics = append(req.Topics, t)
		}
		t := &req.Topics[len(req.Topics)-1]
		t.Partitions = t.Partitions[:len(t.Partitions)+1]
	}
	return req
}

// movedSince asks for metadata again, where that may help a failed partition,
// and tells whether it did so.
func (r *round) movedSince(ctx context.Context, failed []failure) bool {
	return slices.ContainsFunc(failed, func(f failure) bool { return f.retry }) && r.readMetadata(ctx) == nil
}

// noteFailed counts the partitions that failed by what caused it: a broker
// that does not answer, or what it answers for a topic. One that failed at its
// start and its end alike counts once.
func (r *round) noteFailed(failed []failure) {
	type cause struct {
		topic     string
		partition int32
		reason    snapshot.Reason
	}
	counted := map[cause]bool{}
	for _, f := range failed {
		c := cause{f.topic.Name, f.part.ID, wire.ReasonOf(f.err)}
		if counted[c] {
			continue
		}
		counted[c] = true
		p := snapshot.Problem{Stage: snapshot.StageListOffsets, Broker: f.broker}
		if wire.IsCode(f.err) {
			p.Topic = f.topic.Name
		}
		r.problem(p, f.err)
	}
}
