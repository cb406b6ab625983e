package testkafka

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Protocol is how a consumer takes part in its group.
type Protocol string

// The protocols that the driver's consumers speak.
const (
	// ClassicRange is the classic protocol with the range assignor: members
	// give up everything in each rebalance.
	ClassicRange Protocol = "range"
	// ClassicCooperative is the classic protocol with the cooperative-sticky
	// assignor.
	ClassicCooperative Protocol = "cooperative"
	// Consumer is the consumer group protocol, group.protocol=consumer. Brokers
	// of 3.7 to 3.9 need group.coordinator.rebalance.protocols=classic,consumer.
	Consumer Protocol = "consumer"
	// Share is a member of a share group. Needs Kafka 4.2 or later, where
	// share groups are on by default.
	Share Protocol = "share"
)

// CommitMode is when a consumer commits. Share consumers don't: they
// acknowledge each batch.
type CommitMode string

// The commit modes.
const (
	// CommitBatches commits synchronously after each batch.
	CommitBatches CommitMode = "batch"
	// CommitAuto leaves it to the client, at ConsumerSpec.AutoCommitInterval.
	CommitAuto CommitMode = "auto"
	// CommitNever commits nothing.
	CommitNever CommitMode = "never"
)

// Acknowledgement is what a share consumer says of each record that it has
// processed.
type Acknowledgement string

// The acknowledgements.
const (
	Accept  Acknowledgement = "accept"
	Release Acknowledgement = "release" // somebody is given it again
	Reject  Acknowledgement = "reject"  // nobody is
	// HoldOne takes one record and keeps it until it is closed or the group's
	// share.record.lock.duration.ms is over: the group's start offset on that
	// partition stays there. It reads nothing else, so the group needs another
	// consumer. See SetGroupConfig.
	HoldOne Acknowledgement = "hold"
)

// ConsumerSpec describes a consumer.
type ConsumerSpec struct {
	// ID names it, in events, in StopConsumer and as its client id.
	ID string
	// Group may be empty only with Assign and CommitNever.
	Group string
	// Topics are subscribed to. Exactly one of Topics and Assign is given.
	Topics []string
	// Assign are partitions that it takes without being a member of the group.
	// It commits in the group's name all the same.
	Assign []TopicPartition
	// Protocol is ClassicRange when empty.
	Protocol Protocol
	// InstanceID makes it a static member.
	InstanceID string
	// Processing is how long it works on each record; see SlowConsumer.
	Processing time.Duration
	// Commit is CommitBatches when empty.
	Commit CommitMode
	// AutoCommitInterval is Kafka's default, 5 s, when 0.
	AutoCommitInterval time.Duration
	// ReportCommits asks for a Committed event for each commit, or a Processed
	// event for each batch of a share consumer. All are kept, in memory.
	ReportCommits bool
	// MaxPollRecords is Kafka's default, 500, when 0.
	MaxPollRecords int
	// OffsetReset is where it starts without a commit: earliest (also when
	// empty), latest or none. For share groups, see SetGroupConfig.
	OffsetReset string
	// Session is the session timeout of a classic member, at least 1 s; Kafka's
	// default, 45 s, when 0. Heartbeats go out each second, or three times in a
	// shorter session. For consumer groups, see SetGroupConfig.
	Session time.Duration
	// Acknowledge is Accept when empty. For share consumers.
	Acknowledge Acknowledgement
	// Config are Java consumer settings that win over all of the above.
	Config map[string]string
}

// wireConsumer is a ConsumerSpec for the driver.
type wireConsumer struct {
	ID               string            `json:"id"`
	Group            string            `json:"group"`
	Topics           []string          `json:"topics"`
	Assign           []TopicPartition  `json:"assign"`
	Protocol         Protocol          `json:"protocol"`
	InstanceID       string            `json:"instanceId"`
	ProcessingNanos  int64             `json:"processingNanos"`
	Commit           CommitMode        `json:"commit"`
	AutoCommitMillis int64             `json:"autoCommitMillis"`
	ReportCommits    bool              `json:"reportCommits"`
	MaxPollRecords   int               `json:"maxPollRecords"`
	OffsetReset      string            `json:"offsetReset"`
	SessionMillis    int64             `json:"sessionMillis"`
	Acknowledge      Acknowledgement   `json:"acknowledge"`
	Config           map[string]string `json:"config"`
}

