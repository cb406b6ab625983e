package rates

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

func FuzzCode(f *testing.F) {
	for _, v := range []uint64{0, 1, 127, 128, 1 << 13, 1<<14 - 1, math.MaxUint64} {
		f.Add(v, uint64(300), int32(v))
	}
	f.Fuzz(func(t *testing.T, a, b uint64, signed int32) {
		code := appendCode(appendCode(nil, a), b)
		gotB, rest := lastCode(code, len(code))
		gotA, none := lastCode(code, rest)
		if gotA != a || gotB != b || none != 0 {
			t.Errorf("wrote %d and %d, read %d and %d with %d bytes left", a, b, gotA, gotB, none)
		}
		if got := unzigzag(zigzag(signed)); got != signed {
			t.Errorf("%d comes back as %d", signed, got)
		}
	})
}

// stretch is an unbroken row of polls that read the same.
type stretch struct {
	First, Last uint32
	Offset      int64
}

func stretches(c *Clock, h *history) (list []stretch) {
	w := h.walk(c)
	for more := true; more; more = w.next() {
		list = append(list, stretch{w.first, w.last, w.offset})
	}
	return list
}

func TestHistory(t *testing.T) {
	const missed = -1
	for _, tt := range []struct {
		name      string
		offsets   []int64 // of each poll
		want      []stretch
		wantBytes int
	}{
		{"one reading", []int64{7}, []stretch{{1, 1, 7}}, 0},
		{"no change takes nothing", []int64{7, 7, 7, 7}, []stretch{{1, 4, 7}}, 0},
		{"small changes take a byte", []int64{0, 9, 12, 75}, []stretch{{4, 4, 75}, {3, 3, 12}, {2, 2, 9}, {1, 1, 0}}, 3},
		{"what moves 800 a second takes two", []int64{0, 8000, 16000}, []stretch{{3, 3, 16000}, {2, 2, 8000}, {1, 1, 0}}, 4},
		{"a row takes a byte once it is over", []int64{5, 5, 5, 6, 6}, []stretch{{4, 5, 6}, {1, 3, 5}}, 2},
		{"a poll without a reading is not one without a change", []int64{5, missed, 5, 5, missed, missed, 8},
			[]stretch{{7, 7, 8}, {3, 4, 5}, {1, 1, 5}}, 5},
		{"what cannot be larger", []int64{0, math.MaxInt64}, []stretch{{2, 2, math.MaxInt64}, {1, 1, 0}}, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := NewClock(Options{})
			var h history
			for i, offset := range tt.offsets {
				c.Begin(snapshot.Instant(i+1) * 10 * second)
				if offset != missed {
					h.add(c, snapshot.Reading{Offset: offset, At: c.Now()}, 100)
				}
			}
			if diff := cmp.Diff(tt.want, stretches(c, &h)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(h.code) != tt.wantBytes {
				t.Errorf("%d bytes, want %d", len(h.code), tt.wantBytes)
			}
		})
	}
}

// A broker that was slow for one poll made the rate of that poll look lower and of the
// next higher: the reading counted as if it had been made when the poll began.
func TestALateReadingKeepsItsTime(t *testing.T) {
	c := NewClock(Options{Interval: 10 * time.Second})
	var l Log
	for i := range 8 {
		c.Begin(snapshot.Instant(i+1) * 10 * second)
		at := c.Now() + second/100
		if i == 5 {
			at += 4 * second
		}
		l.Observe(c, snapshot.Reading{Offset: int64(at / second * 100), At: at})
		if got := l.Arrival(c); i > 0 && (got.PerSecond != 100 || !got.Known) {
			t.Errorf("poll %d: %g/s of 100/s", i, got.PerSecond)
		}
	}
	before, after, _ := l.between(c, 6300)
	if diff := cmp.Diff([2]snapshot.Instant{50*second + second/100, 64*second + second/100}, [2]snapshot.Instant{before.At, after.At}); diff != "" {
		t.Errorf("where 6,300 was passed (-want +got):\n%s", diff)
	}
}

// Answers come some milliseconds later in one poll than in another. That takes no room.
func TestAlmostEvenReadingsTakeAByte(t *testing.T) {
	c := NewClock(Options{Interval: 10 * time.Second})
	var h history
	for i := range 50 {
		c.Begin(snapshot.Instant(i+1) * 10 * second)
		h.add(c, snapshot.Reading{Offset: int64(40 * i), At: c.Now() + snapshot.Instant(i%5)*second/100}, 100)
	}
	if len(h.code) != 49 {
		t.Errorf("%d bytes for 49 changes", len(h.code))
	}
}

func TestAHistoryIsBounded(t *testing.T) {
	c := NewClock(Options{History: 30 * time.Minute, Interval: time.Second})
	var h history
	for i := range 5000 {
		c.Begin(snapshot.Instant(i+1) * second)
		h.add(c, snapshot.Reading{Offset: int64(i) * 1e6, At: c.Now()}, 64)
		if len(h.code) > 64 || cap(h.code) > 80 {
			t.Fatalf("poll %d: %d bytes in %d", i, len(h.code), cap(h.code))
		}
	}
	if got := len(stretches(c, &h)); got < 12 || got > 64/3+1 {
		t.Errorf("%d readings of 3 bytes in 64 bytes", got)
	}
}

// A history that begins anew, or that nobody has read for longer than it remembers,
// has nothing of before.
func TestAHistoryForgets(t *testing.T) {
	c := NewClock(Options{History: time.Minute, Interval: 10 * time.Second})
	var l Log
	see := func(at, offset int64) {
		c.Begin(snapshot.Instant(at) * second)
		l.Observe(c, snapshot.Reading{Offset: offset, At: c.Now()})
	}
	see(10, 100)
	see(20, 200)
	see(30, 50)
	if _, _, ok := l.between(c, 40); ok {
		t.Error("a log that was made anew remembers when it passed 40 before")
	}
	if l.Arrival(c).Known {
		t.Error("a log that was made anew has an arrival rate after one reading")
	}
	for i := range 20 {
		c.Begin(snapshot.Instant(40+10*i) * second)
	}
	if _, ok := l.oldest(c); ok {
		t.Error("a reading of three minutes ago is remembered for one")
	}
	see(300, 70)
	if first, ok := l.oldest(c); !ok || first.Offset != 70 {
		t.Errorf("the first reading after a pause is %+v, %v", first, ok)
	}
}
