// Package rates estimates from what polls have seen: how fast a log grows and a
// group drains it, how long the oldest unread record has been waiting, when the
// group will have caught up, and how long until unread records may be deleted.
//
// It is pure: values and instants in, values out. It reads no clock, logs nothing,
// knows neither Kafka nor Prometheus, and starts no goroutine. Nothing in it is
// safe for concurrent use of one value; different values may be used at the same
// time, while nobody calls a method of their Clock that changes it.
//
// The order of one poll: [Clock.Begin], then [Log.Observe] for every partition
// that was read, then [Pair.Observe] for every group on it, which returns what is
// estimated. What could not be read in a poll is not observed in it.
package rates