func (s ConsumerSpec) wire() wireConsumer {
	return wireConsumer{
		ID: s.ID, Group: s.Group, Topics: s.Topics, Assign: s.Assign,
		Protocol: orDefault(s.Protocol, ClassicRange), InstanceID: s.InstanceID,
		ProcessingNanos: s.Processing.Nanoseconds(), Commit: orDefault(s.Commit, CommitBatches),
		AutoCommitMillis: s.AutoCommitInterval.Milliseconds(), ReportCommits: s.ReportCommits,
		MaxPollRecords: s.MaxPollRecords, OffsetReset: orDefault(s.OffsetReset, "earliest"),
		SessionMillis: s.Session.Milliseconds(), Acknowledge: orDefault(s.Acknowledge, Accept), Config: s.Config,
	}
}

func orDefault[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// check finds mistakes that Kafka's clients would report late or not at all.
func (s ConsumerSpec) check() error {
	assigns := len(s.Assign) > 0
	switch {
	case s.ID == "":
		return errors.New("it has no id")
	case assigns == (len(s.Topics) > 0):
		return errors.New("want either topics or assigned partitions")
	case s.Group == "" && !(assigns && s.Commit == CommitNever):
		return errors.New("it has no group")
	case assigns && s.Protocol == Share:
		return errors.New("share consumers can't assign themselves partitions")
	}
	switch s.Protocol {
	case "", ClassicRange, ClassicCooperative, Consumer, Share:
	default:
		return fmt.Errorf("unknown protocol %q", s.Protocol)
	}
	switch s.Commit {
	case "", CommitBatches, CommitAuto, CommitNever:
	default:
		return fmt.Errorf("unknown commit mode %q", s.Commit)
	}
	switch s.Acknowledge {
	case "", Accept, Release, Reject, HoldOne:
	default:
		return fmt.Errorf("unknown acknowledgement %q", s.Acknowledge)
	}
	return nil
}

// StartConsumer starts a consumer and does not wait until it has partitions:
// see WaitAssigned. Its id must not belong to one that runs; one that failed or
// was closed may be followed by another of the same id.
func (d *Driver) StartConsumer(ctx context.Context, spec ConsumerSpec) error {
	what := fmt.Sprintf("starting consumer %q of group %q", spec.ID, spec.Group)
	if err := spec.check(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return d.call(ctx, what, "startConsumer", spec.wire(), nil)
}

// SlowConsumer changes how long a consumer works on each record, from the next
// record on.
func (d *Driver) SlowConsumer(ctx context.Context, id string, processing time.Duration) error {
	what := fmt.Sprintf("setting consumer %s to %v a record", id, processing)
	args := map[string]any{"id": id, "processingNanos": processing.Nanoseconds()}
	return d.call(ctx, what, "slowConsumer", args, nil)
}

// PoisonConsumer makes a consumer fail on every record of some partitions, from its
// next batch on: it stays where it is there, and goes on elsewhere. It doesn't work
// on share consumers.
func (d *Driver) PoisonConsumer(ctx context.Context, id string, partitions ...TopicPartition) error {
	what := fmt.Sprintf("poisoning %v for consumer %s", partitions, id)
	args := map[string]any{"id": id, "partitions": partitions}
	return d.call(ctx, what, "poisonConsumer", args, nil)
}

// CloseConsumer ends a consumer as an application would that shuts down: it
// finishes no batch, commits what it has processed, leaves the group (a static
// member does not) and is gone when CloseConsumer returns.
func (d *Driver) CloseConsumer(ctx context.Context, id string) error {
	return d.stopConsumer(ctx, id, false)
}

// AbandonConsumer ends a consumer that neither leaves its group nor commits
// what it processed last, so that the group learns of it when the session times
// out. The consumer itself may report Revoked or Lost. One with CommitAuto may commit once more; only Driver.Kill is as
// sudden as a crash. It needs clients of Kafka 4.1 or later, and doesn't work
// on share consumers.
func (d *Driver) AbandonConsumer(ctx context.Context, id string) error {
	return d.stopConsumer(ctx, id, true)
}

func (d *Driver) stopConsumer(ctx context.Context, id string, abandon bool) error {
	what := "closing consumer " + id
	if abandon {
		what = "abandoning consumer " + id
	}
	args := map[string]any{"id": id, "abandon": abandon}
	return d.call(ctx, what, "stopConsumer", args, nil)
}
