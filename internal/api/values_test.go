package api

import (
	"encoding/json"
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
