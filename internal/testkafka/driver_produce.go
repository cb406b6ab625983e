package testkafka

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ProduceSpec describes records to produce at once.
type ProduceSpec struct {
	Topic string
	// Records is how many.
	Records int
	// Partition takes all records. When nil, Keys decides.
	Partition *int
	// Keys is the number of distinct keys, which Kafka hashes to partitions.
	// When 0, records go to the partitions in turn, from partition 0.
	Keys int
	// ValueBytes is the size of each value, of zeros.
	ValueBytes int
	// Time is the timestamp of every record, to the millisecond; zero is now.
	Time time.Time
}

// wireRecords is a ProduceSpec for the driver.
type wireRecords struct {
	Topic      string `json:"topic"`
	Records    int    `json:"records"`
	Partition  *int   `json:"partition"`
	Keys       int    `json:"keys"`
	ValueBytes int    `json:"valueBytes"`
	Timestamp  *int64 `json:"timestamp"`
}

func (s ProduceSpec) wire() wireRecords {
	w := wireRecords{s.Topic, s.Records, s.Partition, s.Keys, s.ValueBytes, nil}
	if !s.Time.IsZero() {
		w.Timestamp = new(s.Time.UnixMilli())
	}
	return w
}

// Produce writes records, waits until they are acknowledged and returns the
// offset behind the last one for each partition that got some. Without other
// producers, that is the partition's end offset.
func (d *Driver) Produce(ctx context.Context, spec ProduceSpec) (Offsets, error) {
	var ends Offsets
	what := fmt.Sprintf("producing %d records to %s", spec.Records, spec.Topic)
	return ends, d.call(ctx, what, "produce", spec.wire(), &ends)
}

// ProducerSpec describes a producer that runs in the background.
type ProducerSpec struct {
	// ID names it, in StopProducer and as its client id.
	ID    string `json:"id"`
	Topic string `json:"topic"`
	// Rate is in records per second, above 0.
	Rate float64 `json:"rate"`
	// HotShare is the part of all records, 0 to 1, that have one hot key and so
	// go to one partition. The others have random keys.
	HotShare float64 `json:"hotShare"`
	// Keys is the number of distinct random keys; 0 means 100.
	Keys int `json:"keys"`
	// ValueBytes is the size of each value.
	ValueBytes int `json:"valueBytes"`
}

// StartProducer starts a producer, which runs until StopProducer.
func (d *Driver) StartProducer(ctx context.Context, spec ProducerSpec) error {
	if spec.ID == "" || spec.Rate <= 0 || spec.HotShare < 0 || spec.HotShare > 1 {
		return fmt.Errorf("starting producer %+v: want an id, a rate above 0 and a hot share from 0 to 1", spec)
	}
	if spec.Keys == 0 {
		spec.Keys = 100
	}
	what := fmt.Sprintf("starting producer %s for %s", spec.ID, spec.Topic)
	return d.call(ctx, what, "startProducer", spec, nil)
}

// StopProducer stops a producer, waits for what it sent and returns how many
// records each partition took from it. A record that could not be produced is
// an error.
func (d *Driver) StopProducer(ctx context.Context, id string) (counts Offsets, err error) {
	args := map[string]string{"id": id}
	return counts, d.call(ctx, "stopping producer "+id, "stopProducer", args, &counts)
}

// TransactionEnd says how a transaction ends.
type TransactionEnd int

// The ends of a transaction. The zero value is none of them.
const (
	Commit TransactionEnd = iota + 1
	Abort
)

func (e TransactionEnd) String() string {
	switch e {
	case Commit:
		return "commit"
	case Abort:
		return "abort"
	}
	return "unknown end"
}

// BeginTransaction writes records in a transaction that stays open: it holds
// the last stable offset until EndTransaction, or until the coordinator aborts
// it because the timeout (0 means 60 s) has passed. The result is as Produce's.
// id is the transactional id.
func (d *Driver) BeginTransaction(ctx context.Context, id string, timeout time.Duration, spec ProduceSpec) (Offsets, error) {
	if timeout == 0 {
		timeout = time.Minute
	}
	args := struct {
		wireRecords
		ID            string `json:"transactionalId"`
		TimeoutMillis int64  `json:"timeoutMillis"`
	}{spec.wire(), id, timeout.Milliseconds()}
	var ends Offsets
	what := fmt.Sprintf("producing %d records to %s in transaction %s", spec.Records, spec.Topic, id)
	return ends, d.call(ctx, what, "beginTransaction", args, &ends)
}

// EndTransaction ends an open transaction and waits for its markers, each of
// which takes an offset. It returns the offset behind them for each partition
// that the transaction wrote to.
func (d *Driver) EndTransaction(ctx context.Context, id string, end TransactionEnd) (Offsets, error) {
	what := fmt.Sprintf("ending transaction %s by %v", id, end)
	if end != Commit && end != Abort {
		return nil, errors.New(what)
	}
	var ends Offsets
	args := map[string]any{"transactionalId": id, "commit": end == Commit}
	return ends, d.call(ctx, what, "endTransaction", args, &ends)
}

// ProduceTransaction writes records in a transaction and ends it; the result is
// as EndTransaction's.
func (d *Driver) ProduceTransaction(ctx context.Context, id string, end TransactionEnd, spec ProduceSpec) (Offsets, error) {
	if _, err := d.BeginTransaction(ctx, id, 0, spec); err != nil {
		return nil, err
	}
	return d.EndTransaction(ctx, id, end)
}
