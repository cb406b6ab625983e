package collector

import (
	"cmp"
	"slices"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// logEnds is a partition's log, nil if it is not known.
type logEnds struct {
	*snapshot.Partition
	stable bool // it ends at the last stable offset
}

func (l logEnds) end() (snapshot.Reading, bool) {
	if l.Partition == nil {
		return snapshot.Reading{}, false
	}
	if l.stable {
		return l.LastStable.Get()
	}
	return l.End.Get()
}

func (l logEnds) start() (snapshot.Reading, bool) {
	if l.Partition == nil {
		return snapshot.Reading{}, false
	}
	return l.Start.Get()
}

type partitionState uint8

const (
	partitionUnknown partitionState = iota // the topic could not be read
	partitionMissing                       // there is no such topic, or it has fewer partitions
	partitionThere
)

func (b *pairBuilder) partition(id int32) (logEnds, partitionState) {
	switch {
	case !b.exists:
		return logEnds{}, partitionMissing
	case b.log.Partitions == nil:
		return logEnds{}, partitionUnknown
	}
	if p, ok := b.log.Partition(id); ok {
		return logEnds{p, b.stable}, partitionThere
	}
	return logEnds{}, partitionMissing
}

// find returns what a sorted list has of a partition, nil if nothing. Lists
// mostly have no gap.
func find[T any](list []T, id int32, key func(*T) int32) *T {
	if id >= 0 && int(id) < len(list) && key(&list[id]) == id {
		return &list[id]
	}
	i, ok := slices.BinarySearchFunc(list, id, func(t T, id int32) int { return cmp.Compare(key(&t), id) })
	if !ok {
		return nil
	}
	return &list[i]
}
