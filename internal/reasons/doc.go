// Package reasons measures whether lagwatch says why a group lags: simulated groups to
// which something happens are watched by the collector, and what it says is counted
// beside what is true. Its test is the command: `make reasons`.
package reasons
