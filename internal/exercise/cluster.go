package exercise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// metadataAge is how soon a client learns of a topic or of a leader that moved.
const metadataAge = 100 * time.Millisecond

// removalTimeout bounds the removal of what was created, beside the session timeout: a
// group can be deleted when its last member's session is over.
const removalTimeout = 30 * time.Second

// cluster creates and removes what the exercise needs.
type cluster struct {
	client *kgo.Client
	admin  *kadm.Client
	name   string // of topic and group
	where  string // what remedies have of the cluster
	// topic and group say that there may be one. Nothing is asked about a group that
	// nobody joined: looking for it would make Kafka create its offsets topic.
	topic, group bool
}

func newCluster(o Options) (*cluster, error) {
	client, err := o.connect("admin", o.dial)
	if err != nil {
		return nil, fmt.Errorf("connecting to %v: %w", o.Brokers, err)
	}
	where := " --bootstrap-server " + o.Brokers[0]
	if o.TLS != nil || o.SASL != nil {
		where += " --command-config client.properties"
	}
	return &cluster{client: client, admin: kadm.NewClient(client), name: o.Name, where: where}, nil
}

// create makes the topic, with as many replicas as the brokers make by default, and
// waits until it has leaders.
func (c *cluster) create(ctx context.Context) error {
	if err := c.client.Ping(ctx); err != nil {
		return fmt.Errorf("no broker answers: %w; check --brokers, and the --tls and --sasl flags for how they are reached", err)
	}
	c.topic = true
	r, err := c.admin.CreateTopic(ctx, partitions, -1, nil, c.name)
	if err = errors.Join(err, r.Err); err != nil {
		return fmt.Errorf("creating topic %s: %w", c.name, err)
	}
	return until(ctx, func() bool {
		topics, err := c.admin.ListTopics(ctx, c.name)
		return err == nil && topics[c.name].Err == nil && len(topics[c.name].Partitions) == partitions && led(topics[c.name].Partitions)
	})
}

func led(ps kadm.PartitionDetails) bool {
	for _, p := range ps {
		if p.Err != nil || p.Leader < 0 {
			return false
		}
	}
	return true
}

// LeftBehindError says that something could not be removed.
type LeftBehindError struct {
	What   string // "topic" or "group", and its name
	Remedy string // a command that removes it, as it can be pasted
	Err    error
}

func (e *LeftBehindError) Error() string {
	return fmt.Sprintf("%s is left behind: %v; %s removes it", e.What, e.Err, e.Remedy)
}

func (e *LeftBehindError) Unwrap() error { return e.Err }

// remove deletes the group and the topic and waits until both are gone.
func (c *cluster) remove(ctx context.Context) error {
	return errors.Join(c.removeGroup(ctx), c.removeTopic(ctx))
}

func (c *cluster) removeGroup(ctx context.Context) error {
	if !c.group {
		return nil
	}
	var last error
	err := until(ctx, func() bool {
		r, err := c.admin.DeleteGroup(ctx, c.name)
		last = errors.Join(err, r.Err)
		return errors.Is(last, kerr.GroupIDNotFound) // never there, or removed by the call before
	})
	if err != nil {
		return &LeftBehindError{"group " + c.name, "kafka-consumer-groups.sh" + c.where + " --delete --group " + c.name, errors.Join(last, err)}
	}
	return nil
}

func (c *cluster) removeTopic(ctx context.Context) error {
	if !c.topic {
		return nil
	}
	var last error
	err := until(ctx, func() bool {
		if last = c.deleteTopic(ctx); last != nil {
			return false
		}
		topics, err := c.admin.ListTopics(ctx, c.name)
		last = err
		return err == nil && (len(topics) == 0 || errors.Is(topics[c.name].Err, kerr.UnknownTopicOrPartition))
	})
	if err != nil {
		return &LeftBehindError{"topic " + c.name, "kafka-topics.sh" + c.where + " --delete --topic " + c.name, errors.Join(last, err)}
	}
	return nil
}

func (c *cluster) deleteTopic(ctx context.Context) error {
	r, err := c.admin.DeleteTopic(ctx, c.name)
	if err = errors.Join(err, r.Err); errors.Is(err, kerr.UnknownTopicOrPartition) {
		return nil
	}
	return err
}

// ends are where reading committed records ends now, by partition.
func (c *cluster) ends(ctx context.Context) (map[int32]int64, error) {
	listed, err := c.admin.ListCommittedOffsets(ctx, c.name)
	if err = errors.Join(err, listed.Error()); err != nil {
		return nil, fmt.Errorf("reading the ends of topic %s: %w", c.name, err)
	}
	out := map[int32]int64{}
	listed.Each(func(o kadm.ListedOffset) { out[o.Partition] = o.Offset })
	return out, nil
}

// until asks until ok returns true or ctx ends, whose error it returns then.
func until(ctx context.Context, ok func() bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}
