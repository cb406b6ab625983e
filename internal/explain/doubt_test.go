package explain

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/lagwatch/lagwatch/internal/api"
	"github.com/lagwatch/lagwatch/internal/api/apitest"
	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// calmGroup is a group that was just read, and of which all is known and nothing holds.
func calmGroup() *document.Group {
	lag, now, ago := int64(5), document.Time{}, 1.0
	d := &document.Group{
		Group: "g", Cluster: "c", Moment: document.Moment{Up: true, At: &now, AgeSeconds: &ago}, IntervalSeconds: 2,
		Verdicts: map[string]string{}, Lag: &lag, Members: []document.Member{{}},
		Estimates: document.Estimates{Drain: document.DrainOf(rates.Of(3), rates.Of(0), rates.Of(9))},
	}
	for c := range diagnosis.Conditions {
		d.Verdicts[c.String()] = "clear"
	}
	return d
}

// "no condition holds" was said, with exit status 0, of groups of which it was not known:
// after half a minute nobody can know of an outage that takes a minute to be one, nor of
// anything while Kafka is not read.
func TestDoubt(t *testing.T) {
	available, late := int64(7), 60.0
	for _, tt := range []struct {
		name     string
		change   func(*document.Group)
		headline string
		doubt    string
	}{
		{"all known", func(*document.Group) {}, "no condition holds\n", ""},
		{"what is not asked of it", func(d *document.Group) { d.Verdicts["open_transaction"] = "unknown" }, "no condition holds\n", ""},
		{"no outage that is not known", func(d *document.Group) { d.Verdicts["open_transaction"], d.ReadCommitted = "unknown", new(true) }, "no condition holds of those that can be evaluated\n", ""},
		{"a stall", func(d *document.Group) { d.Verdicts["stalled_group"] = "unknown" }, "no condition holds so far; not known yet: stalled_group\n", "g: not known yet: stalled_group"},
		{"nobody a member for how long", func(d *document.Group) {
			d.Members, d.Estimates.Drain = []document.Member{}, document.Drain{State: document.DrainUnknown}
		}, "no condition holds so far; not known yet: no_consumers\n", "g: not known yet: no_consumers"},
		{"nobody a member, and all is read", func(d *document.Group) {
			d.Members, *d.Lag, d.Estimates.Drain = []document.Member{}, 0, document.Drain{State: document.DrainUnknown}
		}, "no condition holds\n", ""},
		{"nothing committed yet", func(d *document.Group) {
			d.Lag, d.Topics = nil, []document.Topic{{States: map[string]int{"uncommitted": 2}, Available: &available}}
		}, "no condition holds so far; not known yet: never_committed\n", "g: not known yet: never_committed"},
		{"nothing committed, and nothing there", func(d *document.Group) {
			d.Lag, d.Topics = nil, []document.Topic{{States: map[string]int{"uncommitted": 2}}}
		}, "no condition holds\n", ""},
		{"something committed", func(d *document.Group) {
			d.Topics = []document.Topic{{States: map[string]int{"uncommitted": 2, "committed": 1}, Available: &available}}
		}, "no condition holds\n", ""},
		{"Kafka is down", func(d *document.Group) { d.Up, d.PollError = false, "no\nroute" }, "no condition held when the cluster was last read\n", "g: its cluster could not be read in the last poll"},
		{"no polls any more", func(d *document.Group) { d.AgeSeconds = &late }, "no condition held when the cluster was last read\n", "g: the last poll was 60 s ago"},
		{"not read yet", func(d *document.Group) { d.At, d.Up = nil, false }, "nothing can be said of it yet\n", "g: its cluster has not been read yet"},
		{"nothing evaluated", func(d *document.Group) { clear(d.Verdicts) }, "nothing can be said of it yet\n", "g: nothing can be said of it yet"},
		{"something holds", func(d *document.Group) {
			d.Up, d.Conditions = false, []document.Condition{{Condition: "rewound"}}
		}, "rewound for 0 s\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := calmGroup()
			tt.change(d)
			if got := (Page{}).headline(d); !strings.HasPrefix(got, "g in c: "+tt.headline) {
				t.Errorf("%q, want %q", got, tt.headline)
			}
			if got := Doubt(d); got != tt.doubt {
				t.Errorf("%q, want %q", got, tt.doubt)
			}
		})
	}
}

