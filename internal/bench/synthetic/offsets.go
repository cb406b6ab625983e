package synthetic

import "time"

// Offsets move with a tick, so that no poll reads what the one before it read:
// three quarters of the partitions are written to, and a fifth of the pairs are
// far behind, half of them for good. All are formulas over a hash.

// mix is a hash of two small numbers (the finalizer of splitmix64).
func mix(a, b int) uint64 {
	x := uint64(a)<<32 ^ uint64(b) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// base is where a log ended at tick 0, between 10^8 and 10^10.
func base(topic, partition int) int64 {
	h := mix(topic, partition)
	return 100_000_000*int64(1+h%100) + int64(h>>8%100_000_000)
}

// rate is by how much a log grows at each tick; every fourth is idle.
func rate(topic, partition int) int64 {
	h := mix(partition, topic)
	if h%4 == 0 {
		return 0
	}
	return int64(1 + h>>2%5_000)
}

// Start is the first offset in the log of a partition; it stands still.
func (s Shape) Start(topic, partition int) int64 { return base(topic, partition) / 2 }

// End is where the log of a partition ends at a tick.
func (s Shape) End(topic, partition int, tick int64) int64 {
	return base(topic, partition) + tick*rate(topic, partition)
}

// perTick is how long a tick stands for in the times of records.
const perTick = 10 * time.Second

// Since is the first record that was written at most so long before tick 0, and
// how long before that it was. There is none in the log of an idle partition, nor
// in that of others at tick 0 for a time after it.
func (s Shape) Since(topic, partition int, tick int64, before time.Duration) (offset int64, was time.Duration, ok bool) {
	per := rate(topic, partition)
	offset = base(topic, partition)
	if before > 0 && per > 0 {
		back := int64(before.Seconds() / perTick.Seconds() * float64(per))
		offset = max(offset-back, s.Start(topic, partition))
		was = time.Duration(float64(base(topic, partition)-offset) / float64(per) * float64(perTick))
	}
	return offset, was, per > 0 && offset < s.End(topic, partition, tick)
}

// Lag is how far a group is behind the end of a partition at a tick: not at all
// in three of five pairs, below 1000 in one, and in one up to 10^7 and growing
// with what is written. A commit never moves back. Of a calm group two pairs of five
// are behind by less than what is written in a tick.
func (s Shape) Lag(group, topic, partition int, tick int64) int64 {
	h := mix(group, topic*s.PartitionsPerTopic+partition)
	if s.calm(group) {
		if per := rate(topic, partition); per > 0 && h%5 < 2 {
			return int64(h>>3) & (1<<62 - 1) % per
		}
		return 0
	}
	switch h % 5 {
	case 0:
		return int64(h >> 3 % 1_000)
	case 1:
		return int64(h>>3%10_000_000) + tick*(rate(topic, partition)/2)
	}
	return 0
}

// calm tells whether a group is.
func (s Shape) calm(group int) bool { return s.Calm && mix(group, 50)%50 != 0 }

// Committed is the offset that a group has committed on a partition.
func (s Shape) Committed(group, topic, partition int, tick int64) int64 {
	return s.End(topic, partition, tick) - s.Lag(group, topic, partition, tick)
}

// GroupLag is the sum of a group's lag at a tick.
func (s Shape) GroupLag(group int, tick int64) int64 {
	var sum int64
	for k := range s.TopicsPerGroup {
		for p := range s.PartitionsPerTopic {
			sum += s.Lag(group, s.TopicOf(group, k), p, tick)
		}
	}
	return sum
}
