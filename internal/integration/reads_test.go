//go:build !breaking && !soak

package integration

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// mostSetUp bounds what the connections of one lagwatch need. It uses one of three
// addresses and three brokers, with a connection or two to each: versions for
// itself and once more for kafka-go, the brokers' Metadata for both.
const mostSetUp = 24

// reads are the only requests that lagwatch may send.
var reads = map[string]bool{
	"API_VERSIONS": true, "METADATA": true, "LIST_GROUPS": true, "DESCRIBE_GROUPS": true,
	"CONSUMER_GROUP_DESCRIBE": true, "SHARE_GROUP_DESCRIBE": true, "STREAMS_GROUP_DESCRIBE": true,
	"OFFSET_FETCH": true, "DESCRIBE_SHARE_GROUP_OFFSETS": true, "LIST_OFFSETS": true,
	"DESCRIBE_CONFIGS": true,
}

// metadataBody is the part of a Metadata request that is looked at.
type metadataBody struct {
	// Topics is nil for all topics.
	Topics []struct {
		Name string `json:"name"`
	} `json:"topics"`
	// AllowAutoTopicCreation isn't there before version 4, which always allows.
	AllowAutoTopicCreation *bool `json:"allowAutoTopicCreation"`
}

func metadataOf(r testkafka.Request) (m metadataBody, ok bool) {
	if r.API != "METADATA" || json.Unmarshal(r.Body, &m) != nil {
		return metadataBody{}, false
	}
	return m, true
}

// isSetUp is whether a connection needed it: versions, and Metadata without
// topics, which tells of the brokers only.
func isSetUp(r testkafka.Request) bool {
	m, ok := metadataOf(r)
	return r.API == "API_VERSIONS" || ok && m.Topics != nil && len(m.Topics) == 0
}

// names is whether it is a Metadata request that names a topic.
func names(r testkafka.Request, topic string) bool {
	m, _ := metadataOf(r)
	for _, t := range m.Topics {
		if t.Name == topic {
			return true
		}
	}
	return false
}

// onlyReads checks that no request changes Kafka: nothing but reads, no
// FindCoordinator, and no Metadata that may create a topic. Each kind of
// offence is told once.
func onlyReads(list []testkafka.Request) error {
	told := map[string]bool{}
	var wrong []error
	for _, r := range list {
		if what := offence(r); what != "" && !told[what] {
			told[what] = true
			wrong = append(wrong, fmt.Errorf("lagwatch sent %s v%d, %s, such as %.500s", r.API, r.Version, what, r.Body))
		}
	}
	return errors.Join(wrong...)
}

// offence tells what is wrong with a request; "" if nothing.
func offence(r testkafka.Request) string {
	m, ok := metadataOf(r)
	switch {
	case !reads[r.API]:
		return r.API + " is none of its requests"
	case r.API == "METADATA" && !ok:
		return "which cannot be read"
	case ok && (m.AllowAutoTopicCreation == nil || *m.AllowAutoTopicCreation):
		return "which may create topics"
	}
	return ""
}
