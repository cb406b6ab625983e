package explain

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/lagwatch/lagwatch/internal/words"
	"github.com/lagwatch/lagwatch/rates"
)

// Page is how an answer is told.
type Page struct {
	// Columns is how wide it may be, but for lines to paste, which stay whole; 0 is 100, and
	// below 60 is 60. Tables take 72.
	Columns int
	// ReadKafka says that it is of a lagwatch that read Kafka for this answer only.
	ReadKafka bool
}

// width is that of the text, in columns.
func (p Page) width() int { return max(60, cmp.Or(p.Columns, 100)) }

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

// wrap breaks a text between words into lines that fit, unless a word does not. The first
// begins with first, those after it with indent.
func (p Page) wrap(first, text, indent string) string {
	return first + strings.Join(words.Wrap(clean(text), indent, p.width()-len(first)), "\n") + "\n"
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
