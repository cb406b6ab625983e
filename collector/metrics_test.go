package collector

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// The table keeps the conventions that rules, dashboards and readers count on.
func TestTable(t *testing.T) {
	snake := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	names := map[string]bool{}
	for _, m := range Metrics() {
		short, prefixed := strings.CutPrefix(m.Name, "lagwatch_")
		checks := []struct {
			ok   bool
			what string
		}{
			{prefixed && snake.MatchString(short), "name"},
			{!names[m.Name], "name is taken"},
			{m.Kind == Gauge || m.Kind == Counter, "kind"},
			{(m.Kind == Counter) == strings.HasSuffix(m.Name, "_total"), "_total is on counters, and on them only"},
			{slices.Contains([]string{"", "seconds", "offsets", "offsets per second"}, m.Unit), "unit"},
			{(m.Unit == "seconds") == regexp.MustCompile(`_seconds(_total)?$`).MatchString(m.Name), "unit seconds is in the name, and what is in seconds has the unit"},
			{(m.Unit == "offsets") == regexp.MustCompile(`_(offsets?|lag)(_total)?$`).MatchString(m.Name), "unit offsets is in the name"},
			{(m.Unit == "offsets per second") == strings.HasSuffix(m.Name, "_offsets_per_second"), "unit offsets per second is in the name"},
			{strings.HasSuffix(m.Help, ".") && !strings.Contains(m.Help, "\n"), "help is sentences on one line"},
			{strings.HasSuffix(m.Unknown, ".") && !strings.Contains(m.Unknown, "\n"), "says what unknown looks like"},
			{m.Stability == "stable" || m.Stability == "experimental", "stability"},
			{regexp.MustCompile(`^\d+\.\d+$`).MatchString(m.Since), "since"},
			{m.Name == "lagwatch_build_info" || len(m.Labels) > 0 && m.Labels[0] == "kafka_cluster", "series about Kafka begin with the cluster"},
			{!slices.Contains(m.Labels, "cluster"), "users set cluster themselves"},
			{len(m.Labels) == len(slices.Compact(slices.Sorted(slices.Values(m.Labels)))), "labels are different"},
			{!slices.ContainsFunc(m.Labels, func(l string) bool { return !snake.MatchString(l) }), "label names"},
		}
		for _, c := range checks {
			if !c.ok {
				t.Errorf("%s: %s", m.Name, c.what)
			}
		}
		names[m.Name] = true
	}
	if Gauge.String() != "gauge" || Counter.String() != "counter" {
		t.Error("kinds are not named as Prometheus names them")
	}
}

// Every state of a group is in the list of some type, once, or a group would be
// in no state at all.
func TestStatesOf(t *testing.T) {
	all := map[string]bool{}
	for _, typ := range []snapshot.GroupType{snapshot.TypeClassic, snapshot.TypeConsumer, snapshot.TypeShare, snapshot.TypeStreams} {
		seen := map[snapshot.GroupState]bool{}
		for _, s := range statesOf(typ) {
			if seen[s] || s == snapshot.StateUnknown {
				t.Errorf("%s lists %s, which is unknown or twice there", typ, s)
			}
			seen[s], all[s.String()] = true, true
		}
		for _, s := range []snapshot.GroupState{snapshot.StateEmpty, snapshot.StateStable, snapshot.StateDead} {
			if !seen[s] {
				t.Errorf("%s cannot be %s", typ, s)
			}
		}
	}
	for _, s := range snapshot.GroupStates() {
		if !all[s] {
			t.Errorf("no type can be %s", s)
		}
	}
	if statesOf(snapshot.TypeUnknown) != nil {
		t.Error("a group of unknown type has a list of states")
	}
}

// A group in a state is 1 there and 0 in every other that its type has.
func TestGroupStateSeries(t *testing.T) {
	v := newStory().poll(0, groupOf("g", change(func(g *snapshot.Group) {
		g.Type, g.State = snapshot.TypeConsumer, snapshot.StateReconciling
	})))
	got := published(v)
	for _, s := range statesOf(snapshot.TypeConsumer) {
		if n, ok := got["group_state g "+s.String()]; !ok || n != truth(s == snapshot.StateReconciling) {
			t.Errorf("%s = %v, %v", s, n, ok)
		}
	}
}

// The names of states and results are label values: they must not change.
func TestNames(t *testing.T) {
	for s, want := range map[PairState]string{
		PairUnread: "unread", PairCommitted: "committed", PairUncommitted: "uncommitted",
		PairBeyondEnd: "beyond_end", PairNoPartition: "no_partition",
	} {
		if s.String() != want {
			t.Errorf("%d is %q, want %q", s, s, want)
		}
	}
	for r, want := range map[PollResult]string{0: "unknown", PollFailed: "failed", PollPartial: "partial", PollComplete: "complete"} {
		if r.String() != want {
			t.Errorf("%d is %q, want %q", r, r, want)
		}
	}
}

// What there is to read where nothing is committed is summed over partitions.
func TestUncommittedSeries(t *testing.T) {
	v := newStory().poll(0, logOf("t", 1, ends(0, 10), ends(5, 25), ends(0, 7)), groupOf("g", members(), commits(on("t", none, none, 3))))
	if got := published(v)["group_topic_uncommitted_offsets g t"]; got != 30 {
		t.Errorf("%v offsets, want 30", got)
	}
}

// A clock that is set back makes no negative age.
func TestClockSetBack(t *testing.T) {
	w := newStory()
	w.poll(0, groupOf("g", members(), commits()))
	v := assemble(w.v, &snapshot.Snapshot{}, errTest, at(-60), w.rules)
	if got := published(v)["group_read_age_seconds g"]; got != 0 {
		t.Errorf("read %v s ago", got)
	}
}
