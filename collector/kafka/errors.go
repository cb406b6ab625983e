package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

var (
	errTimeout     = errors.New("no answer in time")
	errUnsupported = errors.New("unsupported")
	errUnavailable = errors.New("unavailable")
	errIncomplete  = errors.New("the answer leaves out what was asked for")
)

// Kafka's error codes that lagwatch decides by
// (https://kafka.apache.org/protocol#protocol_error_codes).
const (
	codeUnknownTopic         = 3
	codeLeaderNotAvailable   = 5
	codeNotLeader            = 6
	codeRequestTimedOut      = 7
	codeReplicaNotAvailable  = 9
	codeCoordinatorLoading   = 14
	codeCoordinatorMissing   = 15
	codeNotCoordinator       = 16
	codeInvalidTopic         = 17
	codeTopicUnauthorized    = 29
	codeGroupUnauthorized    = 30
	codeClusterUnauthorized  = 31
	codeUnsupportedVersion   = 35
	codeStorage              = 56
	codeGroupIDNotFound      = 69
	codeFencedLeaderEpoch    = 74
	codeUnknownLeaderEpoch   = 75
	codeOffsetNotAvailable   = 78
	codeUnknownTopicID       = 100
	codeInconsistentTopicID  = 103
	codeThrottlingQuota      = 89
	codeSASLAuthentication   = 58
	codeUnsupportedMechanism = 33
)

// codeError turns a code of an answer into an error; nil for 0.
func codeError(code int16) error {
	if code == 0 {
		return nil
	}
	return kafkago.Error(code)
}

// codeReasons says what each code means for a reader of the metrics; what it
// lacks is ReasonUnknown.
var codeReasons = map[kafkago.Error]snapshot.Reason{
	codeUnknownTopic:         snapshot.ReasonUnknownPartition,
	codeUnknownTopicID:       snapshot.ReasonUnknownPartition,
	codeInconsistentTopicID:  snapshot.ReasonUnknownPartition,
	codeInvalidTopic:         snapshot.ReasonUnknownPartition,
	codeLeaderNotAvailable:   snapshot.ReasonNoLeader,
	codeNotLeader:            snapshot.ReasonNotLeader,
	codeFencedLeaderEpoch:    snapshot.ReasonNotLeader,
	codeUnknownLeaderEpoch:   snapshot.ReasonNotLeader,
	codeReplicaNotAvailable:  snapshot.ReasonNotLeader,
	codeRequestTimedOut:      snapshot.ReasonTimeout,
	codeCoordinatorLoading:   snapshot.ReasonLoading,
	codeCoordinatorMissing:   snapshot.ReasonLoading,
	codeNotCoordinator:       snapshot.ReasonNotCoordinator,
	codeTopicUnauthorized:    snapshot.ReasonUnauthorized,
	codeGroupUnauthorized:    snapshot.ReasonUnauthorized,
	codeClusterUnauthorized:  snapshot.ReasonUnauthorized,
	codeUnsupportedVersion:   snapshot.ReasonUnsupported,
	codeStorage:              snapshot.ReasonUnavailable,
	codeOffsetNotAvailable:   snapshot.ReasonUnavailable,
	codeThrottlingQuota:      snapshot.ReasonUnavailable,
	codeSASLAuthentication:   snapshot.ReasonAuthentication,
	codeUnsupportedMechanism: snapshot.ReasonAuthentication,
}

// staleRoute tells whether a code says that the partition is served elsewhere,
// or will be served again in a moment: worth one retry after new metadata.
func staleRoute(code int16) bool {
	switch codeReasons[kafkago.Error(code)] {
	case snapshot.ReasonNotLeader, snapshot.ReasonNoLeader, snapshot.ReasonUnknownPartition, snapshot.ReasonUnavailable:
		return true
	}
	return false
}

// broken tells whether err means that a connection had been closed by the
// other side, so that a new one may do better.
func broken(err error) bool {
	if _, ok := errors.AsType[*refusal](err); ok {
		return false
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
}

// reasonOf sorts an error into the closed set of reasons.
func reasonOf(err error) snapshot.Reason {
	var code kafkago.Error
	var dns *net.DNSError
	var refused *refusal
	switch {
	case err == nil:
		return snapshot.ReasonUnknown
	case errors.As(err, &refused):
		return refused.reason
	case strings.Contains(err.Error(), "tls: "):
		return snapshot.ReasonTLS
	case errors.As(err, &code):
		return codeReasons[code]
	case errors.Is(err, errUnavailable):
		return snapshot.ReasonUnavailable
	case errors.Is(err, errUnsupported):
		return snapshot.ReasonUnsupported
	case errors.Is(err, errIncomplete):
		return snapshot.ReasonIncomplete
	case errors.Is(err, errMalformed):
		return snapshot.ReasonMalformed
	case errors.As(err, &dns):
		return snapshot.ReasonUnresolvable
	case errors.Is(err, syscall.ECONNREFUSED):
		return snapshot.ReasonRefused
	case timedOut(err):
		return snapshot.ReasonTimeout
	case broken(err), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return snapshot.ReasonUnreachable
	}
	return snapshot.ReasonUnknown
}

func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.Is(err, errTimeout) || errors.As(err, &t) && t.Timeout()
}

// remedies say what to try, for what a person can change.
var remedies = map[snapshot.Reason]string{
	snapshot.ReasonUnresolvable:   "check the host name, and that this machine's DNS knows it",
	snapshot.ReasonRefused:        "is Kafka running there, and is this the port of its client listener?",
	snapshot.ReasonTimeout:        "is the broker overloaded or frozen, a firewall dropping packets, or is this no Kafka listener?",
	snapshot.ReasonTLS:            "compare the TLS settings of lagwatch and the broker",
	snapshot.ReasonUnreachable:    "the broker closed the connection: is it restarting, or is this a TLS or SASL listener?",
	snapshot.ReasonAuthentication: "check user, password and mechanism, and that this user exists on the broker",
	snapshot.ReasonUnauthorized:   "grant DESCRIBE on it to lagwatch's user",
	snapshot.ReasonUnsupported:    "lagwatch and this broker share no version of the request",
	snapshot.ReasonMalformed:      "is this a Kafka listener?",
	snapshot.ReasonLoading:        "the coordinator is starting; this passes by itself",
}

// maxDetail is enough to recognise an error by: names that others chose may be
// of any length.
const maxDetail = 400

// explain makes one line of an error and its remedy.
func explain(err error) string {
	text := err.Error()
	var code kafkago.Error
	if errors.As(err, &code) { // whose text explains at length
		text = strings.ReplaceAll(text, code.Error(), fmt.Sprintf("%s (error %d)", code.Title(), int(code)))
	}
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > maxDetail {
		text = string(r[:maxDetail]) + "…"
	}
	if r := remedyOf(err); r != "" {
		text += " (" + r + ")"
	}
	return text
}

// lineErrors joins errors into one that is a single line, where errors.Join
// would make one line of each.
type lineErrors []error

func (l lineErrors) Error() string {
	var parts []string
	for _, err := range l {
		if text := explain(err); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}

func (l lineErrors) Unwrap() []error { return l }
