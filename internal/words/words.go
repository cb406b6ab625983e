// Package words are how lagwatch says numbers to people, on the demo's screen and in
// explain: short, in one unit, and never more than is known. What is not known is "?",
// which is never a number.
package words

import (
	"fmt"
	"math"
	"net"
	"strconv"

	"github.com/lagwatch/lagwatch/rates"
)

// Unknown stands for a value that is not known.
const Unknown = "?"

// longest is the greatest number of a unit that is written out.
const longest = 9999

// units are those of times, each with the seconds below which it is used.
var units = [...]struct {
	name           string
	seconds, below float64
}{{"s", 1, 120}, {"min", 60, 2 * 3600}, {"h", 3600, 48 * 3600}, {"d", 86400, math.Inf(1)}}

// unitOf is the index of the unit for so many seconds.
func unitOf(seconds float64) int {
	i := 0
	for i < len(units)-1 && seconds >= units[i].below {
		i++
	}
	return i
}

// Age is how long something has been waiting, in seconds, never more than it has:
// "3 s", "12 min", "5 h 20 min", "2 d 3 h". Only what has not waited at all is "0 s".
func Age(v rates.Value) string {
	s, ok := v.Get()
	switch {
	case !ok:
		return Unknown
	case s > 0 && s < 1:
		return "<1 s"
	}
	i := unitOf(s)
	u := units[i]
	n := math.Floor(s / u.seconds)
	switch {
	case n > longest:
		return fmt.Sprintf(">%d %s", longest, u.name)
	case i < 2: // seconds and minutes are exact enough alone
		return fmt.Sprintf("%.0f %s", n, u.name)
	}
	rest := math.Floor((s - n*u.seconds) / units[i-1].seconds)
	return fmt.Sprintf("%.0f %s %.0f %s", n, u.name, rest, units[i-1].name)
}

// CatchesUp is how long until a lag is gone, in seconds, with the bounds in the same
// unit, rounded outwards: "5 min (4–7)", or "5 min (≥4)" where no upper one is known.
// "never" is as long as the rates are what they are. What keeps up is only behind by
// what its next commit takes in: its lower bound is 0.
func CatchesUp(seconds, least, most rates.Value) string {
	s, ok := seconds.Get()
	low, _ := least.Get()
	high, _ := most.Get()
	switch {
	case !ok:
		return Unknown
	case s == 0:
		return "caught up"
	case math.IsInf(s, 1):
		return "never"
	case low == 0:
		return "keeps up"
	}
	u := units[unitOf(s)]
	n := max(1, math.Round(s/u.seconds))
	if n > longest {
		return fmt.Sprintf(">%d %s", longest, u.name)
	}
	return fmt.Sprintf("%.0f %s%s", n, u.name, bounds(n, math.Floor(low/u.seconds), math.Ceil(high/u.seconds)))
}

// bounds are those of a number, nothing where both are the number itself.
func bounds(n, low, high float64) string {
	switch {
	case low == n && high == n:
		return ""
	case high > longest:
		return fmt.Sprintf(" (≥%.0f)", low)
	}
	return fmt.Sprintf(" (%.0f–%.0f)", low, high)
}

// Rate is a number of offsets per second. Only what stands still is "0".
func Rate(v rates.Value) string {
	n, ok := v.Get()
	switch {
	case !ok:
		return Unknown
	case n == 0:
		return "0"
	case n < 0.1:
		return "<0.1"
	case n < 9.95:
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}

// Maybe is a number that may be unknown.
type Maybe interface{ Get() (int64, bool) }

// Number is a whole number, all of its digits.
func Number(m Maybe) string {
	n, ok := m.Get()
	if !ok {
		return Unknown
	}
	return strconv.FormatInt(n, 10)
}

// Printable keeps a name that Kafka allows from moving the cursor or the columns.
func Printable(s string) string {
	q := strconv.QuoteToGraphic(s)
	if q == `"`+s+`"` {
		return s
	}
	return q
}

// Host leaves out the port of a connection, which the embedded cluster tells and Kafka
// does not.
func Host(s string) string {
	if h, _, err := net.SplitHostPort(s); err == nil {
		return h
	}
	return s
}
