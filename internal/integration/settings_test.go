//go:build !breaking && !soak

package integration

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	collector "github.com/lagwatch/lagwatch/collector/kafka"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// topicsSet are topics by what is set on them, and what that means.
var topicsSet = map[string]struct {
	set  map[string]string
	want snapshot.TopicConfig
}{
	"settings-default":   {nil, snapshot.TopicConfig{Delete: true, RetentionTime: snapshot.Known(7 * day)}},
	"settings-compacted": {map[string]string{"cleanup.policy": "compact"}, snapshot.TopicConfig{Compact: true, RetentionTime: snapshot.Known(7 * day)}},
	"settings-both": {map[string]string{"cleanup.policy": "compact,delete", "retention.ms": "3600000"},
		snapshot.TopicConfig{Compact: true, Delete: true, RetentionTime: snapshot.Known(time.Hour)}},
	"settings-forever": {map[string]string{"retention.ms": "-1"}, snapshot.TopicConfig{Delete: true}},
	"settings-longest": {map[string]string{"retention.ms": "9223372036854775807"}, snapshot.TopicConfig{Delete: true}},
	"settings-bytes": {map[string]string{"retention.bytes": "1073741824", "message.timestamp.type": "LogAppendTime"},
		snapshot.TopicConfig{Delete: true, RetentionTime: snapshot.Known(7 * day), RetentionBytes: true, AppendTime: true}},
}

// The settings of a topic that a group uses are Kafka's, and no others are read.
func TestTopicSettings(t *testing.T) { topicSettings(useKafka(t), oldKafka{}) }

func topicSettings(k *kafka, _ oldKafka) {
	want := map[string]snapshot.TopicConfig{}
	commits := testkafka.Offsets{}
	for name, s := range topicsSet {
		k.topic(name, 1)
		k.must(k.SetTopicConfig(k.ctx, name, s.set))
		commits[testkafka.TopicPartition{Topic: name}] = 0
		s.want.Remote = snapshot.Known(false)
		want[name] = s.want
	}
	k.topic("settings-unused", 1)
	k.commit("settings", commits)
	diff := "no poll"
	defer func() {
		if diff != "" {
			k.t.Logf("(-want +got):\n%s", diff)
		}
	}()
	k.waitUntil("all brokers to know the settings", func() bool { // each learns them in its own time
		diff = cmp.Diff(want, k.settings("settings-"))
		return diff == ""
	})
}

// settings are those that a new client's first poll sees, of topics with a prefix.
func (k *kafka) settings(prefix string) map[string]snapshot.TopicConfig {
	k.t.Helper()
	got := map[string]snapshot.TopicConfig{}
	c, s := k.poller(collector.Options{Configs: true})
	c.Close()
	for _, t := range s.Topics {
		if c, ok := t.Config.Get(); ok && strings.HasPrefix(t.Name, prefix) {
			got[t.Name] = c
		}
	}
	return got
}
