package collector

import (
	"slices"
	"strings"
	"time"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// MissingGroup is a group that is expected and that Kafka does not have: two good polls
// in succession at least have listed all groups without it.
type MissingGroup struct {
	ID string
	// Since is when the first of them ended.
	Since time.Time
	// Diagnosis says that its commits have vanished, and what to do.
	Diagnosis diagnosis.Diagnosis

	labels   *page.Labels
	owes     *page.Labels // of its objective
	families families
}

// absentee is an expected group that the last good poll did not list. It is handed on
// from view to view until the group is listed.
type absentee struct {
	id          string
	kind        snapshot.GroupType // what it was when it was last seen
	since, last time.Time          // when the first and the last poll ended that did not list it
	polls       int
	reasons     *reasons
	labels      *page.Labels
	owes        *page.Labels
	families    families
}

// polls in which a group is in no listing before it is missing. One that says nothing of
// it, without an error, is no proof.
const missingPolls = 2

// newAbsent is an expected group that was just found to be in no listing.
func (r rules) newAbsent(prev *View, id string, at time.Time) absentee {
	objective := r.objective(id)
	a := absentee{
		owes: objective.labels(),
		id:   id, since: at, reasons: r.newReasons(id),
		labels: prev.labels().With("group", id), families: r.publish.familiesOf(id, true),
	}
	if g := previous(prev.Groups, id, groupID); g != nil {
		a.kind = g.Type
	}
	return a
}

// absentees are the expected groups that a good poll did not list. Where it could not
// list all groups, it says nothing of those that it lacks.
func (r rules) absentees(prev *View, s *snapshot.Snapshot, fresh freshness) []absentee {
	if len(r.expected) == 0 {
		return nil
	}
	if !listsAll(s) {
		return stillAbsent(prev.absent, s, fresh)
	}
	var out []absentee
	for _, id := range r.expected {
		if _, listed := s.Group(id); listed {
			continue
		}
		i, known := slices.BinarySearchFunc(prev.absent, id, compareAbsent)
		var a absentee
		if known {
			a = prev.absent[i]
		} else {
			a = r.newAbsent(prev, id, s.Finished)
		}
		a.polls, a.last = a.polls+1, s.Finished
		out = append(out, a)
	}
	return out
}

// stillAbsent are those that were absent before, as far as that is not too old, and are
// not in what a poll lists; s is nil for a failed one.
func stillAbsent(before []absentee, s *snapshot.Snapshot, fresh freshness) (out []absentee) {
	for _, a := range before {
		listed := false
		if s != nil {
			_, listed = s.Group(a.id)
		}
		if !listed && fresh.since(a.last) {
			out = append(out, a)
		}
	}
	return out
}

// listsAll tells whether every group is in some listing, if it exists: every broker has
// listed its groups, and none is without a broker.
func listsAll(s *snapshot.Snapshot) bool {
	return !slices.ContainsFunc(s.Problems, func(p snapshot.Problem) bool { return p.Stage == snapshot.StageListGroups })
}

func compareAbsent(a absentee, id string) int { return strings.Compare(a.id, id) }

// missing puts into a view which groups are missing, and why that matters.
func (v *View) missing(now snapshot.Instant, why *obstacles) {
	for i := range v.absent {
		a := &v.absent[i]
		d := a.reasons.memory.Observe(&diagnosis.Group{
			ID: a.id, Bootstrap: why.bootstrap, Secured: why.secured, Cluster: why.cluster, Now: now, Interval: v.Interval, Expected: true, Missing: true, Type: a.kind,
		}, a.reasons.thresholds)
		if a.polls >= missingPolls {
			v.Missing = append(v.Missing, MissingGroup{
				a.id, a.since, only(d, diagnosis.CommitsVanished), a.labels, a.owes, a.families,
			})
		}
	}
}
