package words

import (
	"math"
	"testing"

	"github.com/lagwatch/lagwatch/rates"
)

func TestAge(t *testing.T) {
	const minute, hour, day = 60., 3600., 86400.
	for _, tt := range []struct {
		seconds float64
		want    string
	}{
		{0, "0 s"},
		{0.2, "<1 s"},
		{3.9, "3 s"},
		{119.9, "119 s"},
		{2 * minute, "2 min"},
		{12*minute + 59, "12 min"},
		{2 * hour, "2 h 0 min"},
		{47*hour + 59*minute + 59, "47 h 59 min"},
		{2*day + 3*hour + 59*minute, "2 d 3 h"},
		{9999 * day, "9999 d 0 h"},
		{1e300, ">9999 d"},
	} {
		if got := Age(rates.Of(tt.seconds)); got != tt.want {
			t.Errorf("%v s: %q, want %q", tt.seconds, got, tt.want)
		}
	}
	if got := Age(rates.Value{}); got != "?" {
		t.Errorf("unknown: %q", got)
	}
}

func TestCatchesUp(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		seconds, low, high float64
		want               string
	}{
		{0, 0, 0, "caught up"},
		{0.3, 0, 11, "keeps up"},
		{40, 0, 70, "keeps up"},
		{inf, inf, inf, "never"},
		{inf, 500, inf, "never"},
		{300, 299, 301, "5 min (4–6)"},
		{300, 240, 420, "5 min (4–7)"},
		{300, 300, 300, "5 min"},
		{290, 250, inf, "5 min (≥4)"},
		{0.4, 0.3, 0.5, "1 s (0–1)"},
		{90, 71.5, 120.5, "90 s (71–121)"},
		{7300, 7000, 11000, "2 h (1–4)"},
		{3 * 86400, 2.5 * 86400, 4 * 86400, "3 d (2–4)"},
		{300, 240, 1e12, "5 min (≥4)"},
		{1e12, 1e11, inf, ">9999 d"},
	} {
		if got := CatchesUp(rates.Of(tt.seconds), rates.Of(tt.low), rates.Of(tt.high)); got != tt.want {
			t.Errorf("%v s, %v to %v: %q, want %q", tt.seconds, tt.low, tt.high, got, tt.want)
		}
	}
	if got := CatchesUp(rates.Value{}, rates.Value{}, rates.Value{}); got != "?" {
		t.Errorf("unknown: %q", got)
	}
}

func TestRate(t *testing.T) {
	for _, tt := range []struct {
		rate float64
		want string
	}{
		{0, "0"},
		{0.004, "<0.1"},
		{0.14, "0.1"},
		{9.94, "9.9"},
		{9.95, "10"},
		{1234.5, "1234"},
	} {
		if got := Rate(rates.Of(tt.rate)); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.rate, got, tt.want)
		}
	}
	if got := Rate(rates.Value{}); got != "?" {
		t.Errorf("unknown: %q", got)
	}
}
