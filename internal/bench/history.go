package main

import (
	"encoding/binary"
	"runtime"
	"time"

	"github.com/lagwatch/lagwatch/internal/bench/child"
	"github.com/lagwatch/lagwatch/internal/bench/report"
	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// A history is measured on so many topics of a cluster at most, which is enough for
// a mean, with polls as far apart as they are by default.
const (
	historyTopics = 200
	pollsApart    = 10 * time.Second
)

// sample is a part of a cluster: its first topics, and the groups that read these
// alone.
type sample struct {
	synthetic.Shape
	topics, groups int
}

func sampleOf(s synthetic.Shape) sample {
	topics := min(historyTopics, s.Topics)
	return sample{s, topics, min(max(1, topics/s.TopicsPerGroup), s.Groups)}
}

func (s sample) partitions() int { return s.topics * s.PartitionsPerTopic }
func (s sample) pairs() int      { return s.groups * s.PerGroup() }

// history measures what estimates take, in this process: the memory of histories
// that are full, and the time of a poll for what is estimated from them, of logs
// alone and of logs and pairs.
func history(shape synthetic.Shape) (h report.History, err error) {
	s := sampleOf(shape)
	logs, err := s.run(false)
	if err != nil {
		return h, err
	}
	both, err := s.run(true)
	if err != nil {
		return h, err
	}
	partitions, pairs := float64(s.partitions()), float64(s.pairs())
	h = report.History{
		PartitionBytes: both.logs / partitions, PairBytes: both.pairs / pairs,
		CPUSeconds: logs.cpu/partitions*float64(shape.Partitions()) + max(0, both.cpu-logs.cpu)/pairs*float64(shape.Pairs()),
	}
	h.LeastPartitionBytes, h.LeastPairBytes = s.least()
	return h, nil
}

// cost is what a run takes: the heap of what it remembers, and the CPU time of one
// of its last polls.
type cost struct{ logs, pairs, cpu float64 }

// remembered is what a run remembers.
type remembered struct {
	clock *rates.Clock
	logs  []rates.Log
	pairs []rates.Pair
}

func (s sample) run(pairs bool) (c cost, err error) {
	r := &remembered{clock: rates.NewClock(rates.Options{History: fill * pollsApart, Interval: pollsApart}), logs: make([]rates.Log, s.partitions())}
	if pairs {
		r.pairs = make([]rates.Pair, s.pairs())
	}
	const last = fill / 10
	for tick := range int64(fill - last) {
		r.poll(s, tick)
	}
	began, err := child.ReadUsage()
	if err != nil {
		return c, err
	}
	for tick := range int64(last) {
		r.poll(s, fill-last+tick)
	}
	ended, err := child.ReadUsage()
	c.cpu = ended.Since(began).CPUSeconds / last
	c.logs, c.pairs = r.forget()
	return c, err
}

// forget gives up what is remembered, and returns how much heap that was. What else ends in
// this process meanwhile may add to it, and takes nothing off.
func (r *remembered) forget() (logs, pairs float64) {
	all := heap()
	r.pairs = nil
	some := heap()
	r.clock, r.logs = nil, nil
	none := heap()
	runtime.KeepAlive(r)
	return some - none, all - some
}

func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

func (r *remembered) poll(s sample, tick int64) {
	at := snapshot.Instant(tick+1) * snapshot.Instant(pollsApart)
	r.clock.Begin(at)
	for i := range r.logs {
		end := s.End(i/s.PartitionsPerTopic, i%s.PartitionsPerTopic, tick)
		r.logs[i].Observe(r.clock, snapshot.Reading{Offset: end, At: at})
	}
	for i := range r.pairs {
		group, of := i/s.PerGroup(), i%s.PerGroup()
		topic, partition := s.TopicOf(group, of/s.PartitionsPerTopic), of%s.PartitionsPerTopic
		p := rates.Position{At: at, Lag: s.Lag(group, topic, partition, tick), End: s.End(topic, partition, tick)}
		p.Committed = p.End - p.Lag
		p.Oldest = p.Committed
		r.pairs[i].Observe(r.clock, &r.logs[topic*s.PartitionsPerTopic+partition], p)
	}
}

// least is the mean of what the steps of an offset take alone, each as a varint,
// those of an end and those of a commit: nothing that does not move takes anything.
func (s sample) least() (partition, pair float64) {
	for topic := range s.topics {
		for p := range s.PartitionsPerTopic {
			partition += stepBytes(func(tick int64) int64 { return s.End(topic, p, tick) })
		}
	}
	for g := range s.groups {
		for i := range s.PerGroup() {
			topic, p := s.TopicOf(g, i/s.PartitionsPerTopic), i%s.PartitionsPerTopic
			pair += stepBytes(func(tick int64) int64 { return s.Committed(g, topic, p, tick) })
		}
	}
	return partition / float64(s.partitions()), pair / float64(s.pairs())
}

// stepBytes is how many bytes the steps of one offset take.
func stepBytes(at func(tick int64) int64) float64 {
	n, room := 0, make([]byte, binary.MaxVarintLen64)
	for tick := int64(1); tick < fill; tick++ {
		if step := at(tick) - at(tick-1); step > 0 {
			n += binary.PutUvarint(room, uint64(step))
		}
	}
	return float64(n)
}
