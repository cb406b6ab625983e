package collector

import "github.com/lagwatch/lagwatch/internal/snapshot"

// logRows are of topics and their partitions.
var logRows = []Metric{
	{Name: "topic_partitions", Kind: Gauge,
		Help:    "How many partitions the topic has.",
		Unknown: staleGone,
		topic:   emitPartitions},
	{Name: "topic_partitions_added_total", Kind: Counter,
		Help:    "Partitions that the topic gained while it was watched. Keys move to other partitions then.",
		Unknown: always,
		topic:   func(t *Topic, s *series) { s.put(float64(t.Added)) }},
	{Name: "topic_recreated_total", Kind: Counter,
		Help:    "How often the topic was seen to have been deleted and created again: it has another topic id, or was gone for a poll or more.",
		Unknown: "Without topic ids (before Kafka 2.8) only those are counted that were gone for a poll. Begins anew a day after the deletion.",
		topic:   func(t *Topic, s *series) { s.put(float64(t.Recreated)) }},
	{Name: "partition_start_offset", Kind: Gauge, Unit: "offsets",
		Help:      "The first offset that is still in the log. Read less often than the end (start_offset_interval).",
		Unknown:   "Absent when it was due and could not be read for stale_after, or the end could not be.",
		partition: func(p *snapshot.Partition, s *series) { s.reading(p.Start) }},
	{Name: "partition_end_offset", Kind: Gauge, Unit: "offsets",
		Help:      "The offset that the next record will get once it is replicated (the high watermark).",
		Unknown:   staleGone,
		partition: func(p *snapshot.Partition, s *series) { s.reading(p.End) }},
	{Name: "partition_last_stable_offset", Kind: Gauge, Unit: "offsets",
		Help:      "Where reading committed records ends now: the first offset of an open transaction, or the high watermark. Read where a group with isolation read_committed uses the topic.",
		Unknown:   "Absent elsewhere, and when it could not be read for stale_after.",
		partition: func(p *snapshot.Partition, s *series) { s.reading(p.LastStable) }},
}

func emitPartitions(t *Topic, s *series) {
	if t.Partitions != nil {
		s.put(float64(len(t.Partitions)))
	}
}
