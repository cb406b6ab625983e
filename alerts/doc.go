// Package alerts has the alert and recording rules that lagwatch ships, as a
// table in Go, and prints them for Prometheus 2.42 and later.
//
// The table is the source: lagwatch.rules.yaml and lagwatch.prometheusrule.yaml
// beside it are what [Print] makes of it with default [Options], and a test
// holds them to that. The package is pure: no clock, no files, no network.
//
// # How the expressions are written
//
// Two replicas of lagwatch may watch one cluster, and see different moments. So
// gauges are read with max by, counters with max by of increase, and nothing is
// summed over replicas.
//
// What lagwatch cannot evaluate it does not publish. An alert must not resolve
// because of that, so a condition that is not evaluated stands as it was last,
// for 15 minutes at most, while one that is evaluated counts at once; see
// holds.
//
// A window of time is a sum over the count that the full window would have,
// not an average: an average over what is there makes a short history behave
// like a short window. Prometheus 2 counts both ends of a window, 3 one of
// them, which changes such a ratio by one sample at most.
package alerts
