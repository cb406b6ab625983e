package snapshot

import (
	"cmp"
	"slices"
)

// Topic returns the topic of that name.
func (s *Snapshot) Topic(name string) (*Topic, bool) {
	i, ok := slices.BinarySearchFunc(s.Topics, name, func(t Topic, n string) int { return cmp.Compare(t.Name, n) })
	if !ok {
		return nil, false
	}
	return &s.Topics[i], true
}

// Group returns the group of that id.
func (s *Snapshot) Group(id string) (*Group, bool) {
	i, ok := slices.BinarySearchFunc(s.Groups, id, func(g Group, n string) int { return cmp.Compare(g.ID, n) })
	if !ok {
		return nil, false
	}
	return &s.Groups[i], true
}

// Partition returns the partition of that id.
func (t *Topic) Partition(id int32) (*Partition, bool) {
	if id >= 0 && int(id) < len(t.Partitions) && t.Partitions[id].ID == id {
		return &t.Partitions[id], true // the usual case: ids without a gap
	}
	i, ok := slices.BinarySearchFunc(t.Partitions, id, func(p Partition, n int32) int { return cmp.Compare(p.ID, n) })
	if !ok {
		return nil, false
	}
	return &t.Partitions[i], true
}

// Idle returns how many members have no partition; unknown while assignments
// are.
func (m Members) Idle() (int, bool) {
	if !m.Assigned {
		return 0, false
	}
	n := 0
	for i := range m.List {
		if len(m.List[i].Assignment) == 0 {
			n++
		}
	}
	return n, true
}
