package kafka

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// What the reading finds wrong has one reason, however deep it is wrapped and
// whatever it is told with, and is one line.
func TestReasons(t *testing.T) {
	for _, test := range []struct {
		err  error
		want snapshot.Reason
	}{
		{errIncomplete, snapshot.ReasonIncomplete},
		{errNoBrokers, snapshot.ReasonUnavailable},
		{errUnknownBroker, snapshot.ReasonUnavailable},
		{errNoCoordinator, snapshot.ReasonUnavailable},
		{errNoLag, snapshot.ReasonUnavailable},
		{errNoLagVersion, snapshot.ReasonUnsupported},
	} {
		for _, err := range []error{
			test.err,
			fmt.Errorf("127.0.0.1:9092: %w", test.err),
			lineErrors{test.err},
			lineErrors{errors.New("something else"), fmt.Errorf("b: %w", test.err)},
		} {
			if got := wire.ReasonOf(err); got != test.want {
				t.Errorf("%q is %s, not %s", err, got, test.want)
			}
			checkLine(t, wire.Explain(err))
		}
	}
}

// Several errors are one short line: that of thirty brokers was sixty lines of a terminal,
// once for each group.
func TestLineErrors(t *testing.T) {
	refused := fmt.Errorf("a:9092: %w", syscall.ECONNREFUSED)
	l := lineErrors{refused, errors.New("b\nc"), refused}
	checkLine(t, l.Error())
	if n := strings.Count(l.Error(), "a:9092"); n != 1 {
		t.Errorf("told %d times: %s", n, l)
	}
	if got := l.Error(); !strings.HasSuffix(got, ", and 1 more") || strings.Contains(got, "b c") {
		t.Errorf("two errors are %q", got)
	}
	if got := l[:1].Error(); strings.Contains(got, "more") {
		t.Errorf("one error is %q", got)
	}
	if !errors.Is(l, syscall.ECONNREFUSED) || wire.ReasonOf(l) != snapshot.ReasonRefused {
		t.Error("its errors cannot be found")
	}
}

// What is worth a retry is what another broker, or the same in a moment, may
// answer; what nobody will answer otherwise is not asked twice.
func TestStaleRoute(t *testing.T) {
	for _, e := range []*kerr.Error{
		kerr.NotLeaderForPartition, kerr.LeaderNotAvailable, kerr.FencedLeaderEpoch,
		kerr.UnknownTopicOrPartition, kerr.OffsetNotAvailable, kerr.ReplicaNotAvailable,
	} {
		if !staleRoute(e.Code) {
			t.Errorf("%s is not retried", e.Message)
		}
	}
	for _, code := range []int16{0, kerr.TopicAuthorizationFailed.Code, kerr.UnsupportedVersion.Code, -1, 9999} {
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
		addr   string
		want   snapshot.Reason
		remedy string
	}{
		{addr, snapshot.ReasonRefused, "is Kafka running there"},
		{"no-such-host.invalid:9092", snapshot.ReasonUnresolvable, "check the host name"},
	} {
		s, err := untapped(t, patience, test.addr).Poll(testContext(t))
		if wire.ReasonOf(err) != test.want || len(s.Problems) != 1 || s.Problems[0].Reason != test.want || s.Problems[0].Stage != snapshot.StageMetadata {
			t.Errorf("%s: %v, %v", test.addr, err, problems(s))
			continue
		}
		for _, text := range []string{err.Error(), s.Problems[0].Detail} {
			checkLine(t, text)
			if !strings.Contains(text, test.addr) || strings.Count(text, test.remedy) != 1 {
				t.Errorf("%q", text)
			}
		}
	}
}
