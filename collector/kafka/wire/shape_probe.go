package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Shapes are not written down but found by trying: a field of kmsg's structs is
// on the wire, in a version, if the encoding changes when the field does. kmsg
// encodes fields in the order in which it declares them.

// shapes has what shapeOf and ReadMember found.
var shapes sync.Map // shapeKey → *shape

type shapeKey struct {
	of      reflect.Type
	version int16
}

// shapeOf returns the shape of a response in its version. Safe for concurrent
// use.
func shapeOf(r kmsg.Response) *shape {
	key := shapeKey{reflect.TypeOf(r), r.GetVersion()}
	if s, ok := shapes.Load(key); ok {
		return s.(*shape)
	}
	fresh := reflect.New(key.of.Elem())
	m := fresh.Interface().(kmsg.Response)
	m.SetVersion(key.version)
	s := newShape(fresh.Elem(), m.AppendTo, m.IsFlexible())
	shapes.Store(key, s)
	return s
}

// MemberMessage is what a member of a classic group tells the others. It has
// its version within.
type MemberMessage interface {
	AppendTo([]byte) []byte
	ReadFrom([]byte) error
}

// lastMemberVersion bounds how many shapes members can make lagwatch keep.
// kmsg reads what is later as it reads this one.
const lastMemberVersion = 15

// ReadMember decodes b, which it leaves as it is, into m, a pointer to a struct of
// kmsg's with a field Version. What a member may make that allocate is bounded as
// for a response. An error leaves m useless. Safe for concurrent use.
func ReadMember(m MemberMessage, b []byte) error {
	if len(b) < 2 {
		return errBeyond
	}
	version := min(max(0, int16(b[0])<<8|int16(b[1])), lastMemberVersion)
	key := shapeKey{reflect.TypeOf(m), version}
	s, ok := shapes.Load(key)
	if !ok {
		fresh := reflect.New(key.of.Elem())
		fresh.Elem().FieldByName("Version").SetInt(int64(version))
		s = newShape(fresh.Elem(), fresh.Interface().(MemberMessage).AppendTo, false)
		shapes.Store(key, s)
	}
	if _, err := s.(*shape).strip(b[2:]); err != nil {
		return err
	}
	return m.ReadFrom(b)
}

// prober tries out a message.
type prober struct {
	encode  func([]byte) []byte
	compact bool
}

// newShape finds the shape of message, a struct of kmsg's that encode encodes;
// the field Version stays as it is and is no part of the shape. It panics where
// a field behaves as none of kmsg's known ones.
func newShape(message reflect.Value, encode func([]byte) []byte, compact bool) *shape {
	setDefaults(message)
	p := prober{encode: encode, compact: compact}
	return p.shape(message)
}

// shape finds the shape of a value within the message.
func (p *prober) shape(v reflect.Value) *shape {
	s := &shape{compact: p.compact, memory: int(v.Type().Size()), constant: true}
	s.parts = p.parts(v)
	for _, part := range s.parts {
		s.least += p.least(part)
		s.constant = s.constant && part.kind == fixed
		s.aliases = s.aliases || part.kind == raw || part.of != nil && part.of.aliases
	}
	return s
}

// least is the fewest bytes that a part takes on the wire.
func (p *prober) least(of part) int {
	switch {
	case of.kind == fixed:
		return of.size
	case p.compact || of.kind == optional:
		return 1
	case of.kind == text || of.kind == optionalText:
		return 2
	default:
		return 4
	}
}

// parts finds the parts of a value: several of a struct, at most one of
// anything else.
func (p *prober) parts(v reflect.Value) (list []part) {
	if v.Kind() != reflect.Struct || v.Type() == tagsType {
		if part, ok := p.part(v); ok {
			list = append(list, part)
		}
		return list
	}
	for i := range v.NumField() {
		if v.Type().Field(i).Name == "Version" {
			continue
		}
		for _, part := range p.parts(v.Field(i)) {
			if last := len(list) - 1; last >= 0 && part.kind == fixed && list[last].kind == fixed {
				list[last].size += part.size
			} else {
				list = append(list, part)
			}
		}
	}
	return list
}

var (
	tagsType   = reflect.TypeFor[kmsg.Tags]()
	stringType = reflect.TypeFor[*string]()
	bytesType  = reflect.TypeFor[[]byte]()
)

// part finds the one part of a value that is no struct; false if it is not on
// the wire, or only as a tagged field.
func (p *prober) part(v reflect.Value) (part, bool) {
	one := "x"
	switch v.Type() {
	case tagsType:
		var t kmsg.Tags
		t.Set(1<<20, nil)
		return part{kind: tags}, p.grows(v, reflect.ValueOf(t)) > 0
	case stringType:
		return part{kind: optionalText}, p.grows(v, reflect.ValueOf(&one)) == 1
	case bytesType:
		return part{kind: raw}, p.grows(v, reflect.ValueOf([]byte{1})) == 1
	}
	switch v.Kind() {
	case reflect.String:
		return part{kind: text}, p.grows(v, reflect.ValueOf(one)) == 1
	case reflect.Slice:
		return p.held(list, v, reflect.MakeSlice(v.Type(), 1, 1), func() reflect.Value { return v.Index(0) })
	case reflect.Pointer:
		return p.held(optional, v, reflect.New(v.Type().Elem()), v.Elem)
	default:
		return part{kind: fixed, size: int(v.Type().Size())}, p.changes(v)
	}
}

// held finds what a list or an optional value holds, which is on the wire only
// while the message has one.
func (p *prober) held(k kind, v, filled reflect.Value, inside func() reflect.Value) (part, bool) {
	empty := p.encode(nil)
	v.Set(filled)
	defer v.SetZero()
	setDefaults(inside())
	grown := len(p.encode(nil)) - len(empty)
	of := p.shape(inside())
	return part{kind: k, of: of}, grown > 0 && grown == of.least
}

// grows tells by how many bytes the message grows while v is value: more than
// value itself takes where it is a tagged field.
func (p *prober) grows(v, value reflect.Value) int {
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	defer v.Set(was)
	before := len(p.encode(nil))
	v.Set(value)
	return len(p.encode(nil)) - before
}

// changes tells whether a field of a fixed size is on the wire, untagged.
func (p *prober) changes(v reflect.Value) bool {
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	defer v.Set(was)
	before := p.encode(nil)
	setOther(v)
	after := p.encode(nil)
	return len(before) == len(after) && !bytes.Equal(before, after)
}

// setOther gives a field of a fixed size another value.
func setOther(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.CanInt():
		v.SetInt(v.Int() ^ 1)
	case v.CanUint():
		v.SetUint(v.Uint() ^ 1)
	case v.CanFloat():
		v.SetFloat(v.Float() + 1)
	case v.Kind() == reflect.Array:
		setOther(v.Index(0))
	default:
		panic(fmt.Sprintf("a field of type %s has no known shape", v.Type()))
	}
}

// setDefaults makes a struct as kmsg does, so that no tagged field is encoded.
func setDefaults(v reflect.Value) {
	if d, ok := v.Addr().Interface().(interface{ Default() }); ok {
		d.Default()
	}
}
