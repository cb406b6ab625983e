//go:build (breaking || soak) && race

package integration

// raceFactor is how much longer things may take under the race detector.
const raceFactor = 4
