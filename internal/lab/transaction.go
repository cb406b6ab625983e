package lab

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// transactionTimeout is after how long the coordinator aborts a transaction; it
// is just below the most that a broker allows by default, 15 minutes.
const transactionTimeout = 14 * time.Minute

// Transaction is one that was begun and not ended: the last stable offset of
// its partitions stands still. Stop may be called from any goroutine.
type Transaction struct {
	cluster *Cluster
	client  *kgo.Client
	id      string
	stopped chan struct{} // has a token until Stop takes it
}

// StartTransaction begins a transaction and produces one record to each
// partition of a topic in it. The coordinator aborts it after 14 minutes.
func (c *Cluster) StartTransaction(ctx context.Context, topic, id string) (*Transaction, error) {
	t, err := c.startTransaction(ctx, topic, id)
	if err != nil {
		return nil, fmt.Errorf("starting the transaction %s on %s: %w", id, topic, err)
	}
	return t, nil
}

func (c *Cluster) startTransaction(ctx context.Context, topic, id string) (*Transaction, error) {
	cl, err := c.NewClient(append(producing(id), kgo.TransactionalID(id), kgo.TransactionTimeout(transactionTimeout))...)
	if err != nil {
		return nil, err
	}
	t := &Transaction{cluster: c, client: cl, id: id, stopped: make(chan struct{}, 1)}
	t.stopped <- struct{}{}
	if err = cl.BeginTransaction(); err == nil {
		err = cl.ProduceSync(ctx, oneEach(topic, len(c.fake.PartitionInfos(topic)))...).FirstErr()
	}
	if err == nil {
		err = c.adopt(t)
	}
	if err != nil {
		cl.Close()
		return nil, err
	}
	return t, nil
}

// oneEach is a record for each partition of a topic.
func oneEach(topic string, partitions int) []*kgo.Record {
	var rs []*kgo.Record
	for p := range partitions {
		r := record(int64(p))
		r.Topic, r.Partition = topic, int32(p)
		rs = append(rs, r)
	}
	return rs
}

// Stop commits the transaction. More calls do nothing.
func (t *Transaction) Stop() {
	select {
	case <-t.stopped:
	default:
		return
	}
	ctx, cancel := bounded(stopTimeout)
	defer cancel()
	if err := t.client.EndTransaction(ctx, kgo.TryCommit); err != nil {
		t.cluster.logf("transaction %s: committing: %v", t.id, err)
	}
	t.client.Close()
	t.cluster.release(t)
}
