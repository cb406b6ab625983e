package rates

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestValue(t *testing.T) {
	for _, c := range []struct {
		in, want float64
		known    bool
	}{
		{0, 0, true}, {math.Copysign(0, -1), 0, true}, {math.Inf(1), math.Inf(1), true},
		{300, 300, true}, {1. / 3, 0.333333, true}, {2. / 3 * 1e9, 666667000, true},
		{999999.5, 1e6, true}, {9.9999999, 10, true}, {0.0123456789, 0.0123457, true},
		{math.NaN(), 0, false}, {-1, 0, false}, {math.Inf(-1), 0, false},
		{math.MaxFloat64, math.MaxFloat64, true}, {math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64, true},
	} {
		t.Run(fmt.Sprint(c.in), func(t *testing.T) {
			got, known := Of(c.in).Get()
			if got != c.want || known != c.known || math.Signbit(got) || Of(c.in).Known() != known {
				t.Errorf("%v, %v, want %v, %v", got, known, c.want, c.known)
			}
		})
	}
	if _, known := (Value{}).Get(); known {
		t.Error("the zero Value is known")
	}
}

// TestRoundedAgainstPrinting compares with what is printed with six digits. Where the
// seventh is a 5 and nothing follows, either is right.
func TestRoundedAgainstPrinting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 200000 {
		v := math.Pow(10, r.Float64()*30-15)
		want, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 5, 64), 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := rounded(v); got != want {
			t.Fatalf("%v rounded is %v, want %v", v, got, want)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		Of(float64(i) * 1.2345678)
	}
}
