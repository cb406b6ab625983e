package wire

import (
	"reflect"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// holdsBytes tells whether a value of a type can hold bytes that it did not copy.
func holdsBytes(of reflect.Type) bool {
	switch of.Kind() {
	case reflect.Slice:
		return of.Elem().Kind() == reflect.Uint8 || holdsBytes(of.Elem())
	case reflect.Pointer:
		return holdsBytes(of.Elem())
	case reflect.Struct:
		for i := range of.NumField() {
			if f := of.Field(i); f.Type != tagsType && holdsBytes(f.Type) {
				return true
			}
		}
	}
	return false
}

// Nothing is kept of what is too large or too many, and no buffer serves two.
func TestBuffers(t *testing.T) {
	var none *buffers
	none.put(make([]byte, 10))
	if none.get(1) != nil {
		t.Error("a nil one has buffers")
	}
	var b buffers
	b.put(make([]byte, mostKept+1))
	for range mostBuffers + 2 {
		b.put(make([]byte, 10))
	}
	b.put(make([]byte, 100))
	if buf := b.get(11); cap(buf) != 100 {
		t.Errorf("a buffer of %d bytes, want the large one", cap(buf))
	} else {
		b.put(make([]byte, 10))
	}
	seen := map[*byte]bool{}
	for {
		buf := b.get(5)
		if buf == nil {
			break
		}
		if len(buf) != 0 || cap(buf) > mostKept {
			t.Errorf("length %d, capacity %d", len(buf), cap(buf))
		}
		seen[&buf[:1][0]] = true
	}
	if len(seen) != mostBuffers {
		t.Errorf("%d buffers, want %d", len(seen), mostBuffers)
	}
}

// A buffer is used again where nothing of an answer lies in it. Were that wrong
// for one that has bytes, the members of one group would turn into another's.
func TestAnswersThatAliasTheirFrame(t *testing.T) {
	aliasing := map[string]bool{}
	for api := range spoken {
		r := kmsg.ResponseForKey(int16(api))
		for v := range r.MaxVersion() + 1 {
			r.SetVersion(v)
			want := holdsBytes(reflect.TypeOf(r))
			if got := shapeOf(r).aliases; got && !want || want && !got && v == r.MaxVersion() {
				t.Errorf("%s v%d: aliases %v, want %v", kmsg.NameForKey(int16(api)), v, got, want)
			}
			aliasing[kmsg.NameForKey(int16(api))] = want
		}
	}
	if !aliasing["DescribeGroups"] || aliasing["OffsetFetch"] {
		t.Errorf("the test sees nothing: %v", aliasing)
	}
}
