package trace

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// latest is the last moment that a trace may have, in seconds: traces may count from
// 1970.
const latest = 4e9

// MarshalJSON writes seconds.
func (m Moment) MarshalJSON() ([]byte, error) {
	ms := time.Duration(m).Round(time.Millisecond).Milliseconds()
	return strconv.AppendFloat(nil, float64(ms)/1000, 'f', -1, 64), nil
}

// UnmarshalJSON reads seconds, to the millisecond.
func (m *Moment) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("%s is no time in seconds", excerpt(text))
	}
	if v < 0 || v > latest {
		return fmt.Errorf("the time %s is not from 0 to %.0f seconds", text, float64(latest))
	}
	*m = Moment(math.Round(v*1000)) * Moment(time.Millisecond)
	return nil
}

// MarshalJSON writes a number or "+Inf".
func (v Infinite) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(v), 1) {
		return []byte(`"+Inf"`), nil
	}
	return strconv.AppendFloat(nil, float64(v), 'g', -1, 64), nil
}

// UnmarshalJSON reads a number that is not negative, or "+Inf".
func (v *Infinite) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte(`"+Inf"`)) {
		*v = Infinite(math.Inf(1))
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || f < 0 {
		return errors.New(`a time that may be infinite is a number of seconds, 0 or more, or the string "+Inf"`)
	}
	*v = Infinite(f)
	return nil
}
