package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// What errors of this package, and of the reading above it, are told apart by.
var (
	ErrTimeout     = errors.New("no answer in time")
	ErrUnsupported = errors.New("unsupported") // by the broker, or by lagwatch
	ErrUnavailable = errors.New("unavailable") // for now: somebody is missing, starting or moving
)

// broken tells whether err means that a connection had been closed by the
// other side, so that a new one may do better.
func broken(err error) bool {
	if _, ok := errors.AsType[*refusal](err); ok {
		return false
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
}

// ReasonOf sorts an error into the closed set of reasons; ReasonUnknown for nil
// and for what fits none.
func ReasonOf(err error) snapshot.Reason {
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
	case errors.Is(err, ErrUnavailable):
		return snapshot.ReasonUnavailable
	case errors.Is(err, ErrUnsupported):
		return snapshot.ReasonUnsupported
	case errors.Is(err, ErrMalformed):
		return snapshot.ReasonMalformed
	case errors.As(err, &dns):
		return snapshot.ReasonUnresolvable
	case errors.Is(err, syscall.ECONNREFUSED):
		return snapshot.ReasonRefused
	case TimedOut(err):
		return snapshot.ReasonTimeout
	case broken(err), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return snapshot.ReasonUnreachable
	}
	return snapshot.ReasonUnknown
}

// TimedOut tells whether err means that time ran out, of whoever's clock.
func TimedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.Is(err, ErrTimeout) || errors.As(err, &t) && t.Timeout()
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

// Explain makes one line of an error and its remedy, however long and of however
// many lines the error is.
func Explain(err error) string {
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
