package least

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// readGroups lists a broker's groups, describes them, and reads their commits,
// size groups at once.
func (n *conn) readGroups(size int) error {
	var list kmsg.ListGroupsResponse
	if err := n.ask(kmsg.NewPtrListGroupsRequest(), &list); err != nil {
		return err
	}
	ids := make([]string, len(list.Groups))
	for i := range list.Groups {
		ids[i] = list.Groups[i].Group
	}
	for chunk := range slices.Chunk(ids, size) {
		req := kmsg.NewPtrDescribeGroupsRequest()
		req.Groups = chunk
		if err := n.ask(req, &kmsg.DescribeGroupsResponse{}); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(ids, size) {
		if err := n.ask(commitsRequest(chunk), &kmsg.OffsetFetchResponse{}); err != nil {
			return err
		}
	}
	return nil
}

func commitsRequest(ids []string) *kmsg.OffsetFetchRequest {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Groups = make([]kmsg.OffsetFetchRequestGroup, len(ids))
	for i, id := range ids {
		req.Groups[i].Group, req.Groups[i].MemberEpoch = id, -1
	}
	return req
}

// readEnds reads the end offsets of what a broker leads, size partitions at once.
func (n *conn) readEnds(topics []kmsg.ListOffsetsRequestTopic, size int) error {
	for len(topics) > 0 {
		req := kmsg.NewPtrListOffsetsRequest()
		req.ReplicaID = -1
		req.Topics, topics = cut(topics, size)
		if err := n.ask(req, &kmsg.ListOffsetsResponse{}); err != nil {
			return err
		}
	}
	return nil
}

// cut splits topics after some partitions; the topic in which that falls is in
// both parts.
func cut(topics []kmsg.ListOffsetsRequestTopic, partitions int) (head, rest []kmsg.ListOffsetsRequestTopic) {
	for i := range topics {
		have := len(topics[i].Partitions)
		if have >= partitions && (have > partitions || i < len(topics)-1) {
			head = slices.Clone(topics[:i+1])
			head[i].Partitions = topics[i].Partitions[:partitions]
			rest = topics[i:]
			if rest[0].Partitions = rest[0].Partitions[partitions:]; len(rest[0].Partitions) == 0 {
				rest = rest[1:]
			}
			return head, rest
		}
		partitions -= have
	}
	return topics, nil
}
