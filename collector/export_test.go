package collector

import (
	"strings"
	"testing"

	"github.com/lagwatch/lagwatch/collector/page"
)

// PageOf is the page of a view, for tests that cannot be in this package.
func PageOf(t *testing.T, v *View) string {
	t.Helper()
	var b strings.Builder
	text := page.NewText(&b)
	publisherOf(v).moment().write(text)
	if err := text.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
