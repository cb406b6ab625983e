package wire

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// sized is a body with a size before it that may be a lie.
func sized(size uint32, body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, size), body...)
}

// Answers that are no answers: the reason is told, and the next request, on
// another connection, is answered.
func TestAnswersThatAreNone(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer func(good []byte) wiretest.Reply
		reason snapshot.Reason
	}{
		{"another's correlation id", func(b []byte) wiretest.Reply { b[7]++; return wiretest.Reply{Bytes: b} }, snapshot.ReasonMalformed},
		{"size 0", func([]byte) wiretest.Reply { return wiretest.Reply{Bytes: sized(0, nil)} }, snapshot.ReasonMalformed},
		{"size 3", func([]byte) wiretest.Reply { return wiretest.Reply{Bytes: sized(3, []byte("abc"))} }, snapshot.ReasonMalformed},
		{"size below 0", func(b []byte) wiretest.Reply { return wiretest.Reply{Bytes: sized(1<<32-1, b[4:])} }, snapshot.ReasonMalformed},
		{"size 2 GB", func(b []byte) wiretest.Reply { return wiretest.Reply{Bytes: sized(1<<31-1, b[4:])} }, snapshot.ReasonMalformed},
		{"size above the cap", func(b []byte) wiretest.Reply { return wiretest.Reply{Bytes: sized(maxFrameBytes+1, b[4:])} }, snapshot.ReasonMalformed},
		{"size at the cap, then nothing", func(b []byte) wiretest.Reply { return wiretest.Reply{Bytes: sized(maxFrameBytes, b[4:])} }, snapshot.ReasonTimeout},
		{"cut short", func(b []byte) wiretest.Reply { return wiretest.Reply{Bytes: b[:len(b)-3], Close: true} }, snapshot.ReasonUnreachable},
		{"cut in the size", func(b []byte) wiretest.Reply { return wiretest.Reply{Bytes: b[:2], Close: true} }, snapshot.ReasonUnreachable},
		{"closed without a byte", func([]byte) wiretest.Reply { return wiretest.Reply{Close: true} }, snapshot.ReasonUnreachable},
		{"body of another size", func(b []byte) wiretest.Reply { return wiretest.Reply{Bytes: sized(uint32(len(b)-6), b[4:len(b)-2])} }, snapshot.ReasonMalformed},
		{"garbage", func(b []byte) wiretest.Reply {
			body := slices.Concat(b[4:8], []byte{0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 7})
			return wiretest.Reply{Bytes: wiretest.AppendFrame(nil, body)}
		}, snapshot.ReasonMalformed},
		{"a header without an end", func(b []byte) wiretest.Reply {
			body := append(slices.Clone(b[4:8]), 200)
			return wiretest.Reply{Bytes: wiretest.AppendFrame(nil, body)}
		}, snapshot.ReasonMalformed},
		{"HTTP", func([]byte) wiretest.Reply {
			return wiretest.Reply{Bytes: []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), Close: true}
		}, snapshot.ReasonMalformed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := wiretest.Start(t)
			timeout := patience // a slow machine is not what is tested
			if test.reason == snapshot.ReasonTimeout {
				timeout = time.Second
			}
			n := startNode(t, Options{Timeout: timeout}, b.Addr)
			b.AnswerAPI(kmsg.ListGroups, func(q wiretest.Question) wiretest.Reply { return test.answer(q.Good) })
			checkFailed(t, listGroups(t, n), test.reason, b.Addr)
			if n := b.Accepted(); n > 4 {
				t.Errorf("%d connections", n)
			}
			b.Answer(nil)
			ends(t, n)
		})
	}
}

// A size that lies costs nothing: memory is taken as bytes arrive.
func TestSizeThatLiesCostsNothing(t *testing.T) {
	b := wiretest.Start(t)
	b.AnswerAPI(kmsg.ListGroups, func(q wiretest.Question) wiretest.Reply {
		return wiretest.Reply{Bytes: sized(maxFrameBytes, q.Good[4:]), Close: true}
	})
	n := startNode(t, Options{}, b.Addr)
	took := wiretest.Allocates(func() { checkFailed(t, listGroups(t, n), snapshot.ReasonUnreachable) })
	if took > 16<<20 {
		t.Errorf("%d MiB", took>>20)
	}
}

// An answer that trickles in is given up when its time is over, not when it
// pauses: each byte would renew the time for the next.
func TestTrickle(t *testing.T) {
	b := wiretest.Start(t)
	n := startNode(t, Options{Timeout: 300 * time.Millisecond}, b.Addr)
	must(t, listGroups(t, n))
	b.AnswerAPI(kmsg.ListGroups, func(q wiretest.Question) wiretest.Reply {
		return wiretest.Reply{Bytes: q.Good, Pause: 60 * time.Millisecond}
	})
	started := time.Now()
	checkFailed(t, listGroups(t, n), snapshot.ReasonTimeout)
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("took %s", took)
	}
}

