package main

import (
	"math"
	"testing"
	"time"
)

// load is PromQL test notation: values at every step from 0 on.
func load(step time.Duration, values ...float64) []point {
	list := make([]point, len(values))
	for i, v := range values {
		list[i] = point{int64(i) * step.Milliseconds(), v}
	}
	return list
}

// grown is from+by×times.
func grown(from, by float64, times int) []float64 {
	list := []float64{from}
	for i := range times {
		list = append(list, from+by*float64(i+1))
	}
	return list
}

func until(points []point, now, window time.Duration) []point {
	for len(points) > 0 && points[len(points)-1].t > now.Milliseconds() {
		points = points[:len(points)-1]
	}
	return within(points, (now - window).Milliseconds())
}

// The results are those that Prometheus 3 has in its own tests of rate, increase and
// deriv (promql/promqltest/testdata/functions.test).
func TestRateIsPrometheus(t *testing.T) {
	const m = time.Minute
	twice := append(grown(0, 27, 4), grown(0, 27, 5)...)
	tests := []struct {
		name        string
		points      []point
		now, window time.Duration
		want        float64
	}{
		{"even", load(5*m, grown(0, 80, 10)...), 50 * m, 50 * m, 0.26666666666666666},
		{"a reset in the middle", load(5*m, twice...), 50 * m, 50 * m, 0.08},
		{"a reset at the end", load(5*m, append(grown(0, 10, 9), 0, 10)...), 50 * m, 6 * m, 0},
		{"one point", load(5*m, append(grown(0, 10, 9), 0, 10)...), 50 * m, 5 * m, math.NaN()},
		{"from 0: not to before it", load(4*m, grown(0, 240, 10)...), 10 * m, 20 * m, 0.5},
		{"from a minute after 0", load(4*m, grown(60, 240, 10)...), 10 * m, 20 * m, 0.55},
		{"from two minutes after 0", load(4*m, grown(120, 240, 10)...), 10 * m, 20 * m, 0.6},
		{"from five minutes after 0: half an interval", load(4*m, grown(300, 240, 10)...), 10 * m, 20 * m, 0.6},
		{"in the middle of a series", load(4*m, grown(60, 240, 10)...), 50 * m, 20 * m, 0.6},
		{"a window twice as long as the series", load(5*m, grown(10, 10, 10)...), 50 * m, 100 * m, 105.0 / 6000},
		{"the same from nearly 0", load(5*m, grown(1, 10, 10)...), 50 * m, 100 * m, 101.0 / 6000},
		{"the same with a reset", load(5*m, append(grown(0, 18, 5), grown(0, 18, 5)...)...), 50 * m, 100 * m, 162.0 / 6000},
		{"a reset starts at 0", load(5*m, 0, 1, 2, 3, 2, 3, 4), 30 * m, 30 * m, 7.0 / 1800},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := rate(until(tt.points, tt.now, tt.window), tt.now.Milliseconds(), tt.window)
			if math.Abs(got-tt.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(tt.want) {
				t.Errorf("rate %v, want %v", got, tt.want)
			}
		})
	}
}

func TestDerivIsPrometheus(t *testing.T) {
	got := deriv(load(5*time.Minute, append(grown(0, 10, 4), grown(0, 10, 5)...)...))
	if want := 0.010606060606060607; math.Abs(got-want) > 1e-15 {
		t.Errorf("deriv %v, want %v", got, want)
	}
	if got := deriv(load(time.Minute, 1)); !math.IsNaN(got) {
		t.Errorf("deriv of one point is %v", got)
	}
}

// 30/s less each second: a line through lags is exact from the second scrape on, rate()
// when its window is full; before, it takes what it lacks for a standstill.
func TestAlternativesAreExactWhereAllIsEven(t *testing.T) {
	var s scrapes
	committed, end := int64(1_000_000), int64(1_060_000)
	for i := range 60 {
		says := s.scrape(seconds(10*i), end-committed, committed, end)
		for k, from := range [alternatives]int{1, 30, 1} {
			want := float64(end-committed) / 30
			if i == 0 {
				want = math.NaN()
			}
			if v := says[k]; i == 0 && !math.IsNaN(v) || i >= from && math.Abs(v-want) > 1e-6*want {
				t.Fatalf("scrape %d: %s says %v, want %v", i, alternativeNames[k], v, want)
			}
		}
		committed, end = committed+1500, end+1200
	}
}

func TestWhatAPersonReads(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name    string
		v       float64
		lag     int64
		want    float64
		isGiven bool
	}{
		{"a time", 12, 3, 12, true},
		{"the lag grows", -12, 3, inf, false},
		{"the lag stays", inf, 3, inf, false},
		{"the lag stays, the other zero", -inf, 3, inf, false},
		{"no lag", math.NaN(), 0, 0, true},
	}
	for _, tt := range tests {
		if got := answer(tt.v, tt.lag); got != tt.want || given(got) != tt.isGiven {
			t.Errorf("%s: %v, given %v", tt.name, got, given(got))
		}
	}
	if given(answer(math.NaN(), 3)) {
		t.Error("NaN is a time")
	}
}