// Of a group that hangs since before the watch nothing was said of what is the matter: that
// nothing is committed.
func TestSilence(t *testing.T) {
	const note = "\nnote: nothing was committed while it was watched; "
	ago := 3.0
	for _, tt := range []struct {
		name   string
		change func(*document.GroupPartitions)
		told   bool
	}{
		{"nothing committed", func(*document.GroupPartitions) {}, true},
		{"something committed", func(d *document.GroupPartitions) { d.Partitions[1].CommitAge = &ago }, false},
		{"nothing to commit", func(d *document.GroupPartitions) { *d.Lag = 0 }, false},
		{"it is known why", func(d *document.GroupPartitions) { d.Conditions = []document.Condition{{Condition: "no_consumers"}} }, false},
		{"no stall", func(d *document.GroupPartitions) { d.Verdicts["stalled_group"] = "clear" }, false},
	} {
		d := &document.GroupPartitions{Group: *calmGroup(), Partitions: make([]document.Partition, 2)}
		d.Verdicts["stalled_group"] = "unknown"
		tt.change(d)
		if text := (Page{}).Group(d); strings.Contains(text, note) != tt.told {
			t.Errorf("%s:\n%s", tt.name, text)
		}
	}
}

// Why a cluster could not be read was said in the headline and again below.
func TestPollErrorOnce(t *testing.T) {
	d := &document.GroupPartitions{Group: *calmGroup()}
	d.Up, d.PollError = false, "no route (is Kafka there?)"
	if text := (Page{}).Group(d); strings.Count(text, d.PollError) != 1 {
		t.Errorf("of one of which nothing holds:\n%s", text)
	}
	d.Conditions = []document.Condition{{Condition: "unreadable", Sentence: "it could not be read: " + d.PollError}}
	if text := (Page{}).Group(d); strings.Count(text, d.PollError) != 1 || !strings.Contains(text, "could not read the cluster\n") {
		t.Errorf("of one with that headline:\n%s", text)
	}
}

// The conditions that must be known are conditions.
func TestOutages(t *testing.T) {
	all := calmGroup().Verdicts
	for _, name := range outages {
		if all[name] == "" {
			t.Errorf("there is no condition %s", name)
		}
	}
}

// Of a list that is longer than one answer all parts are looked at; a cluster that could
// not be read was told of, with exit status 0.
func TestDoubts(t *testing.T) {
	server := httptest.NewServer(api.New(apitest.Fixed{View: apitest.Main()}))
	defer server.Close()
	c := of(t, server.URL)
	calm := answered[document.Groups](t, "/api/v1/groups?condition=none", apitest.Fixed{View: apitest.Main()})
	for _, tt := range []struct {
		name   string
		change func(*document.Groups)
		deep   bool
		want   string
	}{
		{"a lag that may stay", func(*document.Groups) {}, false, `not known yet of "bad\\xffbyte"`},
		{"all asked for one by one", func(d *document.Groups) {
			d.Groups = slices.DeleteFunc(d.Groups, func(s document.Summary) bool { return s.Group != "audit-tail" })
			d.Total = 1
		}, true, "not known yet of audit-tail"},
		{"a first part", func(d *document.Groups) { d.Groups = d.Groups[:1]; d.Total = 8 }, false, `not known yet of "bad\\xffbyte"`},
		{"nothing", func(d *document.Groups) { d.Groups, d.Total = nil, 0 }, false, ""},
		{"a cluster down", func(d *document.Groups) { d.Clusters[0].Up = false; d.Clusters[0].PollError = "why" }, false, "main could not be read in the last poll"},
		{"a cluster not read yet", func(d *document.Groups) { d.Clusters[0].At = nil }, false, "main has not been read yet"},
		{"something holds", func(d *document.Groups) { d.Clusters[0].Up = false; d.Groups[0].Conditions = []string{"rewound"} }, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := *calm
			d.Clusters = append([]document.ClusterMoment(nil), calm.Clusters...)
			d.Groups = append([]document.Summary(nil), calm.Groups...)
			tt.change(&d)
			got, err := c.Doubts(t.Context(), &d, "", tt.deep)
			if err != nil || !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
