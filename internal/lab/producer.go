package lab

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	// produceEvery is how often a producer looks for records that are due.
	// A look costs up to a request per broker.
	produceEvery = 200 * time.Millisecond

	// batchBytes bounds a batch, see fetchBytes; it has room for some twenty
	// records.
	batchBytes = 512

	// maxUnsent is how many records may wait in a client: a producer falls
	// behind its schedule when its brokers do, and catches up later. It is
	// below the number at which the client blocks.
	maxUnsent = 5000

	// stopTimeout bounds each request that a client sends on its way out.
	stopTimeout = 2 * time.Second
)

// ProducerSpec describes a producer.
type ProducerSpec struct {
	Topic    string
	ClientID string  // "" means "<topic>-producer"
	Rate     float64 // records per second, on average

	// HotShare of the records go to partition 0, between 0 and 1; the rest
	// to the others in turn. 0 means to all in turn.
	HotShare float64

	Bursts Bursts // zero means evenly over time
}

// Producer produces at a given rate until it is stopped. Its methods may be
// called concurrently.
type Producer struct {
	cluster *Cluster
	client  *kgo.Client
	spec    ProducerSpec
	spread  spread        // used by run only
	rate    atomic.Uint64 // a float64

	acked, failed atomic.Int64

	cancel context.CancelFunc
	done   chan struct{}
	once   sync.Once
}

// StartProducer starts a producer on a topic that exists.
func (c *Cluster) StartProducer(spec ProducerSpec) (*Producer, error) {
	p, err := c.newProducer(spec)
	if err != nil {
		return nil, fmt.Errorf("starting a producer on %s: %w", spec.Topic, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	if err := c.adopt(p); err != nil {
		cancel()
		p.client.Close()
		return nil, fmt.Errorf("starting a producer on %s: %w", spec.Topic, err)
	}
	go p.run(ctx)
	return p, nil
}

func (c *Cluster) newProducer(spec ProducerSpec) (*Producer, error) {
	if err := (schedule{spec.Rate, spec.Bursts}).check(); err != nil {
		return nil, err
	}
	if spec.HotShare < 0 || spec.HotShare > 1 {
		return nil, fmt.Errorf("hot share is %v", spec.HotShare)
	}
	partitions := len(c.fake.PartitionInfos(spec.Topic))
	if partitions == 0 {
		return nil, fmt.Errorf("no such topic")
	}
	if spec.ClientID == "" {
		spec.ClientID = spec.Topic + "-producer"
	}
	cl, err := c.NewClient(producing(spec.ClientID)...)
	if err != nil {
		return nil, err
	}
	p := &Producer{
		cluster: c,
		client:  cl,
		spec:    spec,
		spread:  spread{partitions: int32(partitions), hotShare: spec.HotShare},
		done:    make(chan struct{}),
	}
	p.SetRate(spec.Rate)
	return p, nil
}

// producing are the options of the lab's own producers.
func producing(clientID string) []kgo.Opt {
	return []kgo.Opt{
		kgo.ClientID(clientID),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchMaxBytes(batchBytes),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
	}
}

// Acked is how many records the brokers acknowledged.
func (p *Producer) Acked() int64 { return p.acked.Load() }

// Failed is how many records were given up.
func (p *Producer) Failed() int64 { return p.failed.Load() }

// SetRate changes how many records per second are produced, 0 or more, from
// now on.
func (p *Producer) SetRate(perSecond float64) { p.rate.Store(math.Float64bits(perSecond)) }

// Stop ends the producer and waits for the records that are on their way,
// for up to two seconds. More calls do nothing but wait.
func (p *Producer) Stop() {
	p.once.Do(func() {
		p.cancel()
		<-p.done
		ctx, cancel := bounded(stopTimeout)
		defer cancel()
		if err := p.client.Flush(ctx); err != nil {
			p.cluster.logf("producer on %s: records left unsent: %v", p.spec.Topic, err)
		}
		p.client.Close()
		p.cluster.release(p)
	})
}

func (p *Producer) run(ctx context.Context) {
	defer close(p.done)
	tick := time.NewTicker(produceEvery)
	defer tick.Stop()
	due := schedule{p.spec.Rate, p.spec.Bursts}
	start, before := time.Now(), int64(0) // what was due before start
	for sent := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		want := before + due.due(time.Since(start))
		if rate := math.Float64frombits(p.rate.Load()); rate != due.rate {
			due.rate, start, before = rate, time.Now(), want
		}
		for ; sent < want && p.client.BufferedProduceRecords() < maxUnsent; sent++ {
			p.send(sent)
		}
	}
}

// send hands a record to the client, which has room for it.
func (p *Producer) send(n int64) {
	r := record(n)
	r.Topic, r.Partition = p.spec.Topic, p.spread.next()
	p.client.Produce(context.Background(), r, func(_ *kgo.Record, err error) {
		if err == nil {
			p.acked.Add(1)
			return
		}
		if p.failed.Add(1) == 1 {
			p.cluster.logf("producer on %s: %v", p.spec.Topic, err)
		}
	})
}
