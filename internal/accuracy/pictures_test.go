package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

type writer struct{ bytes.Buffer }

func (w *writer) has(t *testing.T, parts ...string) {
	t.Helper()
	for _, s := range parts {
		if !strings.Contains(w.String(), s) {
			t.Errorf("%q is missing in\n%s", s, w.String())
		}
	}
}

// A recorded trace may count from 1970, be short, and nobody knows the truth: its
// pictures had a legend for that, and axes of half a century, or of no length.
func TestPicturesOfARecordedTrace(t *testing.T) {
	const begun = 1_700_000_000
	for _, polls := range []int{1, 3} {
		tr := trace.Trace{Header: trace.Header{Interval: seconds(10)}}
		for i := range polls {
			at := seconds(begun + 10*i)
			tr.Polls = append(tr.Polls, trace.Poll{
				At: at, Logs: []trace.Log{{Topic: "t", End: 100, At: at}},
				Positions: []trace.Position{{Group: "g", Topic: "t", Committed: 95, At: at}},
			})
		}
		all := estimates(tr, broker{})
		drawn := pictureOf("x", tr, all[pair{"g", place{"t", 0}}])
		var vector, chars writer
		vector.WriteString(svg(drawn))
		text(&chars, drawn)
		for _, w := range []*writer{&vector, &chars} {
			w.has(t, "x (a poll every 10 s)", "drain time, s, on a logarithmic scale", "minutes since 1700000000 s of the trace")
			for _, s := range []string{"truth", string(markTruth) + " ", "NaN", "Inf\"", "e+"} {
				if strings.Contains(strings.ReplaceAll(w.String(), strings.Repeat(string(markTruth), textWidth), ""), s) {
					t.Errorf("%d polls: there is %q in\n%s", polls, s, w.String())
				}
			}
		}
		// Each panel has two labels at least on its scale.
		if n := strings.Count(vector.String(), `text-anchor="end"`); n < 2*len(drawn.panels) {
			t.Errorf("%d polls: %d labels of scales", polls, n)
		}
	}
}

func TestSimulatedTimesBeginAtZero(t *testing.T) {
	tr := trace.Trace{Header: trace.Header{Interval: seconds(60)}, Polls: []trace.Poll{{At: seconds(59)}}}
	if p := pictureOf("x", tr, nil); p.since != 0 || p.axis() != "minutes" {
		t.Errorf("from %v s, %q", p.since, p.axis())
	}
}
