package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// What one call of Times may ask of one broker: a look-up by time reads an index
// and a part of a log.
const (
	timesPerRequest   = 500
	timesRequestsEach = 4
)

// Times looks up records by time, at the leaders that the last poll found, and
// answers in the order of the questions. What could not be read is unknown: no
// answer in time, an error, a partition that the last poll did not find or that
// has no leader, a broker that was silent in that poll or since, and what goes
// beyond four requests of 500 partitions to one broker. A broker is sent one
// request after the other, and each partition once in a request, which Kafka
// insists on.
//
// The requests and the problems, all of them optional, are counted by the
// snapshot of the next poll, a request that fails as one. Times ends when ctx does;
// a request that has no answer by then is a problem too, but says nothing of what
// else the broker can do. Calls may overlap.
func (c *Client) Times(ctx context.Context, questions []snapshot.TimeQuestion) []snapshot.TimeAnswer {
	c.mu.RLock()
	defer c.mu.RUnlock()
	answers := make([]snapshot.TimeAnswer, len(questions))
	var wg sync.WaitGroup
	for leader, list := range c.lookups(questions) {
		wg.Go(func() {
			for _, batch := range inRequests(list) {
				c.between.lookUp(ctx, leader, batch, answers)
			}
		})
	}
	wg.Wait()
	return answers
}

// lookup is one question to a partition's leader.
type lookup struct {
	want
	question int   // its index
	asked    int64 // ms since 1970
}

// lookups sorts questions by the broker that can answer. Those that none can are
// left out.
func (c *Client) lookups(questions []snapshot.TimeQuestion) map[int32][]lookup {
	byLeader := map[int32][]lookup{}
	for i, q := range questions {
		t := c.cluster.topics[q.Topic]
		if t == nil || !t.answered {
			continue
		}
		p, ok := t.Partition(q.Partition)
		if !ok {
			continue
		}
		leader, led := p.Leader.Get()
		if _, known := c.brokers[leader]; led && known {
			byLeader[leader] = append(byLeader[leader], lookup{want{t, p}, i, millis(q.Asked)})
		}
	}
	return byLeader
}

// millis is the first millisecond since 1970 that is not before t. Negative
// ones mean something else to Kafka.
func millis(t time.Time) int64 {
	ms := t.UnixMilli()
	if t.Nanosecond()%int(time.Millisecond) != 0 {
		ms++
	}
	return max(ms, 0)
}

// inRequests cuts lookups into requests. A partition that is in one already goes
// to the next; what fits in none is left out.
func inRequests(list []lookup) [][]lookup {
	var requests [][]lookup
	next := map[*snapshot.Partition]int{} // the first request that may have it
	for _, l := range list {
		for n := next[l.part]; n < timesRequestsEach; n++ {
			if n == len(requests) {
				requests = append(requests, nil)
			}
			if len(requests[n]) < timesPerRequest {
				requests[n] = append(requests[n], l)
				next[l.part] = n + 1
				break
			}
		}
	}
	for _, r := range requests {
		slices.SortFunc(r, func(a, b lookup) int {
			return cmp.Or(cmp.Compare(a.topic.Name, b.topic.Name), cmp.Compare(a.part.ID, b.part.ID))
		})
	}
	return requests
}

// lookUp sends one request and takes in what it answers.
func (r *round) lookUp(ctx context.Context, leader int32, batch []lookup, answers []snapshot.TimeAnswer) {
	if over(ctx) || r.silence(leader) != nil {
		return
	}
	at := snapshot.Problem{Stage: snapshot.StageListOffsetsByTime, Broker: snapshot.Known(leader), Optional: true}
	list := make([]want, len(batch))
	for i := range batch {
		list[i] = batch[i].want
	}
	a, err := r.askBroker(ctx, leader, listOffsetsRequest(list, func(i int) int64 { return batch[i].asked }))
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) {
			r.problem(at, err)
		}
		return
	}
	failed := func(i int, err error) {
		r.problem(at, fmt.Errorf("topic %q, partition %d: %w", list[i].topic.Name, list[i].part.ID, err))
	}
	eachOffset(a.Body.(*kmsg.ListOffsetsResponse), list, func(i int, p *kmsg.ListOffsetsResponseTopicPartition) {
		got, err := timeAnswer(p, batch[i].asked)
		if err != nil {
			failed(i, err)
		}
		answers[batch[i].question] = got
	}, func(i int) { failed(i, errIncomplete) })
}

// timeAnswer reads one partition of an answer. The error code counts before the
// values beside it.
func timeAnswer(p *kmsg.ListOffsetsResponseTopicPartition, asked int64) (snapshot.TimeAnswer, error) {
	switch {
	case p.ErrorCode != 0:
		return snapshot.TimeAnswer{}, wire.CodeError(p.ErrorCode)
	case p.Offset == -1:
		return snapshot.TimeAnswer{Known: true}, nil
	case p.Offset < 0 || p.Timestamp < asked:
		return snapshot.TimeAnswer{}, fmt.Errorf("%w: offset %d of %d ms, where one of %d ms or later was asked for", wire.ErrMalformed, p.Offset, p.Timestamp, asked)
	}
	return snapshot.TimeAnswer{Known: true, Found: true, Offset: p.Offset, Stamp: time.UnixMilli(p.Timestamp)}, nil
}
