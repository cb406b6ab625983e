package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Every error has one reason, however deep it is wrapped, and explains itself
// in one line with what to try.
func TestReasons(t *testing.T) {
	dial := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{Port: 9092}, Err: err}
	}
	sys := func(err error) error { return dial(os.NewSyscallError("connect", err)) }
	for _, test := range []struct {
		name string
		err  error
		want snapshot.Reason
	}{
		{"unresolvable", dial(&net.DNSError{Name: "kafka", Err: "no such host", IsNotFound: true}), snapshot.ReasonUnresolvable},
		{"resolver times out", dial(&net.DNSError{Name: "kafka", Err: "i/o timeout", IsTimeout: true}), snapshot.ReasonUnresolvable},
		{"refused", sys(syscall.ECONNREFUSED), snapshot.ReasonRefused},
		{"no route", sys(syscall.EHOSTUNREACH), snapshot.ReasonUnreachable},
		{"network down", sys(syscall.ENETUNREACH), snapshot.ReasonUnreachable},
		{"reset", sys(syscall.ECONNRESET), snapshot.ReasonUnreachable},
		{"broken pipe", sys(syscall.EPIPE), snapshot.ReasonUnreachable},
		{"connect timeout", sys(syscall.ETIMEDOUT), snapshot.ReasonTimeout},
		{"closed", net.ErrClosed, snapshot.ReasonUnreachable},
		{"EOF", io.EOF, snapshot.ReasonUnreachable},
		{"cut short", io.ErrUnexpectedEOF, snapshot.ReasonUnreachable},
		{"context deadline", context.DeadlineExceeded, snapshot.ReasonTimeout},
		{"connection deadline", os.ErrDeadlineExceeded, snapshot.ReasonTimeout},
		{"own timeout", ErrTimeout, snapshot.ReasonTimeout},
		{"cancelled", context.Canceled, snapshot.ReasonUnknown},
		{"TLS listener", errTLSListener, snapshot.ReasonTLS},
		{"TLS record", tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, snapshot.ReasonTLS},
		{"certificate", &tls.CertificateVerificationError{Err: errors.New("x509: unknown authority")}, snapshot.ReasonTLS},
		{"refused with a remedy", Refuse(snapshot.ReasonAuthentication, "do that", io.EOF), snapshot.ReasonAuthentication},
		{"refused without", Refuse(snapshot.ReasonAuthentication, "", CodeError(codeSASLAuthentication)), snapshot.ReasonAuthentication},
		{"unsupported", ErrUnsupported, snapshot.ReasonUnsupported},
		{"incomplete", errIncomplete, snapshot.ReasonIncomplete},
		{"malformed", ErrMalformed, snapshot.ReasonMalformed},
		{"no brokers", errNoBrokers, snapshot.ReasonUnavailable},
		{"not in metadata", errUnknownBroker, snapshot.ReasonUnavailable},
		{"no coordinator", errNoCoordinator, snapshot.ReasonUnavailable},
		{"several lines", errors.New("one\n\ttwo\r\nthree"), snapshot.ReasonUnknown},
		{"code −1", CodeError(-1), snapshot.ReasonUnknown},
		{"code of tomorrow", CodeError(9999), snapshot.ReasonUnknown},
	} {
		t.Run(test.name, func(t *testing.T) { checkReason(t, test.err, test.want) })
	}
	for code, want := range codeReasons {
		t.Run(code.Title(), func(t *testing.T) { checkReason(t, CodeError(int16(code)), want) })
	}
}

func checkReason(t *testing.T, err error, want snapshot.Reason) {
	t.Helper()
	for _, e := range []error{
		err,
		fmt.Errorf("127.0.0.1:9092: %w", err),
		fmt.Errorf("reading an answer of 12 bytes: %w", fmt.Errorf("127.0.0.1:9092: %w", err)),
		lineErrors{err},
		lineErrors{errors.New("something else"), fmt.Errorf("b: %w", err)},
	} {
		if got := ReasonOf(e); got != want {
			t.Errorf("%q is %s, not %s", e, got, want)
		}
		text := Explain(e)
		checkLine(t, text)
		if remedy := remedyOf(err); !strings.Contains(text, remedy) {
			t.Errorf("%q lacks %q", text, remedy)
		}
	}
}

func TestNoError(t *testing.T) {
	if CodeError(0) != nil || ReasonOf(nil) != snapshot.ReasonUnknown || broken(nil) {
		t.Error("no error is one")
	}
	var code kafkago.Error
	if !errors.As(CodeError(29), &code) || code != kafkago.TopicAuthorizationFailed {
		t.Errorf("%v", code)
	}
}

// Several errors are one line, each told once.
func TestLineErrors(t *testing.T) {
	refused := fmt.Errorf("a:9092: %w", syscall.ECONNREFUSED)
	l := lineErrors{refused, errors.New("b\nc"), refused}
	checkLine(t, l.Error())
	if n := strings.Count(l.Error(), "a:9092"); n != 1 {
		t.Errorf("told %d times: %s", n, l)
	}
	if !errors.Is(l, syscall.ECONNREFUSED) || ReasonOf(l) != snapshot.ReasonRefused {
		t.Error("its errors cannot be found")
	}
}

// What is worth a retry is what another broker, or the same in a moment, may
// answer; what nobody will answer otherwise is not asked twice.
func TestStaleRoute(t *testing.T) {
	for _, code := range []int16{codeNotLeader, CodeLeaderNotAvailable, codeFencedLeaderEpoch, CodeUnknownTopic, codeOffsetNotAvailable, codeReplicaNotAvailable} {
		if !staleRoute(code) {
			t.Errorf("%d is not retried", code)
		}
	}
	for _, code := range []int16{CodeTopicUnauthorized, codeUnsupportedVersion, -1, 9999} {
		if staleRoute(code) {
			t.Errorf("%d is retried", code)
		}
	}
}

// A dead end from the address to the line: what a person reads when nothing
// listens, or the name does not exist.
func TestUnreachableBootstrap(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	addr := l.Addr().String()
	must(t, l.Close())
	for _, test := range []struct {
		addr string
		want snapshot.Reason
	}{
		{addr, snapshot.ReasonRefused},
		{"no-such-host.invalid:9092", snapshot.ReasonUnresolvable},
	} {
		s, err := untapped(t, patience, test.addr).Poll(testContext(t))
		if ReasonOf(err) != test.want || len(s.Problems) != 1 || s.Problems[0].Reason != test.want || s.Problems[0].Stage != snapshot.StageMetadata {
			t.Errorf("%s: %v, %v", test.addr, err, problems(s))
			continue
		}
		for _, text := range []string{err.Error(), s.Problems[0].Detail} {
			checkLine(t, text)
			if !strings.Contains(text, test.addr) || strings.Count(text, remedies[test.want]) != 1 {
				t.Errorf("%q", text)
			}
		}
	}
}
