package api

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

// Times were written like 1.3559999999999999, and that of a poll to the nanosecond.
func TestSeconds(t *testing.T) {
	for ms := range time.Duration(100_000) {
		text, err := json.Marshal(seconds(ms*time.Millisecond + 400*time.Microsecond))
		if _, digits, _ := strings.Cut(string(text), "."); err != nil || len(digits) > 3 {
			t.Fatalf("%d ms are %s, %v", ms, text, err)
		}
	}
	if got := seconds(1_356 * time.Millisecond); got != 1.356 {
		t.Error(got)
	}
	v := fixed().views("main")[0]
	v.PollDuration = 488_644 * time.Nanosecond
	if d := fixed().cluster(v); *d.PollSeconds != 0 {
		t.Errorf("a poll of %v s", *d.PollSeconds)
	}
}

// Numbers of an evidence were written like 0.8000268035782778; counts are exact.
func TestNumbersOfEvidence(t *testing.T) {
	for n, want := range map[float64]float64{
		0: 0, 0.8000268035782778: 0.800027, 30.046169999999996: 30.0462, 113.373919462: 113.374, 1234567890: 1234567890, -2: -2,
	} {
		if got := bounded(n); *got != want {
			t.Errorf("%v is written as %v, want %v", n, *got, want)
		}
	}
	if bounded(math.Inf(1)) != nil || bounded(math.NaN()) != nil {
		t.Error("what is no number is one")
	}
}
