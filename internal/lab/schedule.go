package lab

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Bursts shapes a producer's traffic: what the rate yields in each Every
// comes within its first Length. The average rate stays the same.
type Bursts struct{ Every, Length time.Duration }

// schedule says how many records are due. It goes by the time since the
// start and not by the time since the last look, so a late look is made up
// for and nothing drifts.
type schedule struct {
	rate   float64 // records per second
	bursts Bursts  // zero: evenly
}

func (s schedule) due(elapsed time.Duration) int64 {
	if s.bursts.Every <= 0 {
		return records(s.rate, elapsed)
	}
	before := elapsed.Truncate(s.bursts.Every)
	within := min(elapsed-before, s.bursts.Length)
	stretch := float64(s.bursts.Every) / float64(s.bursts.Length)
	return records(s.rate, before+time.Duration(float64(within)*stretch))
}

// records is rate over d, rounded down. The rounding forgives what floating
// point takes off a whole number.
func records(rate float64, d time.Duration) int64 {
	return int64(math.Floor(rate*d.Seconds() + 1e-9))
}

func (s schedule) check() error {
	if s.rate < 0 || math.IsNaN(s.rate) || math.IsInf(s.rate, 0) {
		return fmt.Errorf("rate is %v records/s", s.rate)
	}
	if b := s.bursts; b != (Bursts{}) && (b.Length <= 0 || b.Length > b.Every) {
		return fmt.Errorf("bursts last %s of every %s", b.Length, b.Every)
	}
	return nil
}

// spread deals records out to partitions: hotShare of them to partition 0,
// the rest to the others in turn; or to all in turn when hotShare is 0. Any
// run of records is within one of its share.
type spread struct {
	partitions int32
	hotShare   float64
	debt       float64 // what partition 0 has coming
	turn       int32
}

func (s *spread) next() int32 {
	if s.hotShare > 0 {
		s.debt += s.hotShare
		if s.debt >= 1-1e-9 || s.partitions == 1 {
			s.debt--
			return 0
		}
		s.turn = s.turn%(s.partitions-1) + 1
		return s.turn
	}
	p := s.turn
	s.turn = (s.turn + 1) % s.partitions
	return p
}

// record is a small record: what the lab shows is about offsets, and a log
// of tiny records is cheap to keep.
func record(n int64) *kgo.Record {
	id := strconv.FormatInt(n, 10)
	return &kgo.Record{Key: []byte(id), Value: []byte(`{"id":` + id + `}`)}
}
