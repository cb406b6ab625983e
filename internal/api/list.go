package api

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// order is what groups can be sorted by: a number, or false where it is not known.
type order struct {
	name string
	of   func(e *entry) (float64, bool)
}

// By name groups are sorted anyway.
var orders = []order{
	{"name", func(*entry) (float64, bool) { return 0, true }},
	{"lag", func(e *entry) (float64, bool) {
		if e.group == nil {
			return 0, false
		}
		n, ok := e.group.Lag.Get()
		return float64(n), ok
	}},
	{"age", estimate(func(e *collector.Estimates) rates.Value { return e.LagAge })},
	{"drain", estimate(func(e *collector.Estimates) rates.Value { return e.DrainSeconds })},
	{"headroom", estimate(func(e *collector.Estimates) rates.Value { return e.Headroom })},
	{"members", func(e *entry) (float64, bool) {
		if e.group == nil {
			return 0, false
		}
		m, ok := e.group.Members.Get()
		return float64(len(m.List)), ok
	}},
	{"condition", func(e *entry) (float64, bool) {
		if len(e.why.Findings) == 0 {
			return 0, true
		}
		return float64(diagnosis.Conditions - e.why.Findings[0].Condition), true
	}},
}

func estimate(of func(*collector.Estimates) rates.Value) func(*entry) (float64, bool) {
	return func(e *entry) (float64, bool) {
		if e.group == nil {
			return 0, false
		}
		return of(&e.group.Estimates).Get()
	}
}

func sortNames() (names []string) {
	for _, o := range orders {
		names = append(names, o.name)
	}
	return names
}

// keeps tells whether a group is one of those that were asked for.
func (q *query) keeps(e *entry) bool {
	label := name(e.id)
	switch {
	case q.name != "" && !strings.Contains(label, q.name),
		q.pattern != nil && !q.pattern.MatchString(label),
		q.types != nil && (e.group == nil || !slices.Contains(q.types, e.group.Type.String())):
		return false
	}
	return q.conditions == nil || slices.ContainsFunc(q.conditions, e.has)
}

// has tells whether a condition holds, by its name, or any or none.
func (e *entry) has(condition string) bool {
	switch condition {
	case anyCondition:
		return len(e.why.Findings) > 0
	case noCondition:
		return len(e.why.Findings) == 0
	}
	return slices.ContainsFunc(e.why.Findings, func(f diagnosis.Finding) bool { return f.Condition.String() == condition })
}

// choose returns the part of the groups that was asked for, in its order, and how many
// fit altogether. What is not known comes last in either order.
func (q *query) choose(views []*collector.View) (part []entry, total int) {
	type ranked struct {
		entry
		rank  float64
		known bool
	}
	i := slices.IndexFunc(orders, func(o order) bool { return o.name == q.sort })
	var all []ranked
	for _, v := range views {
		for _, e := range entries(v) {
			if q.keeps(&e) {
				rank, known := orders[i].of(&e)
				all = append(all, ranked{e, rank, known})
			}
		}
	}
	sign := 1
	if q.descending {
		sign = -1
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		switch {
		case a.known != b.known && a.known:
			return -1
		case a.known != b.known:
			return 1
		case q.sort == "name":
			return sign * compareNames(&a.entry, &b.entry)
		}
		return cmp.Or(sign*cmp.Compare(a.rank, b.rank), compareNames(&a.entry, &b.entry))
	})
	from := min(q.offset, len(all))
	for _, r := range all[from:min(from+q.limit, len(all))] {
		part = append(part, r.entry)
	}
	return part, len(all)
}

func compareNames(a, b *entry) int {
	return cmp.Or(strings.Compare(a.id, b.id), strings.Compare(a.view.Cluster, b.view.Cluster))
}
