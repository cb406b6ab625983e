package diagnosis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// telling writes a finding. Whatever is said of partitions and members is said in the
// order of what matters, then of their names.
type telling struct {
	*Finding
	*look
}

// most is how many members and partitions a finding names.
const most = 10

func (w *telling) say(format string, args ...any) { w.Sentence = fmt.Sprintf(format, args...) }

// evidence adds a number; what is not one is left out.
func (w *telling) evidence(name string, value float64, unit string) {
	if !math.IsNaN(value) && !math.IsInf(value, 0) {
		w.Evidence = append(w.Evidence, Evidence{name, value, unit})
	}
}

// lagAge adds the age of what is unread, in seconds. Where it is 0 it is not known: what
// is unread has waited.
func (w *telling) lagAge(waited float64) {
	if waited > 0 {
		w.evidence("lag_age", waited, inSeconds)
	}
}

// Units of evidence.
const (
	inOffsets    = "offsets"
	perSecond    = "offsets/second"
	inSeconds    = "seconds"
	inPartitions = "partitions"
	inMembers    = "members"
	inRounds     = "rounds"
)

// partitions names those of the group for which matters returns true, the one with the
// most first, and returns that; nil if there is none.
func (w *telling) partitions(matters func(i int, p *Partition) bool, much func(p *Partition) float64) (worst *Partition) {
	list := w.room.ranked[:0]
	for i := range w.g.Partitions {
		if p := &w.g.Partitions[i]; matters(i, p) {
			list = w.rank(list, ranked{p, much(p)})
		}
	}
	for i := range list {
		w.Partitions = append(w.Partitions, w.name(list[i].of))
	}
	if len(list) > 0 {
		worst = list[0].of
	}
	for i := range list {
		list[i].of = nil // the room outlives the poll
	}
	w.room.ranked = list
	return worst
}

// ranked is a partition and how much it matters.
type ranked struct {
	of   *Partition
	much float64
}

// rank puts one in its place among those that matter most.
func (w *telling) rank(list []ranked, r ranked) []ranked {
	i := len(list)
	if i < most {
		list = append(list, r)
	} else if i--; !w.before(r, list[i]) {
		return list
	}
	for ; i > 0 && w.before(r, list[i-1]); i-- {
		list[i] = list[i-1]
	}
	list[i] = r
	return list
}

func (w *telling) before(a, b ranked) bool {
	if a.much != b.much {
		return a.much > b.much
	}
	return w.name(a.of).compare(w.name(b.of)) < 0
}

func (p TopicPartition) compare(o TopicPartition) int {
	return cmp.Or(cmp.Compare(p.Topic, o.Topic), cmp.Compare(p.Partition, o.Partition))
}

// String is how Kafka's logs call it.
func (p TopicPartition) String() string { return p.Topic + "/" + strconv.Itoa(int(p.Partition)) }

// first is the partition that matters most.
func (w *telling) first() TopicPartition {
	if len(w.Partitions) == 0 {
		return TopicPartition{}
	}
	return w.Partitions[0]
}

// age is the lag age of a partition, for what matters.
func age(p *Partition) float64 { return orZero(p.Estimate.LagAge.Get()) }

func orZero(v float64, ok bool) float64 {
	if !ok || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// whole is a number with its thousands marked.
func whole(n int64) string {
	var room [32]byte
	return string(appendWhole(room[:0], n))
}

func appendWhole(to []byte, n int64) []byte {
	var room [20]byte
	digits := strconv.AppendInt(room[:0], n, 10)
	for i, d := range digits {
		if rest := len(digits) - i; rest%3 == 0 && i > 0 && digits[i-1] != '-' {
			to = append(to, ',')
		}
		to = append(to, d)
	}
	return to
}

// count is a number and what it counts.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	var room [64]byte
	return string(append(append(appendWhole(room[:0], n), ' '), many...))
}

func offsets(n int64) string       { return count(n, "offset", "offsets") }
func countPartitions(n int) string { return count(int64(n), "partition", "partitions") }
func countMembers(n int) string    { return count(int64(n), "member", "members") }

// rate is a rate in words, with three digits at most where it is small.
func rate(v float64) string {
	var room [64]byte
	text := room[:0]
	switch {
	case math.Abs(v) >= 100:
		text = appendWhole(text, int64(math.Round(v)))
	case math.Abs(v) >= 10:
		text = strconv.AppendFloat(text, v, 'f', 1, 64)
	default:
		text = strconv.AppendFloat(text, v, 'g', 2, 64)
	}
	return string(append(text, " offsets/s"...))
}

// percent is a part in words.
func percent(part float64) string { return strconv.Itoa(int(math.Round(100*part))) + " %" }

// span is a time in words: two units at most.
func span(seconds float64) string {
	d := time.Duration(math.Min(seconds, 1e9) * float64(time.Second)).Round(time.Second)
	for _, u := range units {
		if d >= u.long {
			long, rest := strconv.Itoa(int(d/u.long)), d%u.long/u.next
			if rest == 0 {
				return long + " " + u.name
			}
			return long + " " + u.name + " " + strconv.Itoa(int(rest)) + " " + u.smaller
		}
	}
	return strconv.Itoa(int(d/time.Second)) + " s"
}

// lately is how long ago something was, in words.
func lately(seconds float64) string {
	if seconds < 1 {
		return "just now"
	}
	return span(seconds) + " ago"
}

// verb is one of two forms.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

var units = []struct {
	long, next    time.Duration
	name, smaller string
}{
	{24 * time.Hour, time.Hour, "d", "h"},
	{time.Hour, time.Minute, "h", "min"},
	{time.Minute, time.Second, "min", "s"},
}

// plain is somebody's text as one line that does nothing to a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unprintable(r) {
			return ' '
		}
		return r
	}, s)
}

// called is how a member is: by the name that does not change, else by its client's.
func (m *Member) called() string { return plain(cmp.Or(m.InstanceID, m.ClientID, m.ID)) }

// concerns names the members for which matters returns true.
func (w *telling) concerns(matters func(m int) bool) {
	for i := range w.members {
		if matters(i) {
			w.Members = append(w.Members, w.members[i].ID)
		}
	}
	slices.Sort(w.Members)
	w.Members = w.Members[:min(len(w.Members), most)]
}
