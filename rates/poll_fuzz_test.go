package rates

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// tape is what fuzzing wrote, read as numbers.
type tape []byte

func (t *tape) next() byte {
	if len(*t) == 0 {
		return 0
	}
	b := (*t)[0]
	*t = (*t)[1:]
	return b
}

// step is a number of any size: mostly a small one, now and then anything.
func (t *tape) step() int64 {
	switch b := t.next(); {
	case b < 100:
		return int64(b)
	case b < 200:
		return int64(b) * int64(t.next())
	case b < 220:
		return -int64(t.next())
	case b < 230:
		return math.MaxInt64
	case b < 235:
		return math.MinInt64
	}
	var all [8]byte
	for i := range all {
		all[i] = t.next()
	}
	return int64(binary.LittleEndian.Uint64(all[:]))
}

// FuzzPoll polls a pair in any order, with anything missing, repeated or huge.
func FuzzPoll(f *testing.F) {
	f.Add(uint16(10), []byte{})
	steady := []byte{}
	for range 40 {
		steady = append(steady, 0, 10, 90, 50, 0, 0)
	}
	f.Add(uint16(10), steady)
	f.Add(uint16(1), []byte("\x00\x0a\xe0\xe1\xe2\xff12345678\x00\x01\xd0\x20\x03\xdc\xdc\xdc\xdc"))
	f.Fuzz(func(t *testing.T, interval uint16, data []byte) {
		c := NewClock(Options{Interval: time.Duration(interval) * time.Second})
		var l Log
		var p Pair
		in := tape(data)
		var now snapshot.Instant
		var end, committed int64
		for len(in) > 0 {
			kind := in.next()
			now += snapshot.Instant(in.step()) * second
			end += in.step()
			committed += in.step()
			late := snapshot.Instant(in.step()) * second / 1000
			if kind&1 == 0 {
				c.Begin(now)
			}
			if kind&2 == 0 {
				l.Observe(c, snapshot.Reading{Offset: end, At: now + late})
			}
			if kind&4 == 0 {
				lag := max(0, end-committed)
				e, rewound := p.Observe(c, &l, Position{At: now + late/2, Committed: committed, Oldest: committed, Lag: lag, End: end})
				checkEstimate(t, lag, e)
				if rewound < 0 {
					t.Errorf("rewound by %d", rewound)
				}
			}
			checkRate(t, l.Arrival(c))
			l.oldest(c)
			l.between(c, committed)
		}
	})
}

func checkRate(t *testing.T, r Rate) {
	t.Helper()
	if !r.Known && r != (Rate{}) || r.Known && !(0 <= r.Low && r.Low <= r.PerSecond && r.PerSecond <= r.High) || math.IsInf(r.PerSecond, 0) {
		t.Errorf("a rate of %+v", r)
	}
}

func checkEstimate(t *testing.T, lag int64, e Estimate) {
	t.Helper()
	seconds, known := e.DrainSeconds.Get()
	low, knownLow := e.DrainLow.Get()
	high, knownHigh := e.DrainHigh.Get()
	if known != knownLow || known != knownHigh || known && !(low <= seconds && seconds <= high) {
		t.Errorf("%g s (%v), from %g (%v) to %g (%v)", seconds, known, low, knownLow, high, knownHigh)
	}
	if known && lag == 0 && (seconds != 0 || high != 0) {
		t.Errorf("%g to %g s remaining of no lag", seconds, high)
	}
	if drain, ok := e.Drain.Get(); ok && (math.IsInf(drain, 0) || drain < 0) {
		t.Errorf("a drain rate of %g", drain)
	}
}
