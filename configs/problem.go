package configs

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/lagwatch/lagwatch/internal/similar"
)

// problems collects everything that is wrong, in the order in which it was
// found.
type problems []error

// add notes a problem and where the value came from.
func (p *problems) add(where string, err error) {
	*p = append(*p, fmt.Errorf("%s: %w", where, err))
}

// err returns one line for all of them: a log line or a terminal shows the
// first in full, and the count says that fixing it will not be the end.
func (p problems) err() error {
	switch len(p) {
	case 0:
		return nil
	case 1:
		return p[0]
	}
	return fmt.Errorf("%w (and %d more)", p[0], len(p)-1)
}

// maxQuoted is enough to recognise a value by.
const maxQuoted = 80

// quote makes any value fit for one line of an error text.
func quote(s string) string {
	if r := []rune(s); len(r) > maxQuoted {
		return strconv.Quote(string(r[:maxQuoted])) + "…"
	}
	return strconv.Quote(s)
}

// plain returns s as it is where nothing in it needs quoting. It is for file
// names and remedies, which are easier to copy without quotes.
func plain(s string) string {
	if s == "" || strconv.Quote(s) != `"`+s+`"` {
		return strconv.Quote(s)
	}
	return s
}

var simpleKey = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// join extends the path of a mapping by one of its keys.
func join(path, key string) string {
	if !simpleKey.MatchString(key) {
		key = quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// unknownKey says what could have been meant.
func unknownKey(name string, known []Key) error {
	names := make([]string, 0, len(known))
	for _, k := range known {
		names = append(names, k.name())
	}
	if best, ok := nearest(name, names); ok {
		return fmt.Errorf("unknown key; did you mean `%s`?", best)
	}
	return errors.New("unknown key; known here: " + strings.Join(names, ", "))
}

// nearest returns the candidate with the smallest edit distance, if that is
// small for its length. Case and dashes do not count: those are the other ways
// in which people write keys.
func nearest(name string, candidates []string) (string, bool) {
	if len(name) > maxQuoted {
		return "", false
	}
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	best, least := "", 0
	for _, c := range candidates {
		d := similar.Distance(name, c)
		if d <= max(1, min(3, len(c)/3)) && (best == "" || d < least) {
			best, least = c, d
		}
	}
	return best, best != ""
}
