package snapshot

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Look-ups find what a search from the front finds, and return the element
// itself and no copy of it.
func TestLookups(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := &Snapshot{}
		for i := range 12 {
			name := fmt.Sprintf("n%02d", i)
			if r.IntN(2) == 0 {
				s.Topics = append(s.Topics, Topic{Name: name})
			}
			if r.IntN(2) == 0 {
				s.Groups = append(s.Groups, Group{ID: name})
			}
		}
		for i := range 14 {
			name := fmt.Sprintf("n%02d", i-1)
			var topic *Topic
			for i := range s.Topics {
				if s.Topics[i].Name == name {
					topic = &s.Topics[i]
				}
			}
			var group *Group
			for i := range s.Groups {
				if s.Groups[i].ID == name {
					group = &s.Groups[i]
				}
			}
			if got, ok := s.Topic(name); got != topic || ok != (topic != nil) {
				t.Fatalf("Topic(%q) in %+v = %v, %v", name, s.Topics, got, ok)
			}
			if got, ok := s.Group(name); got != group || ok != (group != nil) {
				t.Fatalf("Group(%q) in %+v = %v, %v", name, s.Groups, got, ok)
			}
		}
	}
}

// Partitions are found with and without gaps in their ids; what is not there
// is not found, below zero included.
func TestPartitionLookup(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		topic := &Topic{}
		for id := range int32(10) {
			if round%3 == 0 || r.IntN(3) > 0 {
				topic.Partitions = append(topic.Partitions, Partition{ID: id})
			}
		}
		for id := int32(-2); id < 13; id++ {
			var want *Partition
			for i := range topic.Partitions {
				if topic.Partitions[i].ID == id {
					want = &topic.Partitions[i]
				}
			}
			if got, ok := topic.Partition(id); got != want || ok != (want != nil) {
				t.Fatalf("Partition(%d) in %+v = %v, %v", id, topic.Partitions, got, ok)
			}
		}
	}
}

func TestLookupsInNothing(t *testing.T) {
	var s Snapshot
	if p, ok := s.Topic(""); p != nil || ok {
		t.Error("a topic in an empty snapshot")
	}
	if p, ok := s.Group(""); p != nil || ok {
		t.Error("a group in an empty snapshot")
	}
	var topic Topic
	if p, ok := topic.Partition(0); p != nil || ok {
		t.Error("a partition of an unread topic")
	}
}

func TestIdle(t *testing.T) {
	busy := Member{Assignment: []TopicPartitions{{"t", []int32{0}}}}
	for name, c := range map[string]struct {
		Members
		n  int
		ok bool
	}{
		"nobody":                     {Members{Assigned: true}, 0, true},
		"all busy":                   {Members{Assigned: true, List: []Member{busy, busy}}, 0, true},
		"two of three":               {Members{Assigned: true, List: []Member{{}, busy, {}}}, 2, true},
		"assignments not known":      {Members{List: []Member{{}, busy}}, 0, false},
		"nobody knows, nobody there": {Members{}, 0, false},
	} {
		if n, ok := c.Idle(); n != c.n || ok != c.ok {
			t.Errorf("%s: %d, %v, want %d, %v", name, n, ok, c.n, c.ok)
		}
	}
}
