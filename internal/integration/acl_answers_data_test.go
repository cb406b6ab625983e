//go:build !breaking && !soak

package integration

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// The topics and groups of this test. A group named both-… reads both topics.
const (
	askedSeen, askedHidden = "asked-seen", "asked-hidden"
	askedGroups            = "asked-both-"
	askedOther             = "asked-other"     // has committed on both topics
	askedOnly              = "asked-seen-only" // has committed on one
)

func askedBoth() []string { return []string{askedHidden, askedSeen} }

// askedData makes two topics, and for each type of group one with a member that
// reads both.
func (s *secured) askedData() {
	s.t.Helper()
	for _, name := range askedBoth() {
		s.topic(name, 1)
		s.produce(name, -1, 10)
	}
	s.commit(askedOther, testkafka.Offsets{{Topic: askedSeen}: 5, {Topic: askedHidden}: 5})
	s.commit(askedOnly, testkafka.Offsets{{Topic: askedSeen}: 3})
	s.must(s.SetGroupConfig(s.ctx, askedGroups+"share", map[string]string{"share.auto.offset.reset": "earliest"}))
	for name, protocol := range map[string]testkafka.Protocol{
		"classic": testkafka.ClassicRange, "consumer": testkafka.Consumer, "share": testkafka.Share,
	} {
		s.consumer(testkafka.ConsumerSpec{ID: askedGroups + name, Group: askedGroups + name, Topics: askedBoth(), Protocol: protocol})
	}
	for _, topic := range askedBoth() {
		s.caughtUp(topic, askedGroups+"classic", askedGroups+"consumer")
	}
	s.streamsMember(askedGroups + "streams")
	s.waitUntil("the share member to have both topics", func() bool { return s.shareTopics(askedGroups+"share") == 2 })
}

// shareTopics is in how many topics the members of a share group have something.
func (s *secured) shareTopics(group string) int {
	s.t.Helper()
	req := kmsg.NewPtrShareGroupDescribeRequest()
	req.GroupIDs = []string{group}
	topics := map[string]bool{}
	for _, resp := range ask[*kmsg.ShareGroupDescribeResponse](s.asking(s.cluster.Bootstrap()), req) {
		for _, g := range resp.Groups {
			for _, m := range g.Members {
				for _, t := range m.Assignment.TopicPartitions {
					topics[t.Topic] = true
				}
			}
		}
	}
	return len(topics)
}

// streamsMember joins a streams group that reads both topics. It sends no
// heartbeats, so the cluster has to be patient.
func (s *secured) streamsMember(group string) {
	s.t.Helper()
	req := kmsg.NewPtrStreamsGroupHeartbeatRequest()
	req.Group, req.MemberID, req.RebalanceTimeoutMillis = group, "member", 10000
	req.ProcessID = new("process")
	sub := kmsg.NewStreamsGroupHeartbeatRequestTopologySubtopology()
	sub.SubtopologyID, sub.SourceTopics = "0", askedBoth()
	req.Topology = &kmsg.StreamsGroupHeartbeatRequestTopology{Subtopologies: []kmsg.StreamsGroupHeartbeatRequestTopologySubtopology{sub}}
	req.ActiveTasks, req.StandbyTasks, req.WarmupTasks = []kmsg.TaskIDs{}, []kmsg.TaskIDs{}, []kmsg.TaskIDs{}
	var list []coded
	for _, resp := range ask[*kmsg.StreamsGroupHeartbeatResponse](s.asking(s.cluster.Bootstrap()), req) {
		list = append(list, coded{"joined", resp.ErrorCode})
	}
	if got := shown(list); got != "joined" {
		s.t.Fatalf("a member of a streams group: %s", got)
	}
}
