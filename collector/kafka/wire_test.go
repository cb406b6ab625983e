package kafka

import (
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

func sized(size uint32, body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, size), body...)
}

// Answers that are no answers: the poll goes on, the reason is told, and the
// next poll, on another connection, is whole.
func TestAnswersThatAreNone(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer func(good []byte) reply
		reason string
	}{
		{"another's correlation id", func(b []byte) reply { b[7]++; return reply{bytes: b} }, "malformed"},
		{"size 0", func([]byte) reply { return reply{bytes: sized(0, nil)} }, "malformed"},
		{"size 3", func([]byte) reply { return reply{bytes: sized(3, []byte("abc"))} }, "malformed"},
		{"size below 0", func(b []byte) reply { return reply{bytes: sized(1<<32-1, b[4:])} }, "malformed"},
		{"size 2 GB", func(b []byte) reply { return reply{bytes: sized(1<<31-1, b[4:])} }, "malformed"},
		{"size above the cap", func(b []byte) reply { return reply{bytes: sized(maxFrameBytes+1, b[4:])} }, "malformed"},
		{"size at the cap, then nothing", func(b []byte) reply { return reply{bytes: sized(maxFrameBytes, b[4:])} }, "timeout"},
		{"cut short", func(b []byte) reply { return reply{bytes: b[:len(b)-3], close: true} }, "unreachable"},
		{"cut in the size", func(b []byte) reply { return reply{bytes: b[:2], close: true} }, "unreachable"},
		{"closed without a byte", func([]byte) reply { return reply{close: true} }, "unreachable"},
		{"body of another size", func(b []byte) reply { return reply{bytes: sized(uint32(len(b)-6), b[4:len(b)-2])} }, "malformed"},
		{"garbage", func(b []byte) reply {
			body := slices.Concat(b[4:8], []byte{0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 7})
			return reply{bytes: sized(uint32(len(body)), body)}
		}, "malformed"},
		{"a header without an end", func(b []byte) reply {
			body := append(slices.Clone(b[4:8]), 200)
			return reply{bytes: sized(uint32(len(body)), body)}
		}, "malformed"},
		{"HTTP", func([]byte) reply { return reply{bytes: []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), close: true} }, "malformed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := startHandmade(t)
			timeout := patience // a slow machine is not what is tested
			if test.reason == "timeout" {
				timeout = time.Second
			}
			client := untapped(t, timeout, b.addr)
			b.answerAPI(kmsg.ListGroups, test.answer)
			s := pollNobody(t, client)
			if got := problems(s); len(got) == 0 || got[0] != "problem list_groups "+test.reason+" broker=0 ×1" {
				t.Errorf("problems %q", got)
			}
			for _, p := range s.Problems {
				checkLine(t, p.Detail)
			}
			if n := b.accepted(); n > 10 {
				t.Errorf("%d connections", n)
			}
			b.answer(nil)
			check(t, poll(t, client), "topic t", "  0 leader=0 0..7")
		})
	}
}

// untapped makes a client whose connections no test code touches.
func untapped(t *testing.T, timeout time.Duration, addrs ...string) *Client {
	t.Helper()
	c, err := New(Options{Brokers: addrs, RequestTimeout: timeout})
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

// A size that lies costs nothing: memory is taken as bytes arrive.
func TestSizeThatLiesCostsNothing(t *testing.T) {
	b := startHandmade(t)
	b.answerAPI(kmsg.ListGroups, func(good []byte) reply { return reply{bytes: sized(maxFrameBytes, good[4:]), close: true} })
	client := untapped(t, time.Second, b.addr)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pollNobody(t, client)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("%d MiB", grown>>20)
	}
}

// An answer that trickles in is given up when its time is over, not when it
// pauses: each byte would renew the time for the next.
func TestTrickle(t *testing.T) {
	b := startHandmade(t)
	client := untapped(t, 300*time.Millisecond, b.addr)
	poll(t, client)
	b.answerAPI(kmsg.ListGroups, func(good []byte) reply { return reply{bytes: good, pause: 60 * time.Millisecond} })
	started := time.Now()
	s := pollNobody(t, client)
	if got := problems(s); len(got) == 0 || got[0] != "problem list_groups timeout broker=0 ×1" {
		t.Errorf("problems %q", got)
	}
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("took %s", took)
	}
}

// An answer that comes after its time is dropped: it must not be taken for the
// answer to the next request.
func TestLateAnswer(t *testing.T) {
	b := startHandmade(t)
	client := untapped(t, 200*time.Millisecond, b.addr)
	poll(t, client)
	late := make(chan struct{})
	b.answerAPI(kmsg.ListOffsets, func(good []byte) reply { return reply{bytes: good, hold: late} })
	if got := problems(poll(t, client)); len(got) != 1 || got[0] != "problem list_offsets timeout broker=0 ×1" {
		t.Errorf("problems %q", got)
	}
	close(late)
	b.answer(nil)
	for range 3 {
		check(t, poll(t, client), "topic t", "  0 leader=0 0..7")
	}
}

