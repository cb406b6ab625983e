package rates

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// FuzzLearn polls, asks and answers whatever comes: nothing panics, no age is
// negative, searches end, and what is kept is in order and bounded.
func FuzzLearn(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	f.Add(binary.BigEndian.AppendUint64([]byte{1, 255, 3}, math.MaxUint64))
	for seed := range byte(20) { // a poll, then all kinds of things within an hour
		data := []byte{4, 1, 2, 3, 4, 4, 9, 9, 9, 9, 7, 13, 1, 1, 1, 1, 1, 1, 2, 3, 232, 0}
		for i := range byte(200) {
			data = append(data, (i*i*7+i*seed+i>>1)%11)
		}
		f.Add(data)
	}
	f.Add([]byte("polls, questions and answers of all kinds, in any order, with huge numbers too: \xff\xff\xff\xff\xff\xff\xff\xff\x7f\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data: data}
		c := NewClock(Options{History: time.Duration(in.next() % 1e13), Interval: time.Duration(in.next() % 1e12)})
		var l Log
		var w waiting
		now := snapshot.Instant(in.next())
		for len(in.data) > 0 {
			switch offset := in.next(); in.next() % 4 {
			case 0:
				now = add(now, time.Duration(in.next()%1e12))
				c.Begin(now)
				l.Observe(c, snapshot.Reading{Offset: offset, At: now})
				l.Start(c, snapshot.Reading{Offset: offset / 2, At: now})
			case 1:
				l.Learn(c, in.instant(now), in.next()%3 > 0, offset, in.instant(now))
			case 2:
				endsSearch(t, in, c, &l, offset)
			case 3:
				if age, ok := w.age(c, &l, Position{At: now, Oldest: offset, Lag: in.next()}).Get(); ok && !(age >= 0) {
					t.Fatalf("an age of %v", age)
				}
			}
			mustBeInOrder(t, &l)
			if _, within, ok := l.Passed(c, in.next()); ok && within < 0 {
				t.Fatalf("within %v", within)
			}
		}
	})
}

// input is fuzzed numbers, small and huge ones.
type input struct{ data []byte }

func (in *input) next() (n int64) {
	if len(in.data) == 0 {
		return 0
	}
	size := min(1+int(in.data[0]%8), len(in.data))
	for _, b := range in.data[:size] {
		n = n<<8 | int64(b)
	}
	in.data = in.data[size:]
	return n
}

// instant is a moment of the last day or so, or any.
func (in *input) instant(now snapshot.Instant) snapshot.Instant {
	if n := in.next(); n%8 > 0 {
		return add(now, -time.Duration(in.next()%1e5)*time.Second)
	}
	return snapshot.Instant(in.next())
}

// endsSearch answers at random until nothing is asked any more.
func endsSearch(t *testing.T, in *input, c *Clock, l *Log, offset int64) {
	r := uint64(in.next())
	for range 2000 {
		asked, ok := l.Ask(c, offset, 10*time.Second)
		if !ok {
			return
		}
		r = r*6364136223846793005 + 1442695040888963407
		answered := offset + int64(r>>40)%1000 - 500
		l.Learn(c, asked, r>>60 > 2, answered, add(asked, time.Duration(r>>20)%time.Hour))
		mustBeInOrder(t, l)
	}
	t.Fatalf("asks for ever about %d", offset)
}

// mustBeInOrder checks what points promise.
func mustBeInOrder(t *testing.T, l *Log) {
	if l.times.memory == nil {
		return
	}
	ps := l.times.points
	if len(ps) > maxPoints || !slices.IsSortedFunc(ps, func(a, b point) int { return int(min(max(a.offset-b.offset, -1), 1)) }) {
		t.Fatalf("points %+v", ps)
	}
	for i, p := range ps {
		if p.stamp < p.asked || i > 0 && (p.offset == ps[i-1].offset || p.asked <= ps[i-1].stamp) {
			t.Fatalf("point %d of %+v", i, ps)
		}
	}
}
