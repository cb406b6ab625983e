package alerts

import (
	"encoding/json"
	"slices"
	"time"
)

// Severity says who is told of an alert, and how: the label severity.
type Severity string

// The severities.
const (
	Critical Severity = "critical" // wakes somebody
	Warning  Severity = "warning"  // a ticket for working hours
	Info     Severity = "info"     // to be seen by who looks
)

// severities are all of them, the most urgent first.
func severities() []Severity { return []Severity{Critical, Warning, Info} }

// held is a time that an alert waits, or stays, and the reason for it.
type held struct {
	time.Duration
	why string
}

// rule is one rule before it is printed. Its texts have placeholders between << and
// >>, see expander.
type rule struct {
	name string // of an alert in camel case, of a recorded series with colons
	why  string // what it is for, and why its thresholds are what they are: a comment
	expr string

	// Of alerts only.
	severity Severity
	pending  held // for
	keep     held // keep_firing_for
	summary  string
	text     string // the description
	when     string // for people, in a line
	panel    string // the dashboard that shows it, by its uid
	of       scope
}

// scope says what an alert is about, which is what labels it has.
type scope uint8

const (
	ofGroup   scope = iota // kafka_cluster, group
	ofCluster              // kafka_cluster
	ofTopic                // kafka_cluster, topic
	ofAll                  // none
)

func (r *rule) records() bool { return r.severity == "" }

// group is rules that Prometheus evaluates one after the other, each of which sees what
// those before it have recorded.
type group struct {
	name     string
	why      string
	interval time.Duration
	rules    []rule
}

// sampled is how often lateness is recorded: what windows are counted in.
const sampled = 30 * time.Second

// table is all of it, in the order in which it is printed.
func table() []group {
	return []group{
		{name: "lagwatch-pages", interval: sampled,
			why:   "What pages, and what that is reckoned from. The interval is part of the reckoning: windows are counted in samples of it.",
			rules: slices.Concat(recorded(), lateAlerts(), stalledAlerts(), lossAlerts(), blindAlerts())},
		{name: "lagwatch-windows", interval: 2 * time.Minute,
			why:   "The long windows of the error budget, evaluated less often for what they cost.",
			rules: longWindows()},
		{name: "lagwatch-tickets", interval: time.Minute,
			why:   "What is for working hours.",
			rules: slices.Concat(drainAlerts(), reasonAlerts(), exporterAlerts())},
		{name: "lagwatch-notes", interval: time.Minute,
			why:   "What is worth knowing, and nobody's work yet.",
			rules: noteAlerts()},
	}
}

// Alert describes one alert.
type Alert struct {
	Name     string   `json:"name"`
	Severity Severity `json:"severity"`
	// When says in a line when it fires.
	When string `json:"when"`
	// For is how long that must hold, KeepFiringFor how long it fires on after.
	For           time.Duration `json:"-"`
	KeepFiringFor time.Duration `json:"-"`
	// Labels are those by which its instances differ.
	Labels []string `json:"labels"`
	// Dashboard is the uid of the dashboard that shows it.
	Dashboard string `json:"dashboard"`
}

// MarshalJSON has the durations in seconds: for_seconds and keep_firing_for_seconds.
func (a Alert) MarshalJSON() ([]byte, error) {
	type plain Alert
	return json.Marshal(struct {
		plain
		For  float64 `json:"for_seconds"`
		Keep float64 `json:"keep_firing_for_seconds"`
	}{plain(a), a.For.Seconds(), a.KeepFiringFor.Seconds()})
}

var labels = map[scope][]string{
	ofGroup:   {"kafka_cluster", "group"},
	ofCluster: {"kafka_cluster"},
	ofTopic:   {"kafka_cluster", "topic"},
	ofAll:     {},
}

// List is every alert that Print prints with the same options, in that order. Options that
// Print refuses list what they can. The caller owns it.
func List(o Options) []Alert {
	var list []Alert
	e := o.expander()
	for _, g := range table() {
		for _, r := range g.rules {
			if r.records() || slices.Contains(o.Without, r.name) {
				continue
			}
			list = append(list, Alert{
				Name: r.name, Severity: Severity(o.severity(&r)), When: r.when,
				For: e.scaled(o.waits(&r)), KeepFiringFor: e.scaled(r.keep.Duration),
				Labels: slices.Clone(labels[r.of]), Dashboard: r.panel,
			})
		}
	}
	return list
}
