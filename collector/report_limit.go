package collector

import (
	"fmt"
	"strings"
	"time"
)

// loweredEvery is the least time between two lines about groups that were
// lowered: lags that go up and down may lower others in every poll.
const loweredEvery = time.Minute

// lowered is what the log says of groups in less detail.
type lowered struct {
	told  bool            // that there are some, and not yet that there are none
	at    time.Time       // of the view of which that was told
	since map[string]bool // lowered since, and not told
}

// detail reports which groups are shown in less detail than before because there
// are too many series, at most once in loweredEvery, and when all are shown as
// configured again.
func (r *reporter) detail(before, now *View, most int) {
	r.lowered.add(before, now)
	switch {
	case now.lowered == 0 && r.lowered.told:
		r.log.Info("max_series: all groups are shown as configured again", "max_series", most, "series", now.series)
		r.lowered.told, r.lowered.since = false, nil
	case now.Built.Sub(r.lowered.at) >= loweredEvery:
		r.tellLowered(now, most)
	}
	over := most > 0 && now.series > most
	if over && !r.over {
		r.log.Warn("max_series: there are more series even with the least detail; leave out topics or families, or raise it",
			"max_series", most, "series", now.series)
	}
	r.over = over
}

// add notes the groups that a view shows in less detail than the one before.
func (l *lowered) add(before, now *View) {
	for i := range now.Groups {
		g := &now.Groups[i]
		if g.Detail == g.shown.detail {
			continue
		}
		if p := previous(before.Groups, g.ID, groupID); p == nil || p.Detail > g.Detail {
			if l.since == nil {
				l.since = map[string]bool{}
			}
			l.since[g.ID] = true
		}
	}
}

// tellLowered names those of the groups lowered since the last line that still
// are, and counts all of them. Where none still is there is nothing to say.
func (r *reporter) tellLowered(now *View, most int) {
	var names []string
	for i := range now.Groups {
		g := &now.Groups[i]
		if len(names) < maxNames && g.Detail < g.shown.detail && r.lowered.since[g.ID] {
			names = append(names, fmt.Sprintf("%q (%s)", g.ID, g.Detail))
		}
	}
	if names == nil {
		return
	}
	r.log.Warn("max_series: groups are shown in less detail; lagwatch_group_detail_lowered says which",
		"max_series", most, "series", now.series, "groups", now.lowered, "new", len(r.lowered.since), "among_them", strings.Join(names, ", "))
	r.lowered = lowered{told: true, at: now.Built}
}
