package exercise

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
)

// write produces events, with a client that ends with the call.
func (x *run) write(ctx context.Context, events []Event) error {
	return x.writing(ctx, nil, func(ctx context.Context, client *kgo.Client) error {
		out, err := produce(ctx, client, x.opts.Name, events)
		x.produced = append(x.produced, out...)
		return err
	})
}

// writing calls f with a producer that hashes keys as Kafka's own do.
func (x *run) writing(ctx context.Context, opts []kgo.Opt, f func(context.Context, *kgo.Client) error) error {
	client, err := x.opts.connect("producer", x.opts.dial, append(opts, kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)))...)
	if err != nil {
		return fmt.Errorf("starting a producer: %w", err)
	}
	defer client.Close()
	return x.bounded(ctx, func(ctx context.Context) error { return f(ctx, client) })
}

// writeInTransactions produces events that are taken back, and then others that are
// not.
func (x *run) writeInTransactions(ctx context.Context, back, events []Event) error {
	return x.writing(ctx, []kgo.Opt{kgo.TransactionalID(x.opts.Name)}, func(ctx context.Context, client *kgo.Client) error {
		var err error
		if x.withdrawn, err = transaction(ctx, client, x.opts.Name, back, kgo.TryAbort); err != nil {
			return err
		}
		out, err := transaction(ctx, client, x.opts.Name, events, kgo.TryCommit)
		x.produced = append(x.produced, out...)
		return err
	})
}

func transaction(ctx context.Context, client *kgo.Client, topic string, events []Event, end kgo.TransactionEndTry) ([]Event, error) {
	if err := client.BeginTransaction(); err != nil {
		return nil, fmt.Errorf("beginning a transaction: %w", err)
	}
	out, err := produce(ctx, client, topic, events)
	if err == nil {
		err = client.EndTransaction(ctx, end)
	}
	if err != nil {
		return nil, fmt.Errorf("in a transaction: %w", err)
	}
	return out, nil
}

// produce writes events and returns them with their places, by partition and offset.
func produce(ctx context.Context, client *kgo.Client, topic string, events []Event) ([]Event, error) {
	var rs []*kgo.Record
	for _, e := range events {
		rs = append(rs, &kgo.Record{Topic: topic, Key: []byte(e.Key), Value: e.value()})
	}
	if err := client.ProduceSync(ctx, rs...).FirstErr(); err != nil {
		return nil, fmt.Errorf("writing events to %s: %w", topic, err)
	}
	out := slices.Clone(events)
	for i, r := range rs {
		out[i].Partition, out[i].Offset = r.Partition, r.Offset
	}
	return out, nil
}
