package testkafka

import (
	"fmt"
	"regexp"
	"strconv"
)

// DefaultVersion is the Apache Kafka version that [Start] runs when
// [Options].Version is empty.
const DefaultVersion = "4.4.0"

// release is a parsed Kafka version, of which only the order matters here.
type release struct{ major, minor, patch int }

var releasePattern = regexp.MustCompile(`^(\d+)\.(\d+)\.(\d+)$`)

// parseRelease accepts exactly MAJOR.MINOR.PATCH. It is strict because the text
// becomes part of a path and of a pom.
func parseRelease(version string) (release, error) {
	m := releasePattern.FindStringSubmatch(version)
	if m == nil {
		return release{}, fmt.Errorf("kafka version %q: want MAJOR.MINOR.PATCH", version)
	}
	var n [3]int
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(m[i+1]); err != nil {
			return release{}, fmt.Errorf("kafka version %q: %w", version, err)
		}
	}
	return release{n[0], n[1], n[2]}, nil
}

// atLeast reports whether r is major.minor or later.
func (r release) atLeast(major, minor int) bool {
	return r.major > major || r.major == major && r.minor >= minor
}
