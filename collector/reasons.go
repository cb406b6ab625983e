package collector

import (
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// reasons are what the diagnoses of a group need beside the facts of a poll. Like a
// history they are handed on from view to view, and go with the group.
type reasons struct {
	memory     diagnosis.Memory
	thresholds *diagnosis.Thresholds // never changed
	expected   bool
	// coordinator is the last one known. at is when something of the group was last
	// read, positions when its positions were; 0 before.
	coordinator   snapshot.Maybe[int32]
	at, positions snapshot.Instant
}

func (r rules) newReasons(group string) *reasons {
	_, expected := slices.BinarySearch(r.expected, group)
	return &reasons{thresholds: r.thresholds(group), expected: expected}
}

// got is what the last poll could read of a group.
type got struct{ members, positions bool }

// diagnose says why the group of the facts lags, of which nothing counts that could not
// be read for longer than stale.
func (r *reasons) diagnose(g *diagnosis.Group, read got, stale time.Duration) diagnosis.Diagnosis {
	if read.positions {
		r.positions = g.Now
	}
	if read.positions || read.members {
		r.at = g.Now
	}
	d := r.memory.Observe(g, r.thresholds)
	switch {
	case g.Failed && g.Now.Sub(r.at) > stale:
		return diagnosis.Diagnosis{}
	case g.Now.Sub(r.at) > stale:
		return only(d, diagnosis.Unreadable)
	case g.Now.Sub(r.positions) > stale:
		return only(d, diagnosis.Unreadable, diagnosis.Rebalancing, diagnosis.IdleMembers)
	}
	return d
}

// only is a diagnosis in which all but some conditions are unknown. It changes nothing
// of what it is made from.
func only(d diagnosis.Diagnosis, keep ...diagnosis.Condition) diagnosis.Diagnosis {
	var out diagnosis.Diagnosis
	for _, c := range keep {
		out.Verdicts[c] = d.Verdicts[c]
	}
	for _, f := range d.Findings {
		if slices.Contains(keep, f.Condition) {
			out.Findings = append(out.Findings, f)
		}
	}
	return out
}

// obstacles say why groups could not be read, and how a person gets to Kafka.
type obstacles struct {
	bootstrap string // "" if no broker is known
	secured   bool
	cluster   string // "" if it is the only one
	all       string // why the last poll failed; "" if it did not
	groups    map[string]string
	brokers   map[int32]string // those of coordinators
}

func obstaclesOf(v *View) *obstacles {
	u := &obstacles{bootstrap: bootstrap(v.Brokers), all: v.Err}
	for i := range v.Problems {
		p := &v.Problems[i]
		broker, ok := p.Broker.Get()
		switch {
		case p.Optional:
		case p.Group != "":
			u.groups = noted(u.groups, p.Group, p.Detail)
		case ok && ofCoordinators(p.Stage):
			u.brokers = noted(u.brokers, broker, p.Detail)
		}
	}
	return u
}

// noted adds the first that is said of something.
func noted[K comparable](m map[K]string, of K, text string) map[K]string {
	if m == nil {
		m = map[K]string{}
	}
	if _, ok := m[of]; !ok {
		m[of] = text
	}
	return m
}

// ofCoordinators tells whether a stage asks brokers about the groups that they
// coordinate.
func ofCoordinators(s snapshot.Stage) bool {
	switch s {
	case snapshot.StageMetadata, snapshot.StageVersions, snapshot.StageListGroups, snapshot.StageDescribeGroups, snapshot.StageFetchOffsets:
		return true
	case snapshot.StageUnknown, snapshot.StageListOffsets, snapshot.StageDescribeConfigs, snapshot.StageListOffsetsByTime:
	}
	return false
}

// bootstrap is the address of a broker: of one that answered, if there is one.
func bootstrap(list []Broker) string {
	if i := slices.IndexFunc(list, func(b Broker) bool { return b.Up }); i >= 0 {
		return list[i].Addr
	}
	if len(list) > 0 {
		return list[0].Addr
	}
	return ""
}

// why is why not all of a group could be read: "" where it could, or nothing tells. It
// remembers who coordinates it, which nobody says while that broker does not answer.
func (u *obstacles) why(g *Group) string {
	if g.Coordinator.Known() {
		g.reasons.coordinator = g.Coordinator
	}
	if g.read.members && g.read.positions {
		return ""
	}
	if u.all != "" {
		return u.all
	}
	if text, ok := u.groups[g.ID]; ok {
		return text
	}
	id, ok := g.reasons.coordinator.Get()
	if !ok {
		return ""
	}
	return u.brokers[id]
}
