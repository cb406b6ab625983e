//go:build !breaking && !soak

package integration

import (
	"fmt"
	"strings"
	"time"
)

// steadyPolls is over how many polls in a row a count has to hold.
const steadyPolls = 3

// eachPoll waits until some polls in a row have each counted exactly so many
// things as unauthorized, by stage. A machine that is too busy to answer counts
// timeouts instead, which are waited out.
func (w *watching) eachPoll(want map[string]int) {
	w.t.Helper()
	var first *page
	what := ""
	defer func() {
		if what != "" {
			w.t.Logf("%s: %s", w.user, what)
		}
	}()
	w.await(w.t, 30*time.Second, fmt.Sprintf("%v unauthorized a poll", want), func(p *page) bool {
		if first == nil {
			first = p
		}
		polls := p.polls("") - first.polls("")
		what = ""
		for stage, n := range unauthorized(first, p) {
			if n != want[stage]*polls {
				what = fmt.Sprintf("%d at stage %s in %d polls, not %d a poll", n, stage, polls, want[stage])
				first = p
			}
		}
		return what == "" && polls >= steadyPolls && len(unauthorized(first, p)) == len(want)
	})
}

// unauthorized counts from one page to another, by stage.
func unauthorized(from, to *page) map[string]int {
	counts := map[string]int{}
	for _, s := range to.find("lagwatch_poll_errors_total", labels{"reason": "unauthorized"}) {
		if n := int(s.value - from.sum("lagwatch_poll_errors_total", s.labels)); n > 0 {
			counts[s.labels["stage"]] = n
		}
	}
	return counts
}

// checkLogged checks that from line number from on the log says of these things,
// and no others, that lagwatch is not authorized, once, and what to do.
func (w *watching) checkLogged(from int, things ...string) {
	w.t.Helper()
	lines := linesOf(w.log, "reason=unauthorized")[from:]
	busy := len(linesOf(w.log, "reason=timeout")) > 0 // what was away for a poll is told again
	for _, thing := range things {
		n := 0
		for _, line := range lines {
			if strings.Contains(line, thing) && strings.Contains(line, "grant DESCRIBE") {
				n++
			}
		}
		if n == 0 || n > 1 && !busy {
			w.t.Errorf("%s: %d lines say that %s is not authorized and what to do, not 1", w.user, n, thing)
		}
	}
	for _, line := range lines {
		named := false
		for _, thing := range things {
			named = named || strings.Contains(line, thing)
		}
		if !named {
			w.t.Errorf("%s: the log names something else: %s", w.user, line)
		}
	}
}

// linesOf returns the lines of a log that contain a text.
func linesOf(log *logBuffer, part string) []string {
	var list []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, part) {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}
