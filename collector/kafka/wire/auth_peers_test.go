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

// A peer that says anything but its part of a login costs an error within the
// timeout, little memory, and nothing is believed.
func TestLoginWithPeersThatAreNoBrokers(t *testing.T) {
	const limit = time.Second
	type spoiled = func(good []byte) wiretest.Reply
	at := func(key kmsg.Key, spoil spoiled) func(*saslBroker) {
		return func(b *saslBroker) {
			b.AnswerAPI(key, func(q wiretest.Question) wiretest.Reply { return spoil(q.Good) })
		}
	}
	raw := func(bytes string) spoiled {
		return func([]byte) wiretest.Reply { return wiretest.Reply{Bytes: []byte(bytes)} }
	}
	framed := func(body ...byte) spoiled {
		return func(good []byte) wiretest.Reply {
			return wiretest.Reply{Bytes: wiretest.AppendFrame(nil, slices.Concat(good[4:8], body))}
		}
	}
	much := sized(maxFrameBytes, make([]byte, 16<<20))
	flood := func([]byte) wiretest.Reply { return wiretest.Reply{Bytes: much} }
	silence := func(good []byte) wiretest.Reply { return wiretest.Reply{Bytes: good[:3]} } // and no more
	trickle := func(good []byte) wiretest.Reply { return wiretest.Reply{Bytes: good, Pause: limit / 4} }
	asItIs := func(good []byte) wiretest.Reply { return wiretest.Reply{Bytes: good} }
	others := func(good []byte) wiretest.Reply {
		binary.BigEndian.PutUint32(good[4:], 77)
		return wiretest.Reply{Bytes: good}
	}
	for name, test := range map[string]struct {
		spoil func(*saslBroker)
		want  snapshot.Reason
	}{
		"negative size":                  {at(kmsg.SASLHandshake, raw("\xff\xff\xff\xfb")), snapshot.ReasonMalformed},
		"no size":                        {at(kmsg.SASLHandshake, raw("\x00\x00\x00\x00\x00\x00\x00\x00")), snapshot.ReasonMalformed},
		"HTTP":                           {at(kmsg.SASLAuthenticate, raw("HTTP/1.1 400 Bad Request\r\n\r\n")), snapshot.ReasonMalformed},
		"a flood":                        {at(kmsg.SASLHandshake, flood), snapshot.ReasonMalformed},
		"a flood instead of a challenge": {at(kmsg.SASLAuthenticate, flood), snapshot.ReasonMalformed},
		"versions without end":           {at(kmsg.ApiVersions, framed(0, 0, 0x7f, 0xff, 0xff, 0xff)), snapshot.ReasonMalformed},
		"mechanisms without end":         {at(kmsg.SASLHandshake, framed(0, 33, 0x7f, 0xff, 0xff, 0xff)), snapshot.ReasonMalformed},
		"negative mechanisms":            {at(kmsg.SASLHandshake, framed(0, 33, 0x80, 0, 0, 0)), snapshot.ReasonAuthentication},
		"a challenge without end":        {at(kmsg.SASLAuthenticate, framed(0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f)), snapshot.ReasonMalformed},
		"another's answer":               {at(kmsg.SASLAuthenticate, others), snapshot.ReasonMalformed},
		"an empty answer":                {at(kmsg.SASLAuthenticate, framed()), snapshot.ReasonMalformed},
		"an empty challenge":             {at(kmsg.SASLAuthenticate, asItIs), snapshot.ReasonAuthentication},
		"silence before":                 {at(kmsg.ApiVersions, silence), snapshot.ReasonTimeout},
		"silence":                        {at(kmsg.SASLHandshake, silence), snapshot.ReasonTimeout},
		"silence after the password":     {at(kmsg.SASLAuthenticate, silence), snapshot.ReasonTimeout},
		"a trickle":                      {at(kmsg.SASLAuthenticate, trickle), snapshot.ReasonTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			b := startSASLBroker(t, nil)
			test.spoil(b)
			n := startNode(t, Options{SASL: testSASL("SCRAM-SHA-256"), Timeout: limit}, b.Addr)
			started := time.Now()
			took := wiretest.Allocates(func() { checkFailed(t, listGroups(t, n), test.want, b.Addr) })
			if took > 8<<20 {
				t.Errorf("it took %d MiB", took>>20)
			}
			if took := time.Since(started); took > patience/2 {
				t.Errorf("it took %s", took)
			}
		})
	}
}
