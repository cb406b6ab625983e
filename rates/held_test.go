package rates

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// heldLog is a log that polls read ten seconds apart, up to both of its ends.
type heldLog struct {
	clock      *Clock
	now        snapshot.Instant
	end, until Log
}

func newHeldLog(o Options) *heldLog { return &heldLog{clock: NewClock(o), now: second} }

// poll reads the end, and the last stable offset; one below 0 is not read.
func (h *heldLog) poll(end, stable int64) Value {
	h.now += instants(10)
	h.clock.Begin(h.now)
	for _, r := range []struct {
		log *Log
		to  int64
	}{{&h.end, end}, {&h.until, stable}} {
		if r.to >= 0 {
			r.log.Observe(h.clock, snapshot.Reading{Offset: r.to, At: h.now})
		}
	}
	return h.until.HeldBack(h.clock, &h.end)
}

func TestHeldBack(t *testing.T) {
	type read struct{ end, stable int64 }
	for _, tt := range []struct {
		name  string
		polls []read
		want  Value
	}{
		{"nothing was read", []read{{-1, -1}}, Value{}},
		{"the last stable offset was not read", []read{{10, -1}}, Value{}},
		{"the end was not read", []read{{-1, 10}}, Value{}},
		{"nothing is open", []read{{10, 10}, {20, 20}}, Of(0)},
		{"nothing is open and nothing comes", []read{{10, 10}, {10, 10}, {10, 10}}, Of(0)},
		{"a transaction was just seen", []read{{10, 10}, {20, 10}}, Of(0)},
		{"it stays open", []read{{10, 10}, {20, 10}, {30, 10}, {30, 10}}, Of(20)},
		{"the first poll found it open", []read{{20, 10}, {20, 10}, {20, 10}}, Of(20)},
		{"the log rested before it", []read{{10, 10}, {10, 10}, {10, 10}, {20, 10}, {30, 10}}, Of(10)},
		{"one ends and another is open", []read{{50, 10}, {60, 10}, {70, 40}, {80, 40}}, Of(10)},
		{"one after the other, and the end is always ahead", []read{{20, 10}, {30, 20}, {40, 30}, {50, 40}}, Of(0)},
		{"it ends", []read{{20, 10}, {30, 10}, {40, 40}}, Of(0)},
		{"polls in between read neither", []read{{20, 10}, {-1, -1}, {-1, -1}, {30, 10}}, Of(30)},
		{"what could not be read does not grow", []read{{20, 10}, {30, 10}, {-1, -1}, {-1, -1}}, Of(10)},
		{"the log was cut", []read{{20, 10}, {20, 10}, {8, 5}, {8, 5}}, Of(10)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHeldLog(Options{})
			var got Value
			for _, p := range tt.polls {
				got = h.poll(p.end, p.stable)
			}
			if got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// The history is what is known of it.
func TestHeldBackIsAsLongAsTheHistory(t *testing.T) {
	h := newHeldLog(Options{History: 5 * time.Minute})
	var got Value
	for n := range int64(1000) {
		got = h.poll(20+n, 10)
	}
	if got != Of(300) {
		t.Errorf("%v after hours of a history of five minutes", got)
	}
}

// The last stable offset as a list of all polls has it.
func TestHeldBackAgainstTwin(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		h, end, stable := newHeldLog(Options{}), int64(0), int64(0)
		var ends, stables, at []int64
		for poll := range 100 {
			end += rng.Int64N(3)
			if rng.IntN(4) == 0 {
				stable += rng.Int64N(end - stable + 1)
			}
			ends, stables, at = append(ends, end), append(stables, stable), append(at, int64(10*poll))
			want, first := 0.0, len(at)
			for i := len(at) - 1; i >= 0 && stables[i] == stable && ends[i] > stable; i-- {
				first = i
			}
			if first < len(at) {
				want = float64(at[len(at)-1] - at[first])
			}
			if got := h.poll(end, stable); got != Of(want) {
				t.Fatalf("%s: %v, want %v", fmt.Sprintf("seed %d, poll %d, %d of %d", seed, poll, stable, end), got, want)
			}
		}
	}
}
