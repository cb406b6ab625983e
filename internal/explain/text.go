package explain

import (
	"strings"
	"unicode"

	"github.com/lagwatch/lagwatch/internal/words"
	"github.com/lagwatch/lagwatch/rates"
)

// width is that of the text, in columns, but for lines to paste, which stay whole.
const width = 100

// clean leaves out of a text of somebody else what moves a cursor.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsGraphic(r) {
			return '�'
		}
		return r
	}, s)
}

// wrap breaks a text between words, so that no line is longer than width unless a word
// is. Lines after the first begin with indent.
func wrap(text, indent string) string {
	return strings.Join(words.Wrap(clean(text), indent, width), "\n")
}

// value is an estimate of a document.
func value(n *float64) rates.Value {
	if n == nil {
		return rates.Value{}
	}
	return rates.Of(*n)
}

// whole is a number of a document.
type whole struct{ n *int64 }

// Get returns it, and whether it is known.
func (w whole) Get() (int64, bool) {
	if w.n == nil {
		return 0, false
	}
	return *w.n, true
}

func number(n *int64) string { return words.Number(whole{n}) }

// or is a word, or the one for what is not known.
func or(s string) string {
	if s == "" {
		return words.Unknown
	}
	return words.Printable(s)
}

// lasted is for how long something has been, in words.
func lasted(seconds float64) string { return words.Age(rates.Of(seconds)) }

// plural is a number of something.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return words.Number(whole{ref(int64(n))}) + " " + more
}

func ref(n int64) *int64 { return &n }
