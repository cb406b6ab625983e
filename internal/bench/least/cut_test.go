package least

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		name   string
		topics []int // how many partitions each has
		size   int
		want   []string // topic/partition of each request
	}{
		{"nothing", nil, 3, nil},
		{"less than one request", []int{1, 1}, 3, []string{"[0/0 1/0]"}},
		{"just one request", []int{1, 2}, 3, []string{"[0/0 1/0 1/1]"}},
		{"between topics", []int{2, 1}, 2, []string{"[0/0 0/1]", "[1/0]"}},
		{"within a topic", []int{1, 3, 1}, 2, []string{"[0/0 1/0]", "[1/1 1/2]", "[2/0]"}},
		{"a topic over three requests", []int{5}, 2, []string{"[0/0 0/1]", "[0/2 0/3]", "[0/4]"}},
		{"topics at their end", []int{3, 3}, 3, []string{"[0/0 0/1 0/2]", "[1/0 1/1 1/2]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var rest []kmsg.ListOffsetsRequestTopic
			for i, n := range tt.topics {
				topic := kmsg.ListOffsetsRequestTopic{Topic: fmt.Sprint(i)}
				for p := range n {
					topic.Partitions = append(topic.Partitions, kmsg.ListOffsetsRequestTopicPartition{Partition: int32(p)})
				}
				rest = append(rest, topic)
			}
			var got []string
			for len(rest) > 0 {
				var head []kmsg.ListOffsetsRequestTopic
				head, rest = cut(rest, tt.size)
				got = append(got, fmt.Sprint(flat(head)))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func flat(topics []kmsg.ListOffsetsRequestTopic) []string {
	var list []string
	for _, t := range topics {
		for _, p := range t.Partitions {
			list = append(list, fmt.Sprintf("%s/%d", t.Topic, p.Partition))
		}
	}
	return list
}
