package wire

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
)

// spokenRequest makes the request whose answer is the n-th of those that
// lagwatch can get.
func spokenRequest(n uint16) kmsg.Request {
	all := spokenResponses()
	r := all[int(n)%len(all)]
	req := kmsg.RequestForKey(r.Key())
	req.SetVersion(r.GetVersion())
	return req
}

// Whatever a broker sends, decoding it is an answer or an error, and costs a
// small multiple of what was sent: a panic would end the process, from a
// goroutine that is not ours, and so would the lack of memory.
func FuzzDecode(f *testing.F) {
	formatter := kmsg.NewRequestFormatter()
	for n, of := range spokenResponses() {
		f.Add(uint16(n), wiretest.AppendAnswer(nil, 1, of)[4:])
		filled := another(of)
		newFiller(uint64(n)).response(filled)
		f.Add(uint16(n), wiretest.AppendAnswer(nil, 1, filled)[4:])
	}
	f.Add(uint16(9), []byte{})
	f.Add(uint16(9), []byte{0, 0, 0})
	f.Add(uint16(9), []byte{0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, n uint16, frame []byte) {
		e := newExchange(formatter, spokenRequest(n), 1, nil)
		whole := slices.Clone(frame)
		var body kmsg.Response
		var err error
		took := wiretest.Allocates(func() { body, err = e.decode(frame) })
		if (body == nil) != (err != nil) {
			t.Fatalf("%v, %v", body, err)
		}
		if took > unfolded(len(frame)) {
			t.Errorf("%d bytes for a frame of %d", took, len(frame))
		}
		if len(whole) > 5 {
			sameVerdict(t, e.body, whole[4:]) // as if the header's tags were of the body
			sameVerdict(t, e.body, whole[5:])
		}
	})
}

// A member of a classic group chooses the bytes that the others see: whatever
// they are, they are decoded as kmsg would, or refused, and cost a small multiple
// of their size.
func FuzzMember(f *testing.F) {
	s, a := kmsg.NewConsumerMemberMetadata(), kmsg.NewConsumerMemberAssignment()
	s.Version, s.Topics = 3, []string{"orders"}
	a.Topics = []kmsg.ConsumerMemberAssignmentTopic{{Topic: "orders", Partitions: []int32{0, 1}}}
	f.Add(s.AppendTo(nil))
	f.Add(a.AppendTo(nil))
	f.Add([]byte(nil))
	f.Add([]byte{0, 3, 0x7f, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		var m kmsg.ConsumerMemberMetadata
		if took := wiretest.Allocates(func() { _ = ReadMember(&m, b) }); took > unfolded(len(b)) {
			t.Errorf("%d bytes for %d", took, len(b))
		}
		sameMember[kmsg.ConsumerMemberMetadata](t, b)
		sameMember[kmsg.ConsumerMemberAssignment](t, b)
	})
}

// An honest answer in which one number was replaced and whose end was cut off
// or grown is decoded as kmsg would, or refused, and costs no more than its
// size allows. The fuzzer need not find out what an answer looks like.
func FuzzLyingAnswer(f *testing.F) {
	for n := range spokenResponses() {
		f.Add(uint16(n), uint64(n), uint32(7*n), []byte{0x7f, 0xff, 0xff, 0xff}, uint32(64<<10))
	}
	f.Add(uint16(3), uint64(1), uint32(9), []byte{0xff, 0xff, 0xff, 0xff, 0x07}, uint32(40))
	f.Fuzz(func(t *testing.T, n uint16, seed uint64, at uint32, lie []byte, size uint32) {
		all := spokenResponses()
		of := all[int(n)%len(all)]
		sent := another(of)
		newFiller(seed).response(sent)
		b := sent.AppendTo(nil)
		from := int(at) % len(b)
		b = slices.Replace(b, from, min(len(b), from+len(lie)), lie...)
		if size := int(size % (4 << 20)); size < len(b) {
			b = b[:size]
		} else {
			b = append(b, make([]byte, size-len(b))...)
		}
		into, walked := another(of), slices.Clone(b)
		if took := wiretest.Allocates(func() { _ = strippedDecode(into, walked) }); took > unfolded(len(b)) {
			t.Errorf("%d bytes for %d", took, len(b))
		}
		sameVerdict(t, of, b)
	})
}
