package kafka

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// How often settings are read, which hardly ever change, and how gently.
const (
	configsEvery     = 10 * time.Minute
	configsRetry     = time.Minute // after a failure that may pass
	configsStay      = time.Hour   // they are still known when they can't be read again
	topicsPerRequest = 500
)

// configReads is when and where settings are read next.
type configReads struct {
	next time.Time // when those of all topics are due
	turn int       // whose turn it is to be asked
}

// readConfigs reads the settings of topics that groups use: of all of them at
// the first poll and every ten minutes, and of others when they appear. It runs
// after all that the poll is for, and takes no longer than one exchange may.
func (r *round) readConfigs(ctx context.Context) {
	due := r.configsDue()
	if len(due) == 0 || ctx.Err() != nil {
		return
	}
	read := make([]configRead, len(due))
	brokers, err := r.tellConfigs()
	for i := range read {
		read[i].err = err // stands where nobody is asked
	}
	if len(brokers) > 0 {
		r.askConfigs(ctx, brokers, due, read)
	}
	r.takeConfigs(due, read)
}

// configsDue returns the topics whose settings are to be read now, by name.
func (r *round) configsDue() []*topicState {
	if !r.opts.Configs {
		return nil
	}
	all := !r.started.Before(r.configs.next)
	if all {
		r.configs.next = r.started.Add(configsEvery)
	}
	var due []*topicState
	for _, t := range r.cluster.byName() {
		if t.used && t.answered && !t.Internal && (all || !r.started.Before(t.configDue)) {
			due = append(due, t)
		}
	}
	return due
}

// tellConfigs returns the brokers to ask, by id: those that answered in this
// poll and know the request. Without any there is an error.
func (r *round) tellConfigs() (list []int32, err error) {
	err = errUnknownBroker
	for _, id := range slices.Sorted(maps.Keys(r.brokers)) {
		silent, asked := r.answered[id]
		switch {
		case silent != nil:
			err = silent
		case asked && r.speaks(id, kmsg.DescribeConfigs):
			list = append(list, id)
		case asked:
			_, err = r.brokers[id].Highest(kmsg.DescribeConfigs)
		}
	}
	return list, err
}

// configRead is what was answered for one topic.
type configRead struct {
	config snapshot.TopicConfig
	err    error
	broker snapshot.Maybe[int32] // the one that did not answer
}

// askConfigs shares the topics out among the brokers, in turn, and asks all at
// the same time.
func (r *round) askConfigs(ctx context.Context, brokers []int32, due []*topicState, read []configRead) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.opts.RequestTimeout, wire.ErrTimeout)
	defer cancel()
	var wg sync.WaitGroup
	for k := range brokers {
		first, id := k*topicsPerRequest, brokers[(k+r.configs.turn)%len(brokers)]
		wg.Go(func() {
			for i := first; i < len(due); i += len(brokers) * topicsPerRequest {
				end := min(i+topicsPerRequest, len(due))
				r.describeConfigs(ctx, id, due[i:end], read[i:end])
			}
		})
	}
	wg.Wait()
	r.configs.turn++
}

// describeConfigs sends one DescribeConfigs request and fills read with what it
// answers.
func (r *round) describeConfigs(ctx context.Context, broker int32, topics []*topicState, read []configRead) {
	a, err := r.askAside(ctx, broker, describeConfigsRequest(topics))
	if err != nil {
		for i := range read {
			read[i] = configRead{err: err, broker: snapshot.Known(broker)}
		}
		return
	}
	of := make(map[string]*configRead, len(topics))
	for i, t := range topics {
		read[i].err = errIncomplete
		of[t.Name] = &read[i]
	}
	resources := a.Body.(*kmsg.DescribeConfigsResponse).Resources
	for i := range resources {
		if got, ok := of[resources[i].ResourceName]; ok {
			got.config, got.err = readConfig(&resources[i])
		}
	}
}

func describeConfigsRequest(topics []*topicState) *kmsg.DescribeConfigsRequest {
	req := kmsg.NewPtrDescribeConfigsRequest()
	req.Resources = make([]kmsg.DescribeConfigsRequestResource, len(topics))
	for i, t := range topics {
		req.Resources[i] = kmsg.DescribeConfigsRequestResource{
			ResourceType: kmsg.ConfigResourceTypeTopic, ResourceName: t.Name, ConfigNames: configNames,
		}
	}
	return req
}

// takeConfigs takes in what was read, and notes why the rest was not: once for
// each reason, since who may not read one topic's settings mostly may read none.
func (r *round) takeConfigs(due []*topicState, read []configRead) {
	for i, t := range due {
		got := &read[i]
		t.configDue = r.configs.next
		if got.err == nil {
			t.Config, t.configAt = snapshot.Known(got.config), r.started
			continue
		}
		if passes(got.err) {
			t.configDue = r.started.Add(configsRetry)
		}
		r.problem(snapshot.Problem{Stage: snapshot.StageDescribeConfigs, Broker: got.broker, Optional: true}, configProblem(t, got))
	}
}

// passes tells whether another broker, or the same one in a moment, may tell more.
func passes(err error) bool {
	switch wire.ReasonOf(err) {
	case snapshot.ReasonUnauthorized, snapshot.ReasonUnsupported, snapshot.ReasonMalformed, snapshot.ReasonIncomplete:
		return false
	}
	return true
}

// configProblem says whose settings could not be read, unless that is a matter
// of the broker's.
func configProblem(t *topicState, got *configRead) error {
	if got.broker.Known() {
		return got.err
	}
	err := fmt.Errorf("settings of topic %q: %w", t.Name, got.err)
	if wire.ReasonOf(err) == snapshot.ReasonUnauthorized {
		return wire.Refuse(snapshot.ReasonUnauthorized,
			"grant DESCRIBE_CONFIGS on topics to lagwatch's user, or do without what needs their retention", err)
	}
	return err
}
