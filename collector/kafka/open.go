package kafka

// open are the partitions that an answer has not named yet.
type open struct {
	list  []want
	taken []bool
	next  int            // most answers have the order of the request
	first map[string]int // of each topic, the index of its first; nil until it is needed
}

func newOpen(list []want) *open { return &open{list: list, taken: make([]bool, len(list))} }

// take finds a partition, unless it is not there or was taken before.
func (o *open) take(topic string, partition int32) (want, bool) {
	i := o.next
	if i >= len(o.list) || o.list[i].part.ID != partition || o.list[i].topic.Name != topic {
		var ok bool
		if i, ok = o.search(topic, partition); !ok {
			return want{}, false
		}
	}
	if o.taken[i] {
		return want{}, false
	}
	o.taken[i], o.next = true, i+1
	return o.list[i], true
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

// rest returns those that were not taken.
func (o *open) rest() (list []want) {
	for i, w := range o.list {
		if !o.taken[i] {
			list = append(list, w)
		}
	}
	return list
}
