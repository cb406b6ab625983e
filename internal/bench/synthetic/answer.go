package synthetic

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// Kafka's error codes for what the cluster does not have.
const (
	codeUnknownTopic    = 3
	codeGroupIDNotFound = 69
)

func (c *Cluster) answerMetadata(r lab.Request) kmsg.Response {
	req := r.Body.(*kmsg.MetadataRequest)
	resp := req.ResponseKind().(*kmsg.MetadataResponse)
	resp.ClusterID, resp.Brokers = kmsg.StringPtr(clusterID), c.brokers
	if req.Topics == nil {
		c.tick.Add(1)
		resp.Topics = c.metadata
		return resp
	}
	for _, t := range req.Topics {
		got := kmsg.NewMetadataResponseTopic()
		got.Topic, got.TopicID, got.ErrorCode = t.Topic, t.TopicID, codeUnknownTopic
		if t.Topic != nil {
			if i, ok := c.topics[*t.Topic]; ok {
				got = c.metadata[i]
			}
		}
		resp.Topics = append(resp.Topics, got)
	}
	return resp
}

func (c *Cluster) answerListGroups(r lab.Request) kmsg.Response {
	resp := r.Body.ResponseKind().(*kmsg.ListGroupsResponse)
	resp.Groups = c.listed[r.Broker]
	return resp
}

func (c *Cluster) answerDescribeGroups(r lab.Request) kmsg.Response {
	req := r.Body.(*kmsg.DescribeGroupsRequest)
	resp := req.ResponseKind().(*kmsg.DescribeGroupsResponse)
	resp.Groups = make([]kmsg.DescribeGroupsResponseGroup, len(req.Groups))
	for n, name := range req.Groups {
		if i, ok := c.groups[name]; ok {
			resp.Groups[n] = c.described[i]
		} else {
			resp.Groups[n].Group, resp.Groups[n].ErrorCode = name, codeGroupIDNotFound
		}
	}
	return resp
}

// answerOffsetFetch answers version 8 and later, with all topics of each group
// that is asked for.
func (c *Cluster) answerOffsetFetch(r lab.Request) kmsg.Response {
	req := r.Body.(*kmsg.OffsetFetchRequest)
	resp := req.ResponseKind().(*kmsg.OffsetFetchResponse)
	tick := c.tick.Load()
	resp.Groups = make([]kmsg.OffsetFetchResponseGroup, len(req.Groups))
	for n, g := range req.Groups {
		resp.Groups[n].Group = g.Group
		if i, ok := c.groups[g.Group]; ok {
			resp.Groups[n].Topics = c.commits(i, tick)
		} else {
			resp.Groups[n].ErrorCode = codeGroupIDNotFound
		}
	}
	return resp
}

func (c *Cluster) commits(group int, tick int64) []kmsg.OffsetFetchResponseGroupTopic {
	none := kmsg.StringPtr("") // what Java clients commit beside an offset
	topics := make([]kmsg.OffsetFetchResponseGroupTopic, c.shape.TopicsPerGroup)
	for k := range topics {
		topic := c.shape.TopicOf(group, k)
		topics[k].Topic, topics[k].TopicID = *c.metadata[topic].Topic, c.metadata[topic].TopicID
		topics[k].Partitions = make([]kmsg.OffsetFetchResponseGroupTopicPartition, c.shape.PartitionsPerTopic)
		for p := range topics[k].Partitions {
			part := &topics[k].Partitions[p]
			part.Partition, part.LeaderEpoch, part.Metadata = int32(p), -1, none
			part.Offset = c.shape.Committed(group, topic, p, tick)
		}
	}
	return topics
}

func (c *Cluster) answerListOffsets(r lab.Request) kmsg.Response {
	req := r.Body.(*kmsg.ListOffsetsRequest)
	resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
	tick := c.tick.Load()
	resp.Topics = make([]kmsg.ListOffsetsResponseTopic, len(req.Topics))
	for n, t := range req.Topics {
		topic, known := c.topics[t.Topic]
		resp.Topics[n].Topic = t.Topic
		resp.Topics[n].Partitions = make([]kmsg.ListOffsetsResponseTopicPartition, len(t.Partitions))
		for i, p := range t.Partitions {
			resp.Topics[n].Partitions[i] = c.offset(topic, known, p, tick)
		}
	}
	return resp
}

// offset answers for the start (-2) or the end of a partition, or for the first
// record since a time.
func (c *Cluster) offset(topic int, known bool, p kmsg.ListOffsetsRequestTopicPartition, tick int64) kmsg.ListOffsetsResponseTopicPartition {
	got := kmsg.NewListOffsetsResponseTopicPartition()
	got.Partition, got.Timestamp = p.Partition, -1
	partition := int(p.Partition)
	switch {
	case !known || partition < 0 || partition >= c.shape.PartitionsPerTopic:
		got.ErrorCode, got.Offset = codeUnknownTopic, -1
	case p.Timestamp == -2:
		got.Offset = c.shape.Start(topic, partition)
	case p.Timestamp == -1:
		got.Offset = c.shape.End(topic, partition, tick)
	default:
		asked := time.UnixMilli(p.Timestamp)
		if offset, before, ok := c.shape.Since(topic, partition, tick, c.began.Sub(asked)); ok {
			got.Offset, got.Timestamp = offset, max(c.began.Add(-before).UnixMilli(), p.Timestamp)
		}
	}
	return got
}

// settings are those of every topic: Kafka's own defaults.
var settings = map[string]string{
	"cleanup.policy": "delete", "retention.ms": "604800000", "retention.bytes": "-1",
	"remote.storage.enable": "false", "message.timestamp.type": "CreateTime",
}

func (c *Cluster) answerDescribeConfigs(r lab.Request) kmsg.Response {
	req := r.Body.(*kmsg.DescribeConfigsRequest)
	resp := req.ResponseKind().(*kmsg.DescribeConfigsResponse)
	resp.Resources = make([]kmsg.DescribeConfigsResponseResource, len(req.Resources))
	for n, q := range req.Resources {
		got := &resp.Resources[n]
		got.ResourceType, got.ResourceName = q.ResourceType, q.ResourceName
		if _, ok := c.topics[q.ResourceName]; !ok {
			got.ErrorCode = codeUnknownTopic
			continue
		}
		for _, name := range q.ConfigNames {
			of := kmsg.NewDescribeConfigsResponseResourceConfig()
			of.Name, of.Value = name, kmsg.StringPtr(settings[name])
			got.Configs = append(got.Configs, of)
		}
	}
	return resp
}
