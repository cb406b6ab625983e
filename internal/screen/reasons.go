package screen

import (
	"fmt"
	"math"
	"strconv"
	"strings"

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

// first is the finding of the headline, nil where nothing holds.
func first(d *diagnosis.Diagnosis) *diagnosis.Finding {
	if len(d.Findings) == 0 {
		return nil
	}
	return &d.Findings[0]
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
		if e.Unit == "boolean" {
			text = e.Name + " " + map[bool]string{true: "yes", false: "no"}[e.Value != 0]
		} else if !strings.Contains(e.Name, e.Unit) { // members, or partitions_stalled
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
	lines := words.Wrap(text, "", width-len(indent))
	if len(lines) == 0 {
		lines = []string{""}
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(words.Cut(indent+line, width) + "\n")
	}
	return b.String()
}
