package exercise

import (
	"encoding/json"
	"fmt"
	"slices"
)

// partitions is how many the topic has.
const partitions = 4

// Event is one thing that happened to an order, and where it is in the log.
type Event struct {
	Key       string `json:"key"`
	Number    int    `json:"number"` // from 1 for each key
	Stage     string `json:"event"`
	Operation string `json:"operation"` // unique
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

// payload is the value of an event's record.
type payload struct {
	Operation string `json:"operation"`
	Number    int    `json:"number"`
	Stage     string `json:"event"`
}

func (e Event) value() []byte {
	b, _ := json.Marshal(payload{e.Operation, e.Number, e.Stage}) // strings and numbers: it cannot fail
	return b
}

// parseEvent reads an event as it was delivered.
func parseEvent(key, value []byte, partition int32, offset int64) (Event, error) {
	var p payload
	if err := json.Unmarshal(value, &p); err != nil {
		return Event{}, fmt.Errorf("the record at offset %d of partition %d is no event of the exercise: %w", offset, partition, err)
	}
	return Event{string(key), p.Number, p.Stage, p.Operation, partition, offset}, nil
}

// Two orders are followed on the screen. They share their partitions with others:
// on a partition with one key nothing could finish out of order.
var followed = []string{"order-17", "order-24"}

// orders are the keys by partition, where Kafka's hash puts them. The first of each
// is the one whose worker is slow.
var orders = [partitions][2]string{
	{"order-16", "order-15"},
	{"order-17", "order-22"},
	{"order-24", "order-25"},
	{"order-18", "order-19"},
}

// lives are the events of an order, one after the other.
var lives = map[string][]string{
	"order-17": {"Created", "Paid", "Changed", "Packed", "Cancelled", "Refunded", "Closed"},
	"":         {"Created", "Paid", "Packed", "Shipped", "Delivered", "Returned", "Refunded"},
}

// operation is the id of an order's nth event.
func operation(key string, number int) string { return fmt.Sprintf("%s-%d", key, number) }

func newEvent(key string, number int) Event {
	life, ok := lives[key]
	if !ok {
		life = lives[""]
	}
	return Event{Key: key, Number: number, Stage: life[number-1], Operation: operation(key, number)}
}

// batch are the next events of all orders, from number first to last. On each
// partition its orders take turns.
func batch(first, last int) []Event {
	var out []Event
	for _, keys := range orders {
		for n := first; n <= last; n++ {
			for _, key := range keys {
				out = append(out, newEvent(key, n))
			}
		}
	}
	return out
}

// withdrawn are events that their producer takes back before anybody reads them: on
// each partition one, with the next number of the first order there.
func withdrawn(number int) []Event {
	var out []Event
	for _, keys := range orders {
		e := newEvent(keys[0], number)
		e.Stage, e.Operation = "Withdrawn", e.Operation+"-withdrawn"
		out = append(out, e)
	}
	return out
}

// leads tells whether a key is the first of its partition.
func leads(key string) bool {
	return slices.ContainsFunc(orders[:], func(keys [2]string) bool { return keys[0] == key })
}

func isFollowed(key string) bool { return slices.Contains(followed, key) }
