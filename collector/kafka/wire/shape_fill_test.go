package wire

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// eachSpoken runs a test for every response that lagwatch can get.
func eachSpoken(t *testing.T, test func(t *testing.T, of kmsg.Response)) {
	t.Helper()
	for _, of := range spokenResponses() {
		t.Run(fmt.Sprintf("%s v%d", kmsg.NameForKey(of.Key()), of.GetVersion()), func(t *testing.T) { test(t, of) })
	}
}

// spokenResponses has an empty response of every API and version in spoken.
func spokenResponses() (list []kmsg.Response) {
	for _, key := range slices.Sorted(maps.Keys(spoken)) {
		for v := spoken[key].min; v <= spoken[key].max; v++ {
			r := kmsg.ResponseForKey(int16(key))
			r.SetVersion(v)
			list = append(list, r)
		}
	}
	return list
}

// another makes an empty response of the same API and version.
func another(of kmsg.Response) kmsg.Response {
	r := kmsg.ResponseForKey(of.Key())
	r.SetVersion(of.GetVersion())
	return r
}

// tagged are the fields, of all that lagwatch can get, that brokers send as
// tagged ones. It reads none of them; a new one here has to be thought about.
var tagged = []string{
	"ApiVersionsResponse.SupportedFeatures",
	"ApiVersionsResponse.FinalizedFeaturesEpoch",
	"ApiVersionsResponse.FinalizedFeatures",
	"ApiVersionsResponse.ZkMigrationReady",
}

// filler gives every field a random value.
type filler struct {
	*rand.Rand
	lists int  // how long lists are at least; at most 3 more
	short bool // they are just as long, and texts are short
}

func newFiller(seed uint64) *filler { return &filler{Rand: rand.New(rand.NewPCG(seed, 0))} }

// response fills all fields that are not tagged.
func (f *filler) response(r kmsg.Response) { f.structure(reflect.ValueOf(r).Elem()) }

func (f *filler) structure(v reflect.Value) {
	setDefaults(v)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if name != "Version" && !slices.Contains(tagged, v.Type().Name()+"."+name) {
			f.value(v.Field(i))
		}
	}
}

func (f *filler) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() != tagsType {
			f.structure(v)
		}
	case reflect.Pointer:
		if f.IntN(3) > 0 || f.lists > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.value(v.Elem())
		}
	case reflect.Slice:
		n := f.lists
		if !f.short {
			n += f.IntN(4)
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.value(v.Index(i))
		}
	default:
		f.scalar(v)
	}
}

func (f *filler) scalar(v reflect.Value) {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(f.text())
	case v.Kind() == reflect.Bool:
		v.SetBool(f.IntN(2) > 0)
	case v.CanInt():
		v.SetInt(int64(f.Uint64()) >> (64 - v.Type().Bits()))
	case v.CanUint():
		v.SetUint(f.Uint64() >> (64 - v.Type().Bits()))
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			f.scalar(v.Index(i))
		}
	default:
		panic(v.Type())
	}
}

// text is short, or about as long as where a compact length takes one more byte.
func (f *filler) text() string {
	if f.short {
		return "text"[:f.IntN(5)]
	}
	return strings.Repeat("lagwatch", 20)[:[]int{0, 1, 2, 9, 20, 126, 127, 128, 160}[f.IntN(9)]]
}

// addTags gives every struct within v unknown tagged fields, some with bytes
// that look like lengths, and v's known tagged ones a value.
func (f *filler) addTags(v reflect.Value) {
	switch {
	case v.Type() == tagsType:
		for range f.IntN(4) {
			t := v.Addr().Interface().(*kmsg.Tags)
			t.Set(1000+f.Uint32N(1000), slices.Repeat([]byte{0xff}, len(f.text())))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if slices.Contains(tagged, v.Type().Name()+"."+v.Type().Field(i).Name) {
				f.value(v.Field(i))
			}
			f.addTags(v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			f.addTags(v.Index(i))
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		f.addTags(v.Elem())
	}
}
