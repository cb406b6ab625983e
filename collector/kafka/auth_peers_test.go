package kafka

import (
	"encoding/binary"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// A peer that says anything but its part of a login costs an error within the
// timeout, little memory, and nothing is believed.
func TestLoginWithPeersThatAreNoBrokers(t *testing.T) {
	const limit = time.Second
	at := func(key kmsg.Key, bytes func(good []byte) reply) func(*handmade) {
		return func(b *handmade) {
			sound := b.replace
			b.answer(func(req kmsg.Request, good []byte) reply {
				r := sound(req, good)
				if req.Key() == int16(key) {
					return bytes(r.bytes)
				}
				return r
			})
		}
	}
	framed := func(body ...byte) func([]byte) reply {
		return func(good []byte) reply {
			body := slices.Concat(good[4:8], body)
			return reply{bytes: sized(uint32(len(body)), body)}
		}
	}
	much := sized(maxFrameBytes, make([]byte, 16<<20))
	flood := func([]byte) reply { return reply{bytes: much} }
	silence := func(good []byte) reply { return reply{bytes: good[:3]} } // and no more
	others := func(good []byte) reply {
		binary.BigEndian.PutUint32(good[4:], 77)
		return reply{bytes: good}
	}
	for name, test := range map[string]struct {
		spoil func(*handmade)
		want  snapshot.Reason
	}{
		"negative size":                  {at(kmsg.SASLHandshake, func([]byte) reply { return reply{bytes: []byte("\xff\xff\xff\xfb")} }), snapshot.ReasonMalformed},
		"no size":                        {at(kmsg.SASLHandshake, func([]byte) reply { return reply{bytes: make([]byte, 8)} }), snapshot.ReasonMalformed},
		"HTTP":                           {at(kmsg.SASLAuthenticate, func([]byte) reply { return reply{bytes: []byte("HTTP/1.1 400 Bad Request\r\n\r\n")} }), snapshot.ReasonMalformed},
		"a flood":                        {at(kmsg.SASLHandshake, flood), snapshot.ReasonMalformed},
		"a flood instead of a challenge": {at(kmsg.SASLAuthenticate, flood), snapshot.ReasonMalformed},
		"versions without end":           {at(kmsg.ApiVersions, framed(0, 0, 0x7f, 0xff, 0xff, 0xff)), snapshot.ReasonMalformed},
		"mechanisms without end":         {at(kmsg.SASLHandshake, framed(0, 33, 0x7f, 0xff, 0xff, 0xff)), snapshot.ReasonMalformed},
		"negative mechanisms":            {at(kmsg.SASLHandshake, framed(0, 33, 0x80, 0, 0, 0)), snapshot.ReasonAuthentication},
		"a challenge without end":        {at(kmsg.SASLAuthenticate, framed(0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f)), snapshot.ReasonMalformed},
		"another's answer":               {at(kmsg.SASLAuthenticate, others), snapshot.ReasonMalformed},
		"an empty answer":                {at(kmsg.SASLAuthenticate, framed()), snapshot.ReasonMalformed},
		"an empty challenge":             {at(kmsg.SASLAuthenticate, func(good []byte) reply { return reply{bytes: good} }), snapshot.ReasonAuthentication},
		"silence before":                 {at(kmsg.ApiVersions, silence), snapshot.ReasonTimeout},
		"silence":                        {at(kmsg.SASLHandshake, silence), snapshot.ReasonTimeout},
		"silence after the password":     {at(kmsg.SASLAuthenticate, silence), snapshot.ReasonTimeout},
		"a trickle":                      {at(kmsg.SASLAuthenticate, func(good []byte) reply { return reply{bytes: good, pause: limit / 4} }), snapshot.ReasonTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			b := startSASLBroker(t, nil)
			test.spoil(b.handmade)
			client, err := New(Options{Brokers: []string{b.addr}, SASL: testSASL("SCRAM-SHA-256"), RequestTimeout: limit})
			must(t, err)
			t.Cleanup(client.Close)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			started := time.Now()
			s, err := client.Poll(testContext(t))
			took := time.Since(started)
			runtime.ReadMemStats(&after)
			if err == nil || len(s.Problems) != 1 || s.Problems[0].Reason != test.want {
				t.Fatalf("%v, %v", err, problems(s))
			}
			checkLine(t, s.Problems[0].Detail)
			t.Log(took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>10, "KiB", s.Problems[0].Detail)
			if took > patience/2 {
				t.Errorf("it took %s", took)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
				t.Errorf("it took %d MiB", grown>>20)
			}
		})
	}
}
