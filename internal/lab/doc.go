// Package lab is an embedded Kafka cluster with real clients: brokers of
// [kfake] on TCP sockets of the loopback interface, and franz-go producers
// and consumers that talk to them as any application would.
//
// It has two users. The demo of lagwatch-lab plays [Scenarios], named scenes
// that each show one way in which a consumer group does well or badly. Fast
// tests use [Cluster] for a Kafka that starts in milliseconds, whose requests
// can be counted and whose brokers can be cut off, and [Producer] and
// [Consumer] for traffic of a known shape.
//
// The lab writes to Kafka, so lagwatch itself must never link it.
//
// What the embedded cluster is not: it has no replication, no streams
// groups, and answers ListOffsets by time at the granularity of a batch.
package lab