// An answer that comes after its time is dropped: it must not be taken for the
// answer to the next request.
func TestLateAnswer(t *testing.T) {
	b := wiretest.Start(t)
	n := startNode(t, Options{Timeout: 200 * time.Millisecond}, b.Addr)
	must(t, listGroups(t, n))
	late := make(chan struct{})
	b.AnswerAPI(kmsg.ListGroups, func(q wiretest.Question) wiretest.Reply { return wiretest.Reply{Bytes: q.Good, Hold: late} })
	checkFailed(t, listGroups(t, n), snapshot.ReasonTimeout)
	close(late)
	b.Answer(nil)
	for range 3 {
		ends(t, n)
	}
}

// An answer that nobody asked for makes the connection useless, and does not
// shift the answers that follow by one.
func TestUnaskedAnswer(t *testing.T) {
	b := wiretest.Start(t)
	n := startNode(t, Options{}, b.Addr)
	b.AnswerAPI(kmsg.ListGroups, func(q wiretest.Question) wiretest.Reply { return wiretest.Reply{Bytes: append(q.Good, q.Good...)} })
	must(t, listGroups(t, n))
	b.Answer(nil)
	failed := 0
	for range 10 {
		if err := listGroups(t, n); err != nil {
			checkFailed(t, err, snapshot.ReasonMalformed)
			failed++
		}
	}
	if failed > 1 {
		t.Errorf("%d requests failed", failed)
	}
	ends(t, n)
}

// Tags in a response header are skipped (KIP-482): a later Kafka may send some.
func TestHeaderTags(t *testing.T) {
	b := wiretest.Start(t)
	b.Answer(func(q wiretest.Question) wiretest.Reply {
		if !q.IsFlexible() || q.Key() == int16(kmsg.ApiVersions) {
			return wiretest.Reply{Bytes: q.Good}
		}
		tags := []byte{2, 0, 3, 'a', 'b', 'c', 0x85, 0x01, 0}
		return wiretest.Reply{Bytes: wiretest.AppendFrame(nil, slices.Concat(q.Good[4:8], tags, q.Good[9:]))}
	})
	ends(t, startNode(t, Options{}, b.Addr))
}

// A plaintext client at a TLS listener is told so, not that the broker talks
// nonsense.
func TestTLSListener(t *testing.T) {
	b := wiretest.Start(t)
	b.Answer(func(wiretest.Question) wiretest.Reply {
		return wiretest.Reply{Bytes: []byte{0x15, 3, 3, 0, 2, 2, 70}, Close: true}
	})
	checkFailed(t, listGroups(t, startNode(t, Options{}, b.Addr)), snapshot.ReasonTLS, "set tls.enabled: true")
	if n := b.Accepted(); n > 4 {
		t.Errorf("%d connections", n)
	}
}

// A listener that closes what it accepts is unreachable, at a bounded cost.
func TestClosedOnAccept(t *testing.T) {
	b := wiretest.Start(t)
	b.Answer(func(wiretest.Question) wiretest.Reply { return wiretest.Reply{Close: true} })
	checkFailed(t, listGroups(t, startNode(t, Options{}, b.Addr)), snapshot.ReasonUnreachable)
	if n := b.Accepted(); n > 4 {
		t.Errorf("%d connections", n)
	}
}

// After a broker's restart all connections to it are dead, and only using them
// shows it: one retry finds a new one.
func TestClosedWhileIdle(t *testing.T) {
	b := wiretest.Start(t)
	n := startNode(t, Options{}, b.Addr)
	// More than one connection: exchanges at the same time need one each.
	hold := make(chan struct{})
	arrived := make(chan struct{}, 3)
	b.AnswerAPI(kmsg.ListGroups, func(q wiretest.Question) wiretest.Reply {
		arrived <- struct{}{}
		return wiretest.Reply{Bytes: q.Good, Hold: hold}
	})
	done := make(chan error)
	for range 3 {
		go func() { done <- listGroups(t, n) }()
	}
	for range 3 {
		<-arrived
	}
	close(hold)
	for range 3 {
		must(t, <-done)
	}
	b.Answer(nil)
	for i := range 3 {
		if dead := b.CloseAll(); i == 0 && dead < 3 {
			t.Errorf("%d connections were open", dead)
		}
		ends(t, n)
	}
}

// A broker that lacks a version of ApiVersions may answer in version 0 with
// its whole list: it begins with API 0, and so looks like an answer.
func TestApiVersionsFallback(t *testing.T) {
	b := wiretest.Start(t)
	b.AnswerAPI(kmsg.ApiVersions, func(q wiretest.Question) wiretest.Reply {
		if q.GetVersion() == 0 {
			return wiretest.Reply{Bytes: q.Good}
		}
		r := kmsg.NewPtrApiVersionsResponse()
		r.ErrorCode = codeUnsupportedVersion
		r.ApiKeys = append([]kmsg.ApiVersionsResponseApiKey{{ApiKey: 0, MaxVersion: 3}}, wiretest.Keys()...)
		return q.Answer(r)
	})
	ends(t, startNode(t, Options{}, b.Addr))
}
