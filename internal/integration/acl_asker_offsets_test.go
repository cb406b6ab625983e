//go:build !breaking && !soak

package integration

import (
	"github.com/twmb/franz-go/pkg/kmsg"
)

// offsetFetch names each group, and each topic that is in its answer.
func (a asker) offsetFetch(topics []string, groups ...string) string {
	a.t.Helper()
	req := kmsg.NewPtrOffsetFetchRequest()
	for _, id := range groups {
		g := kmsg.NewOffsetFetchRequestGroup()
		g.Group, g.MemberEpoch = id, -1
		for _, name := range topics {
			g.Topics = append(g.Topics, kmsg.OffsetFetchRequestGroupTopic{Topic: name, Partitions: []int32{0}})
		}
		req.Groups = append(req.Groups, g)
	}
	var list []coded
	for _, resp := range ask[*kmsg.OffsetFetchResponse](a, req) {
		for _, g := range resp.Groups {
			list = append(list, coded{g.Group, g.ErrorCode})
			for _, t := range g.Topics {
				for _, p := range t.Partitions {
					list = append(list, coded{g.Group + "/" + t.Topic, p.ErrorCode})
				}
			}
		}
	}
	return shown(list)
}

// shareOffsets is offsetFetch for share groups.
func (a asker) shareOffsets(topics []string, groups ...string) string {
	a.t.Helper()
	req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
	for _, id := range groups {
		g := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
		g.GroupID = id
		for _, name := range topics {
			t := kmsg.NewDescribeShareGroupOffsetsRequestGroupTopic()
			t.Topic, t.Partitions = name, []int32{0}
			g.Topics = append(g.Topics, t)
		}
		req.Groups = append(req.Groups, g)
	}
	var list []coded
	for _, resp := range ask[*kmsg.DescribeShareGroupOffsetsResponse](a, req) {
		for _, g := range resp.Groups {
			list = append(list, coded{g.GroupID, g.ErrorCode})
			for _, t := range g.Topics {
				for _, p := range t.Partitions {
					list = append(list, coded{g.GroupID + "/" + t.Topic, p.ErrorCode})
				}
			}
		}
	}
	return shown(list)
}

func (a asker) listOffsets(topics ...string) string {
	a.t.Helper()
	const latest = -1
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	for _, name := range topics {
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Timestamp = latest
		t := kmsg.NewListOffsetsRequestTopic()
		t.Topic, t.Partitions = name, []kmsg.ListOffsetsRequestTopicPartition{p}
		req.Topics = append(req.Topics, t)
	}
	const notLeader = 6
	var list []coded
	for _, resp := range ask[*kmsg.ListOffsetsResponse](a, req) {
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				if p.ErrorCode != notLeader {
					list = append(list, coded{t.Topic, p.ErrorCode})
				}
			}
		}
	}
	return shown(list)
}

func (a asker) describeConfigs(topics ...string) string {
	a.t.Helper()
	req := kmsg.NewPtrDescribeConfigsRequest()
	for _, name := range topics {
		r := kmsg.NewDescribeConfigsRequestResource()
		r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeTopic, name
		req.Resources = append(req.Resources, r)
	}
	var list []coded
	for _, resp := range ask[*kmsg.DescribeConfigsResponse](a, req) {
		for _, r := range resp.Resources {
			list = append(list, coded{r.ResourceName, r.ErrorCode})
		}
	}
	return shown(list)
}
