package screen

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/internal/words"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// headline is the condition that counts most of those that hold.
func headline(d *diagnosis.Diagnosis) diagnosis.Condition {
	if len(d.Findings) == 0 {
		return diagnosis.Conditions
	}
	return d.Findings[0].Condition
}

// why is the headline in one line, or a remark where nothing holds.
func why(d *diagnosis.Diagnosis, remark string) string {
	if len(d.Findings) == 0 {
		return remark
	}
	f := &d.Findings[0]
	return f.Condition.String() + ": " + oneLine(f.Sentence)
}

// reasons are all conditions that hold, since when, and what proves them.
func reasons(d *diagnosis.Diagnosis, now snapshot.Instant, width int) string {
	var b strings.Builder
	for i := range d.Findings {
		f := &d.Findings[i]
		held := words.Age(rates.Of(max(0, f.Age(now).Seconds())))
		b.WriteString(wrap(fmt.Sprintf("%s for %s: %s", f.Condition, held, oneLine(f.Sentence)), "  ", width))
		if len(f.Evidence) > 0 {
			b.WriteString(wrap(evidence(f.Evidence), "    ", width))
		}
	}
	return b.String()
}

func evidence(list []diagnosis.Evidence) string {
	var parts []string
	for _, e := range list {
		text := e.Name + " " + amount(e.Value)
		if !strings.Contains(e.Name, e.Unit) { // members, or partitions_stalled
			text += " " + e.Unit
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// amount has all digits of a whole number, and three that count of another.
func amount(v float64) string {
	if v == math.Trunc(v) || math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// oneLine keeps a sentence, in which names are as Kafka has them, from moving the cursor
// or the columns.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if strconv.IsGraphic(r) {
			return r
		}
		return '?'
	}, s)
}

// wrap breaks a text between words, into lines with an indent that are as wide as they
// may be. A word that is wider is cut.
func wrap(text, indent string, width int) string {
	lines := words.Wrap(text, "", width-utf8.RuneCountInString(indent))
	if len(lines) == 0 {
		lines = []string{""}
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(words.Cut(indent+line, width) + "\n")
	}
	return b.String()
}
