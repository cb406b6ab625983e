package testkafka

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// TopicPartition names one partition.
type TopicPartition struct {
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
}

func (p TopicPartition) String() string { return fmt.Sprintf("%s/%d", p.Topic, p.Partition) }

func comparePartitions(a, b TopicPartition) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

// Partitions returns partitions 0 to n-1 of a topic.
func Partitions(topic string, n int) []TopicPartition {
	list := make([]TopicPartition, n)
	for i := range list {
		list[i] = TopicPartition{topic, i}
	}
	return list
}

// Offsets holds one offset for each partition. A partition without one is
// absent.
type Offsets map[TopicPartition]int64

// wireOffset is an element of the list that stands for Offsets on the wire.
type wireOffset struct {
	TopicPartition
	Offset int64 `json:"offset"`
}

// MarshalJSON writes a list, sorted by partition.
func (o Offsets) MarshalJSON() ([]byte, error) {
	list := make([]wireOffset, 0, len(o))
	for p, offset := range o {
		list = append(list, wireOffset{p, offset})
	}
	slices.SortFunc(list, func(a, b wireOffset) int {
		return comparePartitions(a.TopicPartition, b.TopicPartition)
	})
	return json.Marshal(list)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Offsets) UnmarshalJSON(b []byte) error {
	var list []wireOffset
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*o = make(Offsets, len(list))
	for _, e := range list {
		(*o)[e.TopicPartition] = e.Offset
	}
	return nil
}

// Reading is what Kafka answered, and when: the value was true at some moment
// between Before and After, by this machine's clock.
type Reading[T any] struct {
	Before, After time.Time
	Value         T
}

// UnmarshalJSON reads the driver's form, with times in nanoseconds since 1970.
func (r *Reading[T]) UnmarshalJSON(b []byte) error {
	var wire struct {
		Before, After int64
		Value         T
	}
	if err := json.Unmarshal(b, &wire); err != nil {
		return err
	}
	*r = Reading[T]{time.Unix(0, wire.Before), time.Unix(0, wire.After), wire.Value}
	return nil
}