// An answer that nobody asked for makes the connection useless, and does not
// shift the answers that follow by one.
func TestUnaskedAnswer(t *testing.T) {
	b := startHandmade(t)
	client := untapped(t, time.Second, b.addr)
	b.answerAPI(kmsg.ListGroups, func(good []byte) reply { return reply{bytes: append(good, good...)} })
	s := poll(t, client)
	if got := problems(s); len(got) > 1 || len(got) == 1 && !strings.HasPrefix(got[0], "problem list_offsets malformed") {
		t.Errorf("problems %q", got)
	}
	b.answer(nil)
	check(t, poll(t, client), "topic t", "  0 leader=0 0..7")
}

// Tags in a response header are skipped (KIP-482): a later Kafka may send some.
func TestHeaderTags(t *testing.T) {
	b := startHandmade(t)
	b.answer(func(req kmsg.Request, good []byte) reply {
		if !req.IsFlexible() || req.Key() == int16(kmsg.ApiVersions) {
			return reply{bytes: good}
		}
		tags := []byte{2, 0, 3, 'a', 'b', 'c', 0x85, 0x01, 0}
		body := slices.Concat(good[4:8], tags, good[9:])
		return reply{bytes: sized(uint32(len(body)), body)}
	})
	check(t, poll(t, untapped(t, time.Second, b.addr)), "topic t", "  0 leader=0 0..7")
}

// A plaintext client at a TLS listener is told so, not that the broker talks
// nonsense.
func TestTLSListener(t *testing.T) {
	b := startHandmade(t)
	b.answer(func(kmsg.Request, []byte) reply { return reply{bytes: []byte{0x15, 3, 3, 0, 2, 2, 70}, close: true} })
	client := untapped(t, time.Second, b.addr)
	s, err := client.Poll(testContext(t))
	if ReasonOf(err) != snapshot.ReasonTLS || len(s.Problems) == 0 || s.Problems[0].Reason != snapshot.ReasonTLS {
		t.Fatalf("%v, %v", err, problems(s))
	}
	checkLine(t, err.Error())
	if !strings.Contains(err.Error(), "set tls.enabled: true") {
		t.Errorf("no remedy in %q", err)
	}
	if n := b.accepted(); n > 4 {
		t.Errorf("%d connections", n)
	}
}

// A listener that closes what it accepts is unreachable, at a bounded cost.
func TestClosedOnAccept(t *testing.T) {
	b := startHandmade(t)
	b.answer(func(kmsg.Request, []byte) reply { return reply{close: true} })
	s, err := untapped(t, time.Second, b.addr).Poll(testContext(t))
	if ReasonOf(err) != snapshot.ReasonUnreachable || len(s.Problems) != 1 {
		t.Fatalf("%v, %v", err, problems(s))
	}
	if n := b.accepted(); n > 4 {
		t.Errorf("%d connections", n)
	}
}

// After a broker's restart all connections to it are dead, and only using them
// shows it: one retry finds a new one, and nothing is missing.
func TestClosedWhileIdle(t *testing.T) {
	b := startHandmade(t)
	client := untapped(t, time.Second, b.addr)
	poll(t, client)
	n := client.brokers[0]
	// More than one connection: exchanges at the same time need one each.
	hold := make(chan struct{})
	arrived := make(chan struct{}, 3)
	b.answerAPI(kmsg.ListGroups, func(good []byte) reply { arrived <- struct{}{}; return reply{bytes: good, hold: hold} })
	done := make(chan error)
	for range 3 {
		go func() {
			_, err := n.Do(testContext(t), kmsg.NewPtrListGroupsRequest(), func(kmsg.Request) {})
			done <- err
		}()
	}
	for range 3 {
		<-arrived
	}
	close(hold)
	for range 3 {
		must(t, <-done)
	}
	b.answer(nil)
	for i := range 3 {
		if dead := b.closeAll(); i == 0 && dead < 3 {
			t.Errorf("%d connections were open", dead)
		}
		check(t, poll(t, client), "topic t", "  0 leader=0 0..7")
	}
}

// A broker that lacks a version of ApiVersions may answer in version 0 with
// its whole list: it begins with API 0, and so looks like an answer.
func TestApiVersionsFallback(t *testing.T) {
	b := startHandmade(t)
	b.answer(func(req kmsg.Request, good []byte) reply {
		if req.Key() != int16(kmsg.ApiVersions) || req.GetVersion() == 0 {
			return reply{bytes: good}
		}
		r := kmsg.NewPtrApiVersionsResponse()
		r.ErrorCode = codeUnsupportedVersion
		r.ApiKeys = append([]kmsg.ApiVersionsResponseApiKey{{ApiKey: 0, MaxVersion: 3}}, handmadeKeys()...)
		return reply{bytes: appendAnswer(nil, int32(binary.BigEndian.Uint32(good[4:])), r)}
	})
	check(t, poll(t, untapped(t, time.Second, b.addr)), "topic t", "  0 leader=0 0..7")
}
