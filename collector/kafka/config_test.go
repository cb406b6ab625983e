package kafka

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// described is an answer with Kafka's own defaults, but for what is changed:
// name and value in turn, "absent" to leave the setting out, "null" for no value.
func described(changes ...string) *kmsg.DescribeConfigsResponseResource {
	r := &kmsg.DescribeConfigsResponseResource{ResourceName: "orders"}
	values := map[string]string{
		"cleanup.policy": "delete", "retention.ms": "604800000", "retention.bytes": "-1",
		"remote.storage.enable": "false", "message.timestamp.type": "CreateTime",
	}
	for i := 0; i < len(changes); i += 2 {
		values[changes[i]] = changes[i+1]
	}
	for name, v := range values {
		c := kmsg.NewDescribeConfigsResponseResourceConfig()
		if c.Name = name; v != "null" {
			c.Value = &v
		}
		if v != "absent" {
			r.Configs = append(r.Configs, c)
		}
	}
	return r
}

// defaults is what Kafka's own defaults come to, but for what is changed.
func defaults(change func(*snapshot.TopicConfig)) snapshot.TopicConfig {
	c := snapshot.TopicConfig{Delete: true, RetentionTime: snapshot.Known(7 * 24 * time.Hour), Remote: snapshot.Known(false)}
	change(&c)
	return c
}

func TestReadConfig(t *testing.T) {
	for name, test := range map[string]struct {
		changes []string
		want    func(*snapshot.TopicConfig)
	}{
		"defaults":             {nil, func(*snapshot.TopicConfig) {}},
		"compacted":            {[]string{"cleanup.policy", "compact"}, func(c *snapshot.TopicConfig) { c.Delete, c.Compact = false, true }},
		"both":                 {[]string{"cleanup.policy", "compact, delete"}, func(c *snapshot.TopicConfig) { c.Compact = true }},
		"kept for good":        {[]string{"cleanup.policy", ""}, func(c *snapshot.TopicConfig) { c.Delete = false }},
		"no limit of time":     {[]string{"retention.ms", "-1"}, func(c *snapshot.TopicConfig) { c.RetentionTime = snapshot.Maybe[time.Duration]{} }},
		"none for 292 million": {[]string{"retention.ms", "9223372036854775807"}, func(c *snapshot.TopicConfig) { c.RetentionTime = snapshot.Maybe[time.Duration]{} }},
		"nothing is kept":      {[]string{"retention.ms", "0"}, func(c *snapshot.TopicConfig) { c.RetentionTime = snapshot.Known(time.Duration(0)) }},
		"a limit of bytes":     {[]string{"retention.bytes", "1073741824"}, func(c *snapshot.TopicConfig) { c.RetentionBytes = true }},
		"not a byte":           {[]string{"retention.bytes", "0"}, func(c *snapshot.TopicConfig) { c.RetentionBytes = true }},
		"tiered":               {[]string{"remote.storage.enable", "true"}, func(c *snapshot.TopicConfig) { c.Remote = snapshot.Known(true) }},
		"before tiers":         {[]string{"remote.storage.enable", "absent"}, func(*snapshot.TopicConfig) {}},
		"tiered or not":        {[]string{"remote.storage.enable", "null"}, func(c *snapshot.TopicConfig) { c.Remote = snapshot.Maybe[bool]{} }},
		"tiered in some way":   {[]string{"remote.storage.enable", "hot"}, func(c *snapshot.TopicConfig) { c.Remote = snapshot.Maybe[bool]{} }},
		"the broker's clock":   {[]string{"message.timestamp.type", "LogAppendTime"}, func(c *snapshot.TopicConfig) { c.AppendTime = true }},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readConfig(described(test.changes...))
			if diff := cmp.Diff(defaults(test.want), got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// A limit that cannot be read is not none.
func TestConfigThatCannotBeRead(t *testing.T) {
	refused := described()
	refused.ErrorCode = wire.CodeTopicUnauthorized
	for name, test := range map[string]struct {
		r    *kmsg.DescribeConfigsResponseResource
		want snapshot.Reason
	}{
		"refused":            {refused, snapshot.ReasonUnauthorized},
		"no policy":          {described("cleanup.policy", "absent"), snapshot.ReasonIncomplete},
		"a policy of null":   {described("cleanup.policy", "null"), snapshot.ReasonIncomplete},
		"no retention":       {described("retention.ms", "absent"), snapshot.ReasonIncomplete},
		"no size":            {described("retention.bytes", "null"), snapshot.ReasonIncomplete},
		"no kind of time":    {described("message.timestamp.type", "absent"), snapshot.ReasonIncomplete},
		"a week":             {described("retention.ms", "7d"), snapshot.ReasonMalformed},
		"less than none":     {described("retention.ms", "-2"), snapshot.ReasonMalformed},
		"beyond all numbers": {described("retention.bytes", "9223372036854775808"), snapshot.ReasonMalformed},
	} {
		if _, err := readConfig(test.r); wire.ReasonOf(err) != test.want {
			t.Errorf("%s: %v is %s, want %s", name, err, wire.ReasonOf(err), test.want)
		}
	}
}
