package wire

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
		{"malformed", ErrMalformed, snapshot.ReasonMalformed},
		{"unavailable", ErrUnavailable, snapshot.ReasonUnavailable},
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
		errors.Join(errors.New("something else"), err),
		fmt.Errorf("reading an answer of 12 bytes: %w", fmt.Errorf("127.0.0.1:9092: %w", err)),
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
	if IsCode(nil) || IsCode(ErrTimeout) || !IsCode(fmt.Errorf("a: %w", CodeError(29))) {
		t.Error("a code is none, or none is one")
	}
}
