package collector

import (
	"fmt"
	"strings"

	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// headline reports of which groups another condition is the first to hold than was
// reported, or none any more: a line each, for the first few of a poll. A failed poll is
// reported as such, and not once more for each group.
func (r *reporter) headline(now *View) {
	if !now.Up {
		return
	}
	var n changed
	told := make(map[string]diagnosis.Condition, len(r.headlines))
	for i := range now.Groups {
		g := &now.Groups[i]
		r.tell(g.ID, &g.Diagnosis, told, &n)
	}
	for i := range now.Missing {
		g := &now.Missing[i]
		r.tell(g.ID, &g.Diagnosis, told, &n)
	}
	if n.count > maxLines {
		r.log.Info("why more groups lag has changed; lagwatch_group_condition says how", "count", n.count-maxLines, "among_them", strings.Join(n.names, ", "))
	}
	r.headlines = told
}

// changed counts the groups whose headline has changed, and names those without a line.
type changed struct {
	count int
	names []string
}

// tell reports the headline of a group if it is another than before, and notes it.
func (r *reporter) tell(group string, d *diagnosis.Diagnosis, told map[string]diagnosis.Condition, n *changed) {
	before, had := r.headlines[group]
	if len(d.Findings) == 0 {
		switch {
		case !had:
		case d.Verdicts[before] == diagnosis.Unknown:
			told[group] = before // for all that is known
		case n.line(group, "none"):
			r.log.Info("no condition holds of a group any more", "group", group, "was", before.String())
		}
		return
	}
	f := &d.Findings[0]
	told[group] = f.Condition
	if (!had || before != f.Condition) && n.line(group, f.Condition.String()) {
		r.log.Info("why a group lags", "group", group, "why", f.Condition.String(), "sentence", f.Sentence)
	}
}

// line counts a change, and tells whether there is a line for it.
func (n *changed) line(group, why string) bool {
	if n.count++; n.count <= maxLines {
		return true
	}
	if len(n.names) < maxNames {
		n.names = append(n.names, fmt.Sprintf("%q (%s)", group, why))
	}
	return false
}
