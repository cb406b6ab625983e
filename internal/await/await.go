// Package await waits for conditions in tests.
package await

import (
	"testing"
	"time"
)

// Until waits until ok returns true, asking every 20 ms, and fails the test
// when that has not happened within limit. what completes "waited 5s for …".
func Until(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(limit); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", limit, what)
		}
	}
}
