package document

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/lagwatch/lagwatch/rates"
)

// MarshalJSON implements [json.Marshaler]: RFC 3339 in UTC, to the millisecond.
func (t Time) MarshalJSON() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(nil, `"2006-01-02T15:04:05.000Z"`), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Time) UnmarshalJSON(text []byte) error { return (*time.Time)(t).UnmarshalJSON(text) }

// Drain is when a lag is gone.
type Drain struct {
	// State says which of the others are known: see [Drains].
	State       string  `json:"drain"`
	Seconds     Seconds `json:"drain_seconds,omitzero"`
	LowSeconds  Seconds `json:"drain_low_seconds,omitzero"`
	HighSeconds Seconds `json:"drain_high_seconds,omitzero"`
}

// What Drain.State may be.
const (
	DrainUnknown  = "unknown"   // not known (yet)
	DrainCaughtUp = "caught_up" // there is no lag
	DrainKeepsUp  = "keeps_up"  // the lag is what the next commit takes in
	DrainKnown    = "known"     // in so many seconds
	DrainNever    = "never"     // at the rates of now the lag does not shrink
)

// Drains are all states, in the order above.
func Drains() []string {
	return []string{DrainUnknown, DrainCaughtUp, DrainKeepsUp, DrainKnown, DrainNever}
}

// DrainOf is a time until a lag is gone, between two others, as estimates have them.
func DrainOf(seconds, low, high rates.Value) Drain {
	d := Drain{DrainUnknown, Seconds{seconds}, Seconds{low}, Seconds{high}}
	s, known := seconds.Get()
	least, _ := low.Get()
	switch {
	case !known:
		return Drain{State: DrainUnknown}
	case math.IsInf(s, 1):
		d.State = DrainNever
	case s == 0:
		d.State = DrainCaughtUp
	case least == 0:
		d.State = DrainKeepsUp
	default:
		d.State = DrainKnown
	}
	return d
}

// Seconds is a time in seconds: unknown, which is left out; without end, which is null;
// or a number.
type Seconds struct{ rates.Value }

// IsZero tells whether it is unknown.
func (s Seconds) IsZero() bool { return !s.Known() }

// MarshalJSON implements [json.Marshaler].
func (s Seconds) MarshalJSON() ([]byte, error) {
	n, known := s.Get()
	if !known || math.IsInf(n, 1) {
		return []byte("null"), nil
	}
	return json.Marshal(n)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Seconds) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		s.Value = rates.Of(math.Inf(1))
		return nil
	}
	var n float64
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	if n < 0 {
		return fmt.Errorf("a time of %v seconds", n)
	}
	s.Value = rates.Of(n)
	return nil
}
