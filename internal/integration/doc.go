// Package integration runs lagwatch against real Apache Kafka clusters. It has
// tests only; each judges the page that a scrape would get.
//
// harness_test.go and page_test.go are for all of them. The tests without tags share one cluster
// of three brokers. With a tag there is none, since those tests break theirs.
package integration
