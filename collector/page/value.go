package page

import (
	"math"
	"strconv"
)

// Whole numbers below wholeBelow are exact as floats and as integers.
const wholeBelow = 1 << 53

// appendValue writes a value as expfmt does: the shortest text that reads back
// as it, with an exponent where Go's format 'g' has one. Most values are
// offsets, so whole numbers have a way of their own, which is some times
// faster.
func appendValue(b []byte, v float64) []byte {
	if v >= 0 && v < wholeBelow && v == math.Trunc(v) {
		return appendWhole(b, uint64(v))
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// appendWhole writes a whole number: from seven digits on as d.ddde+NN, without
// zeros at the end of the fraction.
func appendWhole(b []byte, n uint64) []byte {
	if n < 1e6 {
		return strconv.AppendUint(b, n, 10)
	}
	exponent := 0
	for n%10 == 0 {
		n /= 10
		exponent++
	}
	at := len(b)
	b = strconv.AppendUint(append(b, '.'), n, 10) // .dddd
	b[at], b[at+1] = b[at+1], '.'                 // d.ddd
	exponent += len(b) - at - 2
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	return append(b, 'e', '+', byte('0'+exponent/10), byte('0'+exponent%10))
}
