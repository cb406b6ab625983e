//go:build (breaking || soak) && !race

package integration

// raceFactor is how much longer things may take under the race detector, which
// is off.
const raceFactor = 1
