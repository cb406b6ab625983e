package wire

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// What a broker honestly sends passes as it is, to the last byte, and is
// decoded as kmsg decodes it.
func TestHonestAnswers(t *testing.T) {
	eachSpoken(t, func(t *testing.T, of kmsg.Response) {
		for seed := range uint64(50) {
			sent := another(of)
			newFiller(seed).response(sent)
			wire := sent.AppendTo(nil)
			rest, err := shapeOf(of).strip(slices.Clone(wire))
			if err != nil || !bytes.Equal(rest, wire) {
				t.Fatalf("seed %d: %v, %d of %d bytes left", seed, err, len(rest), len(wire))
			}
			want, got := another(of), another(of)
			must(t, want.ReadFrom(wire))
			must(t, got.ReadFrom(rest))
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("seed %d: want %+v, got %+v", seed, want, got)
			}
		}
	})
}

// Tagged fields, which a later Kafka may add anywhere, change nothing; nor
// does what follows the answer.
func TestTaggedFields(t *testing.T) {
	eachSpoken(t, func(t *testing.T, of kmsg.Response) {
		for seed := range uint64(50) {
			sent, f := another(of), newFiller(seed)
			f.response(sent)
			want := sent.AppendTo(nil)
			f.addTags(reflect.ValueOf(sent).Elem())
			wire := sent.AppendTo(nil)
			got, err := shapeOf(of).strip(append(slices.Clone(wire), "what follows"...))
			if err != nil || !bytes.Equal(want, got) {
				t.Fatalf("seed %d: %v\nwant %x\n got %x\nsent %x", seed, err, want, got, wire)
			}
		}
		sent := another(of)
		newFiller(1).addTags(reflect.ValueOf(sent).Elem())
		if of.IsFlexible() == bytes.Equal(sent.AppendTo(nil), another(of).AppendTo(nil)) {
			t.Error("tags were not tried, or in a version that has none")
		}
	})
}

// Members' own bytes, of every version that there may come to be.
func TestHonestMembers(t *testing.T) {
	for version := int16(-2); version < 40; version++ {
		for seed := range uint64(50) {
			f := newFiller(seed)
			s, a := kmsg.NewConsumerMemberMetadata(), kmsg.NewConsumerMemberAssignment()
			f.structure(reflect.ValueOf(&s).Elem())
			f.structure(reflect.ValueOf(&a).Elem())
			s.Version, a.Version = version, version
			for _, b := range [][]byte{s.AppendTo(nil), a.AppendTo(nil), append(s.AppendTo(nil), "more"...)} {
				sameMember[kmsg.ConsumerMemberMetadata](t, b)
				sameMember[kmsg.ConsumerMemberAssignment](t, b)
			}
		}
	}
	for _, version := range []int16{math.MinInt16, math.MaxInt16} {
		s := kmsg.NewConsumerMemberMetadata()
		s.Version, s.Topics, s.Rack = version, []string{"orders"}, kmsg.StringPtr("eu-1a")
		sameMember[kmsg.ConsumerMemberMetadata](t, s.AppendTo(nil))
	}
	kept := 0
	shapes.Range(func(k, _ any) bool {
		if _, response := reflect.New(k.(shapeKey).of.Elem()).Interface().(kmsg.Response); !response {
			kept++
		}
		return true
	})
	if kept > 2*(lastMemberVersion+1) {
		t.Errorf("members made lagwatch keep %d shapes", kept)
	}
}

// sameMember checks that bytes are decoded as kmsg decodes them, or refused as
// kmsg refuses them.
func sameMember[M any, P interface {
	*M
	MemberMessage
}](t *testing.T, b []byte) {
	t.Helper()
	var want, got M
	before := slices.Clone(b)
	wantErr, gotErr := P(&want).ReadFrom(b), ReadMember(P(&got), b)
	if (wantErr == nil) != (gotErr == nil) || wantErr == nil && !reflect.DeepEqual(want, got) || !bytes.Equal(before, b) {
		t.Fatalf("%x: kmsg %+v, %v; got %+v, %v", b, want, wantErr, got, gotErr)
	}
}

// A struct that may be null is walked where it is there.
func TestOptional(t *testing.T) {
	of := &shape{parts: []part{{kind: fixed, size: 2}}, least: 2, constant: true, memory: 8}
	s := &shape{parts: []part{{kind: optional, of: of}}, least: 1}
	for _, test := range []struct {
		sent, want []byte
	}{
		{[]byte{0xff}, []byte{0xff}},
		{[]byte{0xff, 7}, []byte{0xff}},
		{[]byte{1, 7, 8}, []byte{1, 7, 8}},
		{[]byte{0, 7, 8}, []byte{0, 7, 8}}, // as kmsg has it
		{[]byte{1, 7}, nil},
		{nil, nil},
	} {
		if got, err := s.strip(test.sent); !bytes.Equal(test.want, got) || (err == nil) != (test.want != nil) {
			t.Errorf("%x: %x, %v", test.sent, got, err)
		}
	}
}
