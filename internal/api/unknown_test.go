package api

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/api/apitest"
	"github.com/lagwatch/lagwatch/internal/api/document"
)

// A missing group had 0 topics, rewinds and rebalances, one of which no position was read
// had 0 partitions, and a classic one 0 epochs: what is not known is left out.
func TestUnknownIsLeftOut(t *testing.T) {
	members := func(target string) []string {
		return slices.Sorted(maps.Keys(get[map[string]any](t, fixed(), target, http.StatusOK)))
	}
	if d := cmp.Diff([]string{"age_seconds", "at", "cluster", "conditions", "group", "interval_seconds", "missing", "up", "verdicts"}, members("/api/v1/groups/nightly-export")); d != "" {
		t.Errorf("a group that is not there (-want +got):\n%s", d)
	}
	for _, name := range members("/api/v1/groups/unreadable") {
		if slices.Contains([]string{"topics", "partitions", "members", "lag_offsets", "read_at", "state"}, name) {
			t.Errorf("of a group that could not be read there is %q", name)
		}
	}
	for _, s := range get[document.Groups](t, fixed(), "/api/v1/groups?cluster=main", http.StatusOK).Groups {
		if known := s.Group != "unreadable" && !s.Missing; (s.Topics != nil) != known || (s.Partitions != nil) != known || (s.Complete != nil) == s.Missing {
			t.Errorf("%q: topics %v, partitions %v, complete %v", s.Group, s.Topics, s.Partitions, s.Complete)
		}
	}
	if r := get[document.GroupPartitions](t, fixed(), "/api/v1/groups/shared?cluster=main", http.StatusOK).Ownership.Rebalances; len(r) != 2 {
		t.Errorf("rebalances of a classic group: %v", r)
	}
}

// The arrival of a group that reads committed records was that of the last stable offsets,
// and its partitions' that of the ends, under one name.
func TestArrivalsAddUp(t *testing.T) {
	for _, group := range []string{"order-fulfilment", "refunds"} {
		d, sum := get[document.GroupPartitions](t, fixed(), "/api/v1/groups/"+group, http.StatusOK), 0.0
		for _, p := range d.Partitions {
			sum += *p.Arrival
		}
		if *d.Estimates.Arrival != sum || *d.Topics[0].Estimates.Arrival != sum {
			t.Errorf("%s: %v arrive, and %v on its partitions", group, *d.Estimates.Arrival, sum)
		}
	}
}

// A cluster that was never read had 0 topics, groups and brokers, and a topic that could
// not be read no partitions.
func TestWhatWasNeverReadIsLeftOut(t *testing.T) {
	list := get[document.Clusters](t, fixed(), "/api/v1/clusters", http.StatusOK).Clusters
	if c := list[2]; c.Topics != nil || c.Groups != nil || c.Missing != nil || c.WithCondition != nil || c.Brokers != nil || c.Problems != nil || c.PollSeconds != nil {
		t.Errorf("a cluster that was never read: %+v", c)
	}
	if c := list[1]; *c.Groups != 1 || *c.Topics != 1 || *c.WithCondition != 0 || c.Brokers == nil || c.Problems == nil {
		t.Errorf("one that was read once: %+v", c)
	}
	v := *apitest.Main()
	v.Topics = slices.Clone(v.Topics)
	v.Topics[2].Partitions, v.Topics[2].Arrivals, v.Topics[2].StableArrivals = nil, nil, nil
	topic := get[map[string]any](t, New(apitest.Fixed{View: &v}), "/api/v1/topics/orders", http.StatusOK)
	if topic["partitions"] != nil || topic["partition_count"] != nil || topic["groups_total"] != 2.0 {
		t.Errorf("a topic that could not be read: %v", topic)
	}
}

// While a group rebalanced, a member of which it is not known what it owns had 0
// partitions, and a partition of which it is not known who owns it nobody.
func TestUnknownOwnersAreLeftOut(t *testing.T) {
	d := get[document.GroupPartitions](t, fixed(), "/api/v1/groups/audit-tail", http.StatusOK)
	if known := d.Members[0]; *known.Owned != 1 || len(known.Partitions) != 1 || !known.LastKnown || !d.Partitions[0].OwnersLastKnown {
		t.Errorf("what is known from before: %+v", known)
	}
	if unknown := d.Members[1]; unknown.Owned != nil || unknown.Partitions != nil || unknown.LastKnown || d.Partitions[1].Owners != nil {
		t.Errorf("what is not known: %+v, %v", unknown, d.Partitions[1].Owners)
	}
	d = get[document.GroupPartitions](t, fixed(), "/api/v1/groups/order-fulfilment", http.StatusOK)
	if idle := d.Members[2]; *idle.Owned != 0 || idle.Partitions == nil || idle.LastKnown {
		t.Errorf("a member that owns nothing: %+v", idle)
	}
	d = get[document.GroupPartitions](t, fixed(), "/api/v1/groups/shared?cluster=main", http.StatusOK)
	if d.Partitions[0].Owners == nil {
		t.Error("it is not known that nobody owns a partition of an empty group")
	}
}
