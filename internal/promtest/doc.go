// Package promtest runs a real Prometheus for tests, the one that is on PATH,
// and knows how scrapers ask for a page.
package promtest
