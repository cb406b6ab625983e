package kafka

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// The settings that are asked for.
const (
	cleanupPolicy  = "cleanup.policy"
	retentionMs    = "retention.ms"
	retentionBytes = "retention.bytes"
	remoteStorage  = "remote.storage.enable"
	timestampType  = "message.timestamp.type"
)

var configNames = []string{cleanupPolicy, retentionMs, retentionBytes, remoteStorage, timestampType}

// readConfig reads the settings of one topic. An error means that nothing of
// them is known: a limit that cannot be read is not none.
func readConfig(r *kmsg.DescribeConfigsResponseResource) (snapshot.TopicConfig, error) {
	var c snapshot.TopicConfig
	if r.ErrorCode != 0 {
		return c, wire.CodeError(r.ErrorCode)
	}
	s := settings{of: make(map[string]*string, len(r.Configs))}
	for i := range r.Configs {
		s.of[r.Configs[i].Name] = r.Configs[i].Value
	}
	for policy := range strings.SplitSeq(s.text(cleanupPolicy), ",") {
		switch strings.TrimSpace(policy) {
		case "delete":
			c.Delete = true
		case "compact":
			c.Compact = true
		}
	}
	if ms, ok := s.limit(retentionMs).Get(); ok && ms <= math.MaxInt64/int64(time.Millisecond) { // more is 292 years
		c.RetentionTime = snapshot.Known(time.Duration(ms) * time.Millisecond)
	}
	c.RetentionBytes = s.limit(retentionBytes).Known()
	c.AppendTime = s.text(timestampType) == "LogAppendTime"
	c.Remote = s.remote()
	return c, s.err
}

// settings are read by name; err is of the first that could not be.
type settings struct {
	of  map[string]*string
	err error
}

func (s *settings) text(name string) string {
	if v := s.of[name]; v != nil {
		return *v
	}
	if s.err == nil {
		s.err = fmt.Errorf("%w: %s", errIncomplete, name)
	}
	return ""
}

// limit reads a number; unknown for −1, which is no limit.
func (s *settings) limit(name string) snapshot.Maybe[int64] {
	text := s.text(name)
	n, err := strconv.ParseInt(text, 10, 64)
	if (err != nil || n < -1) && s.err == nil {
		s.err = fmt.Errorf("%w: %s is %q", wire.ErrMalformed, name, text)
	}
	if err != nil || n < 0 {
		return snapshot.Maybe[int64]{}
	}
	return snapshot.Known(n)
}

// remote is false where there is no such setting: Kafka has it since 3.0, and
// until 3.5 lists it only for topics on which somebody has set it.
func (s *settings) remote() snapshot.Maybe[bool] {
	v, listed := s.of[remoteStorage]
	switch {
	case !listed, v != nil && *v == "false":
		return snapshot.Known(false)
	case v != nil && *v == "true":
		return snapshot.Known(true)
	}
	return snapshot.Maybe[bool]{}
}
