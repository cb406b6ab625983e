// Package paging shows with a real Prometheus and a real Alertmanager what
// on-call gets: which trouble pages, how soon and how often, what a page says,
// and what does not page. It has tests only, behind the build tag paging, since
// they take minutes.
//
// All that takes time passes ten times as fast as it would: how often lagwatch
// polls and Prometheus scrapes, the thresholds of conditions, the objectives,
// every duration of the shipped rules and of the example for Alertmanager. So a
// wait of five minutes is one of thirty seconds, and windows above an hour are
// left to promtool. The traffic is that of an embedded cluster and passes as
// usual: to the rest its members take their time.
package paging
