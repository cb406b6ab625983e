package lab

import (
	"errors"
	"maps"
	"net"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

func TestOptions(t *testing.T) {
	tests := []struct {
		name    string
		options Options
		check   func(t *testing.T, c *Cluster)
	}{
		{"the zero value is three empty brokers", Options{}, func(t *testing.T, c *Cluster) {
			if len(c.Addrs()) != 3 {
				t.Errorf("addresses %v", c.Addrs())
			}
			topics, err := c.Admin().ListTopics(testContext(t))
			if err != nil || len(topics) != 0 {
				t.Errorf("topics %v, %v", topics.Names(), err)
			}
		}},
		{"topics exist from the start", Options{Topics: map[string]int32{"orders": 4, "clicks": 1}}, func(t *testing.T, c *Cluster) {
			topics, err := c.Admin().ListTopics(testContext(t))
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[string]int)
			for name, d := range topics {
				got[name] = len(d.Partitions)
			}
			if d := cmp.Diff(map[string]int{"orders": 4, "clicks": 1}, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		}},
		{"an older Kafka has older versions", Options{MaxVersions: kversion.V2_8_0()}, func(t *testing.T, c *Cluster) {
			versions, err := c.Admin().ApiVersions(testContext(t))
			if err != nil {
				t.Fatal(err)
			}
			broker := versions[0]
			if v, ok := broker.KeyMaxVersion(int16(kmsg.OffsetFetch)); !ok || v != 7 {
				t.Errorf("OffsetFetch up to %d, want 7 (KIP-709 came with 3.0)", v)
			}
		}},
		// Kafka's own kafka-consumer-groups.sh ended with a NullPointerException: the answer
		// had no list where it expects one.
		{"DescribeTopicPartitions is not offered", Options{}, func(t *testing.T, c *Cluster) {
			versions, err := c.Admin().ApiVersions(testContext(t))
			if err != nil {
				t.Fatal(err)
			}
			broker := versions[0]
			if v, ok := broker.KeyMaxVersion(int16(kmsg.DescribeTopicPartitions)); ok {
				t.Errorf("up to %d", v)
			}
			if v, ok := broker.KeyMaxVersion(int16(kmsg.ShareGroupDescribe)); !ok || v < 1 {
				t.Errorf("ShareGroupDescribe up to %d, as of an older Kafka", v)
			}
		}},
		{"broker configs go over those of the lab", Options{Configs: map[string]string{"log.segment.bytes": "1048576"}}, func(t *testing.T, c *Cluster) {
			configs, err := c.Admin().DescribeBrokerConfigs(testContext(t), 0)
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[string]string)
			for _, e := range configs[0].Configs {
				got[e.Key] = e.MaybeValue()
			}
			if got["log.segment.bytes"] != "1048576" || got["group.consumer.heartbeat.interval.ms"] != "500" {
				t.Errorf("segments of %s bytes, heartbeats every %s ms",
					got["log.segment.bytes"], got["group.consumer.heartbeat.interval.ms"])
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, startLab(t, tt.options)) })
	}
}

func TestAutoCreate(t *testing.T) {
	for _, auto := range []bool{false, true} {
		t.Run(strconv.FormatBool(auto), func(t *testing.T) {
			c := startLab(t, Options{AutoCreate: auto})
			cl, err := c.NewClient()
			if err != nil {
				t.Fatal(err)
			}
			defer cl.Close()
			req := kmsg.NewPtrMetadataRequest()
			topic := kmsg.NewMetadataRequestTopic()
			topic.Topic = kmsg.StringPtr("asked-for")
			req.Topics, req.AllowAutoTopicCreation = append(req.Topics, topic), true
			if _, err := req.RequestWith(testContext(t), cl); err != nil {
				t.Fatal(err)
			}
			if got := c.Fake().TopicInfo("asked-for") != nil; got != auto {
				t.Errorf("topic was created: %t", got)
			}
		})
	}
}

