package wire

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// span is an inclusive range of versions.
type span struct{ min, max int16 }

// spoken lists every request that lagwatch sends, with the versions that it
// understands. Nothing else is ever sent, FindCoordinator least of all: it
// creates __consumer_offsets on a fresh cluster.
var spoken = map[kmsg.Key]span{
	kmsg.ApiVersions:               {0, 3},
	kmsg.Metadata:                  {4, 13}, // 4 is the first that can decline to create topics
	kmsg.ListGroups:                {0, 5},  // 4 adds the state, 5 the type
	kmsg.DescribeGroups:            {0, 6},
	kmsg.ConsumerGroupDescribe:     {0, 1},
	kmsg.ShareGroupDescribe:        {1, 1}, // 0 was of an early access that Kafka 4.1 ended
	kmsg.StreamsGroupDescribe:      {0, 1},
	kmsg.DescribeShareGroupOffsets: {0, 1}, // 1 adds the lag
	// 2 is the first that can ask for all topics, 8 for many groups. 10
	// answers with topic ids, which a metadata answer of the same moment may
	// not know yet; 9 says the same with names.
	kmsg.OffsetFetch:     {2, 9},
	kmsg.ListOffsets:     {1, 9},
	kmsg.DescribeConfigs: {0, 4},
}

// loginKeys are the requests with which a connection authenticates, before any
// of spoken is sent on it.
var loginKeys = map[kmsg.Key]bool{kmsg.SASLHandshake: true, kmsg.SASLAuthenticate: true}

// versions are what one broker speaks, by API key.
type versions map[int16]span

// newVersions reads what a broker's answer says of what lagwatch sends, logins
// included.
func newVersions(r *kmsg.ApiVersionsResponse) versions {
	v := make(versions, len(spoken))
	for _, k := range r.ApiKeys {
		if _, ok := spoken[kmsg.Key(k.ApiKey)]; ok || loginKeys[kmsg.Key(k.ApiKey)] {
			v[k.ApiKey] = span{k.MinVersion, k.MaxVersion}
		}
	}
	return v
}

// highest returns the highest version of an API that both sides speak, at
// most what lagwatch wants of it.
func (v versions) highest(key int16) (int16, error) {
	ours, ok := spoken[kmsg.Key(key)]
	if !ok {
		return 0, fmt.Errorf("%w: %s is not a request of lagwatch's", ErrUnsupported, kmsg.NameForKey(key))
	}
	theirs, ok := v[key]
	if !ok {
		return 0, fmt.Errorf("%w: the broker has no %s", ErrUnsupported, kmsg.NameForKey(key))
	}
	if theirs.max < ours.min || theirs.min > ours.max {
		return 0, fmt.Errorf("%w: the broker speaks %s %d to %d, lagwatch %d to %d",
			ErrUnsupported, kmsg.NameForKey(key), theirs.min, theirs.max, ours.min, ours.max)
	}
	return min(ours.max, theirs.max), nil
}

// NewMetadataRequest asks about all topics until it is told which, and creates
// none of them.
func NewMetadataRequest() *kmsg.MetadataRequest {
	q := kmsg.NewPtrMetadataRequest()
	q.AllowAutoTopicCreation = false
	return q
}
