package api

import (
	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// condition is one that holds.
type condition = diagnosis.Finding

// entry is a group of a cluster: one that is there, or one that is missing.
type entry struct {
	view  *collector.View
	id    string
	group *collector.Group // nil where it is missing
	why   *diagnosis.Diagnosis
}

// entries are all groups of a view, and those that it misses.
func entries(v *collector.View) []entry {
	out := make([]entry, 0, len(v.Groups)+len(v.Missing))
	for i := range v.Groups {
		g := &v.Groups[i]
		out = append(out, entry{v, g.ID, g, &g.Diagnosis})
	}
	for i := range v.Missing {
		m := &v.Missing[i]
		out = append(out, entry{v, m.ID, nil, &m.Diagnosis})
	}
	return out
}

// path is where a group's document is.
func (e *entry) path() string { return document.GroupPath(name(e.id), name(e.view.Cluster)) }

// summary is the group as lists have it.
func (e *entry) summary() document.Summary {
	s := document.Summary{
		Cluster: name(e.view.Cluster), Group: name(e.id), Path: e.path(), Missing: e.group == nil,
		Conditions: names(e.why.Findings),
	}
	if len(e.why.Findings) > 0 {
		headline := &e.why.Findings[0]
		s.Since, s.Sentence = moment(wall(e.view, headline.Since)), headline.Sentence
	}
	g := e.group
	if g == nil {
		return s
	}
	s.Type, s.State = known(g.Type.String()), known(g.State.String())
	if m, ok := g.Members.Get(); ok {
		n := len(m.List)
		s.Members = &n
	}
	partitions := 0
	for i := range g.Topics {
		partitions += len(g.Topics[i].Pairs)
	}
	s.Topics, s.Partitions = counted(len(g.Topics), g.PositionsKnown()), counted(partitions, g.PositionsKnown())
	s.Complete, s.Lag = &g.Complete, number(g.Lag)
	s.Estimates = groupEstimates(g)
	return s
}

// clusterMoment is when and whether the cluster was read.
func (h *Handler) clusterMoment(v *collector.View) document.Moment {
	return document.Moment{Up: v.Up, PollError: v.Err, At: moment(v.Built), AgeSeconds: ago(v.Built, h.now())}
}
