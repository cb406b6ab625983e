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
