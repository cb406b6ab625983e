package main

import (
	"math"
	"strconv"
)

// ticks are the values that a scale names.
func (p *plot) ticks() []float64 {
	list := []float64{0}
	if p.log && p.most >= 10 {
		for v := 10.0; v <= p.most; v *= 10 { // 1 would stand on the label of 0
			list = append(list, v)
		}
		return list
	}
	step := nice(p.most / 4)
	for v := step; v <= p.most*1.001; v += step {
		list = append(list, v)
	}
	return list
}

// nice is the least of 1, 2, 5, 10, … that is not below v.
func nice(v float64) float64 {
	scale := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 5} {
		if f*scale >= v*(1-1e-9) {
			return f * scale
		}
	}
	return 10 * scale
}

// endless tells whether a curve is +Inf anywhere.
func (p *plot) endless() bool {
	for _, c := range p.curves {
		for _, v := range c.values {
			if math.IsInf(v, 1) {
				return true
			}
		}
	}
	return false
}

// thousands shows a value of a scale, with commas.
func thousands(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if v < 1000 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
