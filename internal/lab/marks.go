package lab

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// positions are next offsets by topic and partition.
type positions = map[string]map[int32]kgo.EpochOffset

// marks are positions that were reached and not committed yet: per partition
// the offset after the last record that was processed.
type marks struct {
	next    positions
	records int       // processed since the last commit of all
	since   time.Time // when that was
}

func (k *marks) add(r *kgo.Record) {
	if k.next == nil {
		k.next = make(positions)
	}
	if k.next[r.Topic] == nil {
		k.next[r.Topic] = make(map[int32]kgo.EpochOffset)
	}
	k.next[r.Topic][r.Partition] = kgo.EpochOffset{Epoch: r.LeaderEpoch, Offset: r.Offset + 1}
	k.records++
}

func (k *marks) empty() bool {
	for _, ps := range k.next {
		if len(ps) > 0 {
			return false
		}
	}
	return true
}

// of copies the marks of some partitions, or of all when only is nil.
func (k *marks) of(only map[string][]int32) positions {
	out := make(positions)
	for topic, ps := range k.next {
		for p, next := range ps {
			if only != nil && !slices.Contains(only[topic], p) {
				continue
			}
			if out[topic] == nil {
				out[topic] = make(map[int32]kgo.EpochOffset)
			}
			out[topic][p] = next
		}
	}
	return out
}

// done takes committed marks out.
func (k *marks) done(committed positions) {
	for topic, ps := range committed {
		for p := range ps {
			delete(k.next[topic], p)
		}
	}
	if k.empty() {
		k.records, k.since = 0, time.Now()
	}
}

// forget takes marks out that are no longer the consumer's to commit.
func (k *marks) forget(gone map[string][]int32) {
	for topic, ps := range gone {
		for _, p := range ps {
			delete(k.next[topic], p)
		}
	}
}

func offsetsOf(next positions) kadm.Offsets {
	var os kadm.Offsets
	for topic, ps := range next {
		for p, o := range ps {
			os.AddOffset(topic, p, o.Offset, o.Epoch)
		}
	}
	return os
}
