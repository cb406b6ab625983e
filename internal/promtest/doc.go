// Package promtest runs a real Prometheus for tests, and a real Alertmanager
// with somebody to notify, those that are on PATH; and it knows how scrapers
// ask for a page.
package promtest
