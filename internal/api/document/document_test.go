package document

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/rates"
)

// Times until a lag is gone are written so that no reader takes one for another, and are
// read as they were written.
func TestDrain(t *testing.T) {
	inf := rates.Of(math.Inf(1))
	for _, tt := range []struct {
		name               string
		seconds, low, high rates.Value
		want               string
	}{
		{"unknown", rates.Value{}, rates.Value{}, rates.Value{}, `{"drain":"unknown"}`},
		{"no lag", rates.Of(0), rates.Of(0), rates.Of(0), `{"drain":"caught_up","drain_seconds":0,"drain_low_seconds":0,"drain_high_seconds":0}`},
		{"until the next commit", rates.Of(3), rates.Of(0), rates.Of(11), `{"drain":"keeps_up","drain_seconds":3,"drain_low_seconds":0,"drain_high_seconds":11}`},
		{"between bounds", rates.Of(300), rates.Of(240), rates.Of(420.5), `{"drain":"known","drain_seconds":300,"drain_low_seconds":240,"drain_high_seconds":420.5}`},
		{"without an upper bound", rates.Of(300), rates.Of(240), inf, `{"drain":"known","drain_seconds":300,"drain_low_seconds":240,"drain_high_seconds":null}`},
		{"never, perhaps", inf, rates.Of(500), inf, `{"drain":"never","drain_seconds":null,"drain_low_seconds":500,"drain_high_seconds":null}`},
		{"never", inf, inf, inf, `{"drain":"never","drain_seconds":null,"drain_low_seconds":null,"drain_high_seconds":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := DrainOf(tt.seconds, tt.low, tt.high)
			text, err := json.Marshal(d)
			if diff := cmp.Diff(tt.want, string(text)); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			var back Drain
			if err := json.Unmarshal(text, &back); err != nil || back != d {
				t.Errorf("read as %+v, %v", back, err)
			}
		})
	}
	for _, text := range []string{`{"drain_seconds":-1}`, `{"drain_seconds":"never"}`, `{"drain_seconds":1e999}`} {
		if err := json.Unmarshal([]byte(text), new(Drain)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

func TestTime(t *testing.T) {
	at := time.Date(2026, 3, 1, 1, 2, 3, 4_000_000, time.FixedZone("", 3600))
	text, err := json.Marshal(Time(at))
	if string(text) != `"2026-03-01T00:02:03.004Z"` || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	var back Time
	if err := json.Unmarshal(text, &back); err != nil || !time.Time(back).Equal(at) {
		t.Errorf("%v, %v", time.Time(back), err)
	}
}

func TestPaths(t *testing.T) {
	for _, tt := range []struct{ name, cluster, want string }{
		{"orders", "", "/api/v1/groups/orders"},
		{"a/b?c", "my cluster&x", "/api/v1/groups/a%2Fb%3Fc?cluster=my+cluster%26x"},
		{"..", "", "/api/v1/groups/%2E%2E"},
		{"bad\xff", "", "/api/v1/groups/bad%FF"},
	} {
		if got := GroupPath(tt.name, tt.cluster); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := TopicPath("t.x", "c"); got != "/api/v1/topics/t.x?cluster=c" {
		t.Error(got)
	}
}
