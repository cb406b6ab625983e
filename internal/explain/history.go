package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/words"
)

// rounds are the latest, the newest first.
func rounds(d *document.Group) string {
	const most = 5
	if len(d.Rounds) == 0 {
		return ""
	}
	var b strings.Builder
	w := words.NewTable(&b)
	for _, r := range slices.Backward(d.Rounds[max(0, len(d.Rounds)-most):]) {
		number := ""
		if r.Generation != nil {
			number = fmt.Sprintf("%s %d", clean(r.Source), *r.Generation)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%d moved, %d joined, %d left\n", ago(d, r.At), plural(r.Count, "rebalance", "rebalances"), number, r.Moved, r.Joined, r.Left)
	}
	w.Flush()
	return "ROUNDS\n" + b.String()
}

// ago is how long before the answer something was.
func ago(d *document.Group, at document.Time) string {
	if d.At == nil {
		return words.Unknown
	}
	return lasted(max(0, time.Time(*d.At).Sub(time.Time(at)).Seconds())) + " ago"
}

// shifts are positions that went back, or were moved on, the newest first.
func (p Page) shifts(d *document.Group) string {
	if len(d.Shifts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("POSITIONS MOVED\n")
	for _, s := range slices.Backward(d.Shifts) {
		way := "moved on"
		if s.Back {
			way = "went back"
		}
		text := fmt.Sprintf("%s: %s of %s %s by %d offsets", ago(d, s.At), plural(s.Partitions, "partition", "partitions"), words.Printable(s.Topic), way, s.Offsets)
		switch {
		case s.Empty:
			text += ", while nobody was a member: with a tool"
		case s.NearRound:
			text += ", near a rebalance: it may be a replay"
		}
		b.WriteString(p.wrap("  ", text, "    "))
	}
	return b.String()
}
