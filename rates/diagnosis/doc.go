// Package diagnosis says why a group lags: which conditions hold, what proves each,
// and what to do next. It is pure: it knows a group by the facts of one poll and by
// what it remembers of the polls before.
package diagnosis
