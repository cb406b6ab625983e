package wire

import (
	"errors"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Kafka's error codes that lagwatch decides by
// (https://kafka.apache.org/protocol#protocol_error_codes).
const (
	CodeUnknownTopic         = 3
	CodeLeaderNotAvailable   = 5
	codeNotLeader            = 6
	codeRequestTimedOut      = 7
	codeReplicaNotAvailable  = 9
	CodeCoordinatorLoading   = 14
	CodeCoordinatorMissing   = 15
	CodeNotCoordinator       = 16
	CodeInvalidTopic         = 17
	CodeTopicUnauthorized    = 29
	CodeGroupUnauthorized    = 30
	codeClusterUnauthorized  = 31
	codeUnsupportedVersion   = 35
	codeStorage              = 56
	CodeGroupIDNotFound      = 69
	codeFencedLeaderEpoch    = 74
	codeUnknownLeaderEpoch   = 75
	codeOffsetNotAvailable   = 78
	codeUnknownTopicID       = 100
	codeInconsistentTopicID  = 103
	codeThrottlingQuota      = 89
	codeSASLAuthentication   = 58
	codeUnsupportedMechanism = 33
)

// CodeError turns a code of an answer into an error; nil for 0.
func CodeError(code int16) error {
	if code == 0 {
		return nil
	}
	return kafkago.Error(code)
}

// IsCode tells whether err is a code with which a broker answered.
func IsCode(err error) bool {
	_, ok := errors.AsType[kafkago.Error](err)
	return ok
}

// codeReasons says what each code means for a reader of the metrics; what it
// lacks is ReasonUnknown.
var codeReasons = map[kafkago.Error]snapshot.Reason{
	CodeUnknownTopic:         snapshot.ReasonUnknownPartition,
	codeUnknownTopicID:       snapshot.ReasonUnknownPartition,
	codeInconsistentTopicID:  snapshot.ReasonUnknownPartition,
	CodeInvalidTopic:         snapshot.ReasonUnknownPartition,
	CodeLeaderNotAvailable:   snapshot.ReasonNoLeader,
	codeNotLeader:            snapshot.ReasonNotLeader,
	codeFencedLeaderEpoch:    snapshot.ReasonNotLeader,
	codeUnknownLeaderEpoch:   snapshot.ReasonNotLeader,
	codeReplicaNotAvailable:  snapshot.ReasonNotLeader,
	codeRequestTimedOut:      snapshot.ReasonTimeout,
	CodeCoordinatorLoading:   snapshot.ReasonLoading,
	CodeCoordinatorMissing:   snapshot.ReasonLoading,
	CodeNotCoordinator:       snapshot.ReasonNotCoordinator,
	CodeTopicUnauthorized:    snapshot.ReasonUnauthorized,
	CodeGroupUnauthorized:    snapshot.ReasonUnauthorized,
	codeClusterUnauthorized:  snapshot.ReasonUnauthorized,
	codeUnsupportedVersion:   snapshot.ReasonUnsupported,
	codeStorage:              snapshot.ReasonUnavailable,
	codeOffsetNotAvailable:   snapshot.ReasonUnavailable,
	codeThrottlingQuota:      snapshot.ReasonUnavailable,
	codeSASLAuthentication:   snapshot.ReasonAuthentication,
	codeUnsupportedMechanism: snapshot.ReasonAuthentication,
}
