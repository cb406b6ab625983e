package page

import (
	"slices"
	"strings"
)

// Labels are some labels of a series, in order, as values and as text. They are
// made once for each thing that has a name, such as a group, and never changed:
// escaping is what makes a page slow. Safe for concurrent use.
type Labels struct {
	values []string
	text   string // a="1",b="2"
}

var escapeValue = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// NewLabels returns labels of pairs of a name and a value. Values may be any
// bytes; see the reference of metrics for what becomes of those that are not
// UTF-8.
func NewLabels(pairs ...string) *Labels {
	var none Labels
	return none.With(pairs...)
}

// With returns labels with more pairs after those of l.
func (l *Labels) With(pairs ...string) *Labels {
	n := &Labels{values: slices.Grow(slices.Clone(l.values), len(pairs)/2)}
	var b strings.Builder
	b.WriteString(l.text)
	for i := 0; i+1 < len(pairs); i += 2 {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		value := LabelValue(pairs[i+1])
		n.values = append(n.values, value)
		b.WriteString(pairs[i])
		b.WriteString(`="`)
		b.WriteString(escapeValue.Replace(value))
		b.WriteByte('"')
	}
	n.text = b.String()
	return n
}

// Append appends the values of the labels, in order.
func (l *Labels) Append(list []string) []string { return append(list, l.values...) }
