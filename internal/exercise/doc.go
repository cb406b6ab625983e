// Package exercise is the ownership exercise of lagwatch-lab: it shows on a real
// cluster, step by step, what happens to records while partitions change hands and
// a consumer crashes, and checks that none is lost.
//
// Events of a few orders are written to a topic, each with an operation id, keyed so
// that an order stays on one partition. Consumers of one group hand them to workers,
// which keep the order of each key and finish out of order otherwise; what is
// committed is the boundary of package boundary. The effects go to a store that
// knows the operations it has seen. Beside each step stands what lagwatch saw of the
// group meanwhile: the exercise runs lagwatch's own watcher.
//
// It writes to Kafka, so lagwatch itself must never link it.
package exercise
