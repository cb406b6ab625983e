package wire

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
)

// unfolded bounds what decoding a frame may allocate. The allocator rounds up
// by a quarter at most.
func unfolded(frame int) uint64 { return uint64(unfold*frame+unfoldFree) * 5 / 4 * arrays() }

// arrays is how often kmsg allocates an array: once, or twice where the race
// detector keeps the compiler from extending a slice in place.
var arrays = sync.OnceValue(func() uint64 {
	const size = 8 << 20
	var made []uint64
	took := wiretest.Allocates(func() { made = append(made, make([]uint64, size/8)...) })
	return uint64(math.Round(float64(took) / size))
})

// strippedDecode is what decode does with a body.
func strippedDecode(into kmsg.Response, b []byte) error {
	b, err := shapeOf(into).strip(b)
	if err != nil {
		return err
	}
	return into.ReadFrom(b)
}

// sameVerdict checks that a body is decoded as kmsg would decode it, or refused
// as kmsg would, but for tagged fields and what would unfold too far.
func sameVerdict(t *testing.T, of kmsg.Response, b []byte) {
	t.Helper()
	want, got := another(of), another(of)
	wantErr, gotErr := want.ReadFrom(b), strippedDecode(got, slices.Clone(b))
	switch {
	case errors.Is(gotErr, errUnfolds):
	case wantErr != nil && gotErr == nil && knowsTags(of): // garbage in a tag that lagwatch does without
	case (wantErr == nil) != (gotErr == nil):
		t.Fatalf("kmsg: %v, walked: %v, for %x", wantErr, gotErr, b)
	case wantErr == nil:
		clearTags(reflect.ValueOf(want).Elem())
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("kmsg %+v, walked %+v, for %x", want, got, b)
		}
	}
}

func knowsTags(of kmsg.Response) bool {
	return of.IsFlexible() && of.Key() == int16(kmsg.ApiVersions)
}

// clearTags removes all tagged fields.
func clearTags(v reflect.Value) {
	switch {
	case v.Type() == tagsType:
		v.SetZero()
	case v.Kind() == reflect.Struct:
		fresh := reflect.New(v.Type()).Elem()
		setDefaults(fresh)
		for i := range v.NumField() {
			if slices.Contains(tagged, v.Type().Name()+"."+v.Type().Field(i).Name) {
				v.Field(i).Set(fresh.Field(i))
			}
			clearTags(v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			clearTags(v.Index(i))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		clearTags(v.Elem())
	}
}

// sample is a whole answer, short, with something in every list.
func sample(of kmsg.Response, tags bool) []byte {
	f, r := newFiller(1), another(of)
	f.lists, f.short = 1, true
	f.response(r)
	if tags {
		f.addTags(reflect.ValueOf(r).Elem())
	}
	return r.AppendTo(nil)
}

// An answer cut anywhere is an error, or what kmsg makes of it.
func TestAnswersCutShort(t *testing.T) {
	eachSpoken(t, func(t *testing.T, of kmsg.Response) {
		for _, tags := range []bool{false, true} {
			whole := sample(of, tags)
			for n := range whole {
				sameVerdict(t, of, whole[:n])
				if err := strippedDecode(another(of), slices.Clone(whole[:n])); !errors.Is(err, errBeyond) {
					t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
				}
			}
			sameVerdict(t, of, whole)
		}
	})
}

// lies are numbers that a length or count may be replaced by, in the bytes of
// any kind of length.
func lies(left int) (list [][]byte) {
	for _, n := range []int{-1, 0, math.MaxInt32, math.MinInt32, left, left / 8} {
		list = append(list,
			binary.BigEndian.AppendUint16(nil, uint16(n)),
			binary.BigEndian.AppendUint32(nil, uint32(n)),
			binary.AppendUvarint(nil, uint64(uint32(n+1))))
	}
	return append(list, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 1})
}

// A number that lies, wherever it is, gives what kmsg gives.
func TestLyingNumbers(t *testing.T) {
	eachSpoken(t, func(t *testing.T, of kmsg.Response) {
		whole := sample(of, true)
		for at := range whole {
			for _, lie := range lies(len(whole) - at) {
				sameVerdict(t, of, slices.Replace(slices.Clone(whole), at, min(at+len(lie), len(whole)), lie...))
				if of.IsFlexible() { // where a length may take one byte
					sameVerdict(t, of, slices.Replace(slices.Clone(whole), at, at+1, lie...))
				}
			}
		}
	})
}