func TestPorts(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	if _, err := Start(Options{Ports: []int{port}}); err == nil {
		t.Error("started on a port that is in use")
	}
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	c := startLab(t, Options{Ports: []int{port}})
	if d := cmp.Diff([]string{"127.0.0.1:" + strconv.Itoa(port)}, c.Addrs()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestAdmin(t *testing.T) {
	ctx := testContext(t)
	c := startLab(t, Options{})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.CreateTopic("orders", 3))
	if err := c.CreateTopic("orders", 3); !errors.Is(err, kerr.TopicAlreadyExists) {
		t.Errorf("creating a topic twice: %v", err)
	}

	end, err := c.Produce(ctx, "orders", 1, 2500)
	must(err)
	same, err := c.Produce(ctx, "orders", 1, 0)
	must(err)
	if end != 2500 || same != 2500 {
		t.Errorf("end offsets %d and %d, want 2500", end, same)
	}
	must(c.Backlog(ctx, "orders", 7, time.Minute))
	ends, err := c.EndOffsets(ctx, "orders")
	must(err)
	if d := cmp.Diff(map[int32]int64{0: 7, 1: 2507, 2: 7}, ends); d != "" {
		t.Errorf("end offsets (-want +got):\n%s", d)
	}

	must(c.Commit(ctx, "fulfilment", "orders", 1, 2400))
	must(c.CommitAll(ctx, "fulfilment", "orders", map[int32]int64{0: 9}))
	commits, err := c.CommittedOffsets(ctx, "fulfilment", "orders")
	must(err)
	if d := cmp.Diff(map[int32]int64{0: 9, 1: 2400}, commits); d != "" {
		t.Errorf("commits (-want +got):\n%s", d)
	}
	// Partition 0 is committed beyond its end, partition 2 is not committed.
	if d := cmp.Diff(map[int32]int64{0: 0, 1: 107}, c.Lag("fulfilment", "orders")); d != "" {
		t.Errorf("lag (-want +got):\n%s", d)
	}
	must(c.DeleteRecords("orders", 1, 2500))
	if d := cmp.Diff(map[int32]int64{0: 0, 1: 7}, c.Lag("fulfilment", "orders")); d != "" {
		t.Errorf("lag after retention (-want +got):\n%s", d)
	}

	must(c.DeleteGroup(ctx, "fulfilment"))
	if err := c.DeleteGroup(ctx, "fulfilment"); !errors.Is(err, kerr.GroupIDNotFound) {
		t.Errorf("deleting a group twice: %v", err)
	}
	must(c.DeleteTopic("orders"))
	if err := c.DeleteTopic("orders"); !errors.Is(err, kerr.UnknownTopicOrPartition) {
		t.Errorf("deleting a topic twice: %v", err)
	}
}

func TestBacklogIsSpreadOverTime(t *testing.T) {
	ctx := testContext(t)
	c := startLab(t, Options{Topics: map[string]int32{"orders": 1}})
	now := time.Now()
	if err := c.Backlog(ctx, "orders", 200, 20*time.Minute); err != nil {
		t.Fatal(err)
	}
	listed, err := c.Admin().ListOffsetsAfterMilli(ctx, now.Add(-10*time.Minute).UnixMilli(), "orders")
	if err != nil {
		t.Fatal(err)
	}
	o, _ := listed.Lookup("orders", 0)
	if o.Offset < 90 || o.Offset > 110 { // a batch holds five records
		t.Errorf("the record of ten minutes ago is %d, want about 100", o.Offset)
	}
}

func TestClosedClusterStartsNothing(t *testing.T) {
	c, err := Start(Options{Topics: map[string]int32{"orders": 1}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.StartProducer(ProducerSpec{Topic: "orders", Rate: 10})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	c.Close()
	p.Stop() // was stopped by Close
	if _, err := StartScenarios(t.Context(), c, "healthy"); err == nil {
		t.Error("a scene was set on a closed cluster")
	}
}

// A cluster on a virtual network lives in a bubble, where an hour is nothing.
func TestVirtualNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startLab(t, Options{Network: new(kfake.VirtualNetwork), Topics: map[string]int32{"orders": 3}})
		p, err := c.StartProducer(ProducerSpec{Topic: "orders", Rate: 2})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		p.Stop()
		var ends kadm.ListedOffsets
		if ends, err = c.Admin().ListEndOffsets(t.Context(), "orders"); err != nil {
			t.Fatal(err)
		}
		got := make(map[int32]int64)
		ends.Each(func(o kadm.ListedOffset) { got[o.Partition] = o.Offset })
		if d := cmp.Diff(map[int32]int64{0: 2400, 1: 2400, 2: 2400}, got); d != "" {
			t.Errorf("partitions %v after an hour (-want +got):\n%s", slices.Sorted(maps.Keys(got)), d)
		}
	})
}
