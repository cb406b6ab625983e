package testkafka

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// Require returns the jars of a Kafka version, fetching them if necessary.
//
// Where a tool is missing it skips the test and names the tool, unless the
// environment says CI=true: there a skipped test would go unnoticed, so it
// fails. Any other error fails the test too.
func Require(tb testing.TB, version string) Distribution {
	tb.Helper()
	dist, err := Ensure(tb.Context(), version)
	var missing *MissingToolError
	switch {
	case err == nil:
		return dist
	case errors.As(err, &missing) && os.Getenv("CI") != "true":
		tb.Skipf("testkafka: needs %s", strings.Join(missing.Tools, ", "))
	case errors.As(err, &missing):
		tb.Fatalf("testkafka: needs %s", strings.Join(missing.Tools, ", "))
	default:
		tb.Fatalf("testkafka: %v", err)
	}
	return Distribution{}
}
