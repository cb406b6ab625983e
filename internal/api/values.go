package api

import (
	"encoding/base64"
	"math"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// name is what anything from Kafka is called: as label values of metrics have it.
func name(s string) string { return page.LabelValue(s) }

// known is a name that is left out where it is that of an unknown enum.
func known(s string) string {
	if s == "unknown" {
		return ""
	}
	return s
}

// number is one that is left out where it is not known.
func number[T any](m interface{ Get() (T, bool) }) *T {
	n, ok := m.Get()
	if !ok {
		return nil
	}
	return &n
}

// counted is a number that is left out where it is not known.
func counted(n int, ok bool) *int {
	if !ok {
		return nil
	}
	return &n
}

// finite is an estimate that has no business being infinite.
func finite(v rates.Value) *float64 {
	n, ok := v.Get()
	if !ok || math.IsInf(n, 0) {
		return nil
	}
	return &n
}

// moment is a time that is left out where it is zero.
func moment(t time.Time) *document.Time {
	if t.IsZero() {
		return nil
	}
	at := document.Time(t)
	return &at
}

// ago is how long before another a time is, in seconds; left out where it is zero.
func ago(t, now time.Time) *float64 {
	if t.IsZero() {
		return nil
	}
	s := seconds(max(0, now.Sub(t)))
	return &s
}

// seconds are written to the millisecond.
func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond).Milliseconds()) / 1000 // the nearest to three digits; Seconds is not
}

// wall is when an instant was, by the clock on the wall as it is with the view.
func wall(v *collector.View, i snapshot.Instant) time.Time {
	return v.Built.Add(-snapshot.InstantOf(v.Built).Sub(i))
}

// topicID is an id as Kafka's tools write it; "" where it is not known.
func topicID(id snapshot.TopicID) string {
	if !id.Known() {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// groupEstimates are those of a group, as complete as the metrics say.
func groupEstimates(g *collector.Group) document.Estimates {
	out := estimates(&g.Estimates, g.AgeAtLeast())
	out.Complete = g.EstimatesComplete()
	return out
}

func estimates(e *collector.Estimates, atLeast bool) document.Estimates {
	out := document.Estimates{
		Complete: e.Complete, LagAgeSeconds: finite(e.LagAge), UnreadAgeSeconds: finite(e.UnreadAge), Arrival: finite(e.Arrival), DrainRate: finite(e.Drain),
		Drain: document.DrainOf(e.DrainSeconds, e.DrainLow, e.DrainHigh), Headroom: finite(e.Headroom),
	}
	out.LagAgeAtLeast = atLeast && out.LagAgeSeconds != nil
	return out
}

// names are those of the conditions that hold.
func names(list []condition) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Condition.String()
	}
	return out
}

// bounded is a number of an evidence; nil, which is null, where it has no end. What is no
// count is rounded as estimates are.
func bounded(n float64) *float64 {
	if math.IsInf(n, 0) || math.IsNaN(n) {
		return nil
	}
	if n > 0 && n != math.Trunc(n) {
		n, _ = rates.Of(n).Get()
	}
	return &n
}
