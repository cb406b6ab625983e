package page

import (
	"math"
	"strconv"
	"testing"
)

// twin is what expfmt does.
func twin(v float64) string {
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func FuzzValue(f *testing.F) {
	for _, v := range []float64{
		0, math.Copysign(0, -1), 1, -1, 9, 10, 123, 999_999, 1e6, 1_000_001, 1_230_000, 9_999_999, 10_000_000, 123_456_789, 1e15, 1e16,
		wholeBelow - 1, wholeBelow, wholeBelow + 2, 1e21, 1.5, 0.1, 1e-7, -123_456_789, math.MaxInt64, math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 1772366410.3,
	} {
		f.Add(v, int64(v))
	}
	f.Fuzz(func(t *testing.T, v float64, n int64) {
		for _, v := range []float64{v, math.Trunc(v), float64(n), float64(n % wholeBelow), float64(n%1000) * 1e6} {
			if got := string(appendValue([]byte("x"), v)); got != "x"+twin(v) {
				t.Errorf("%b is written as %q, and by strconv as %q", v, got, "x"+twin(v))
			}
		}
	})
}

// Beside strconv's, and the least: a copy of as many bytes.
func BenchmarkValue(b *testing.B) {
	for name, write := range map[string]func([]byte, float64) []byte{
		"ours":    appendValue,
		"strconv": func(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) },
		"copy":    func(b []byte, _ float64) []byte { return append(b, "1.234567891e+09"...) },
	} {
		b.Run(name, func(b *testing.B) {
			buf := make([]byte, 0, 64)
			for i := 0; b.Loop(); i++ {
				buf = write(buf[:0], float64(1_234_567_000+i))
			}
		})
	}
}
