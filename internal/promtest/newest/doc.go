// Package newest reads lagwatch's pages with the parsers of the newest
// Prometheus. It is a module of its own, so that Prometheus is no dependency of
// lagwatch, and takes lagwatch as what it is to a Prometheus: an address.
package newest
