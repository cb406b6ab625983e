package kafka

import "github.com/twmb/franz-go/pkg/kmsg"

// eachOffset goes through an answer to a request for the partitions of list:
// take is called for what it says of each, by index, and missing for each of
// which it says nothing. What it repeats or was not asked for is passed over.
func eachOffset(resp *kmsg.ListOffsetsResponse, list []want, take func(i int, p *kmsg.ListOffsetsResponseTopicPartition), missing func(i int)) {
	open := newOpen(list)
	for _, t := range resp.Topics {
		for j := range t.Partitions {
			p := &t.Partitions[j]
			if i, ok := open.take(t.Topic, p.Partition); ok {
				take(i, p)
			}
		}
	}
	for i, taken := range open.taken {
		if !taken {
			missing(i)
		}
	}
}

// open are the partitions that an answer has not named yet.
type open struct {
	list  []want
	taken []bool
	next  int            // most answers have the order of the request
	first map[string]int // of each topic, the index of its first; nil until it is needed
}

func newOpen(list []want) *open { return &open{list: list, taken: make([]bool, len(list))} }

// take finds the index of a partition, unless it is not there or was taken
// before.
func (o *open) take(topic string, partition int32) (int, bool) {
	i := o.next
	if i >= len(o.list) || o.list[i].part.ID != partition || o.list[i].topic.Name != topic {
		var ok bool
		if i, ok = o.search(topic, partition); !ok {
			return 0, false
		}
	}
	if o.taken[i] {
		return 0, false
	}
	o.taken[i], o.next = true, i+1
	return i, true
}

func (o *open) search(topic string, partition int32) (int, bool) {
	if o.first == nil {
		o.first = map[string]int{}
		for i := len(o.list) - 1; i >= 0; i-- {
			o.first[o.list[i].topic.Name] = i
		}
	}
	i, ok := o.first[topic]
	for ; ok && i < len(o.list) && o.list[i].topic.Name == topic; i++ {
		if o.list[i].part.ID == partition {
			return i, true
		}
	}
	return 0, false
}
