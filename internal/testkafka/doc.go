// Package testkafka runs real Apache Kafka clusters for tests.
//
// [Start] fetches a Kafka version once, formats brokers in combined KRaft mode
// (before Kafka 3.3 it starts a ZooKeeper server for them) on free loopback
// ports and returns when all of them serve. A [Cluster] can kill, stop, freeze,
// restart and upgrade its brokers, and can count the requests that a
// client sent, read from the brokers' own request logs. A [Driver] is one Java
// process with Kafka's own clients that creates topics, produces, consumes and
// reports who owns what, so that a test can compare lagwatch with Kafka itself.
//
// Beside the plaintext listener a cluster may have listeners with TLS and SASL,
// and an authorizer whose decisions [Cluster.Authorizations] reads.
//
// The package needs java and javac 17 or later and, for the first fetch of a
// version, mvn. [Require] skips a test by name where they are missing.
//
// No process outlives the test: on Linux the kernel kills every child when the
// test process ends, whatever ended it. Other Unix systems lack that, and there
// only [Cluster.Close] ends them.
package testkafka
