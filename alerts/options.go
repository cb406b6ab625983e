package alerts

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lagwatch/lagwatch/internal/similar"
)

// DefaultJob is the job under which Prometheus is taken to scrape lagwatch.
const DefaultJob = "lagwatch"

// Format is what the rules are printed as.
type Format string

// The formats.
const (
	RulesFile      Format = "rules"          // a file for rule_files of Prometheus
	PrometheusRule Format = "prometheusrule" // a manifest for the Prometheus operator
)

// Options say how the rules are printed. The zero value prints the shipped rules file.
type Options struct {
	Format Format // RulesFile where empty
	// Name and Namespace are of the manifest; Name is "lagwatch" where empty, and
	// without a Namespace it has none.
	Name, Namespace string
	// Labels are put on every alert, ManifestLabels on the manifest.
	Labels, ManifestLabels map[string]string
	// Job is the label job of lagwatch, DefaultJob where empty.
	Job string
	// Selector is added to every selector: matchers of PromQL without braces, such as
	// env="prod".
	Selector string
	// Severities gives another severity to an alert, by its name, or another name to a
	// severity, by the shipped one. The alert's own comes first.
	Severities map[string]string
	// Thresholds are by their names; see [Thresholds].
	Thresholds map[string]float64
	// For is how long what an alert tells of must hold, by the alert's name.
	For map[string]time.Duration
	// Without are alerts that are left out.
	Without []string
	// RunbookURL and GrafanaURL are what links begin with. Where one is empty there are no
	// such links.
	RunbookURL, GrafanaURL string
	// TimeScale divides every duration, 1 where it is 0: for trying the rules out on a
	// time that passes faster.
	TimeScale float64
}

var (
	labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
	// A matcher is a name, an operator and a quoted string.
	matchers = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*\s*(=|!=|=~|!~)\s*"([^"\\` + "`" + `]|\\["\\])*"(\s*,\s*[a-zA-Z_][a-zA-Z0-9_]*\s*(=|!=|=~|!~)\s*"([^"\\` + "`" + `]|\\["\\])*")*$`)
)

// own are the labels that the rules themselves give.
var own = []string{"alertname", "severity", "team", "kafka_cluster", "group", "topic", "stage", "reason"}

func (o *Options) check() error {
	switch o.Format {
	case "", RulesFile, PrometheusRule:
	default:
		return fmt.Errorf("no format %q: give rules or prometheusrule", o.Format)
	}
	for _, check := range []func() error{o.checkNames, o.checkLabels, o.checkNumbers, o.checkURLs} {
		if err := check(); err != nil {
			return err
		}
	}
	if o.Selector != "" && !matchers.MatchString(o.Selector) {
		return fmt.Errorf(`selector %q is not made of matchers: give name="value", separated by commas and without braces`, o.Selector)
	}
	return nil
}

func (o *Options) checkNames() error {
	var names []string
	for _, a := range List(Options{}) {
		names = append(names, a.Name)
	}
	for _, name := range slices.Concat(o.Without, slices.Sorted(maps.Keys(o.For))) {
		if err := known("alert", name, names); err != nil {
			return err
		}
	}
	for name, as := range sorted(o.Severities) {
		all := slices.Clone(names)
		for _, s := range severities() {
			all = append(all, string(s))
		}
		if err := known("alert or severity", name, all); err != nil {
			return err
		}
		if as == "" {
			return fmt.Errorf("severity of %s is empty: give it a name", name)
		}
	}
	return nil
}

func (o *Options) checkLabels() error {
	for name := range sorted(o.Labels) {
		switch {
		case !labelName.MatchString(name):
			return fmt.Errorf("%q is no name of a label: letters, digits and underscores, no digit first", name)
		case slices.Contains(own, name):
			return fmt.Errorf("label %s is one that the rules set themselves: choose another name", name)
		}
	}
	return nil
}

func (o *Options) checkNumbers() error {
	var names []string
	for _, t := range Thresholds() {
		names = append(names, t.Name)
	}
	for name, v := range sorted(o.Thresholds) {
		if err := known("threshold", name, names); err != nil {
			return err
		}
		if t, _ := threshold(name); !(v >= t.Min && v <= 1e6) {
			return fmt.Errorf("threshold %s is %g: it has to be from %g to 1000000", name, v, t.Min)
		}
	}
	for name, d := range sorted(o.For) {
		if d < 0 || d > 7*24*time.Hour || d%time.Millisecond != 0 {
			return fmt.Errorf("the time that %s waits is %s: it has to be from 0s to 168h, in whole milliseconds", name, d)
		}
	}
	if o.TimeScale != 0 && !(o.TimeScale >= 1 && o.TimeScale <= 1000) {
		return fmt.Errorf("time scale is %g: it has to be from 1 to 1000", o.TimeScale)
	}
	return nil
}

func (o *Options) checkURLs() error {
	for name, text := range map[string]string{"runbook": o.RunbookURL, "Grafana": o.GrafanaURL} {
		if text == "" {
			continue
		}
		u, err := url.Parse(text)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.ContainsAny(text, "`{}<>") {
			return fmt.Errorf("%s base URL %q is none: give it as https://HOST/PATH", name, text)
		}
	}
	return nil
}

func known(kind, name string, all []string) error {
	if slices.Contains(all, name) {
		return nil
	}
	if like := similar.Names(name, all, 1); len(like) > 0 {
		return fmt.Errorf("no %s %q: did you mean %s?", kind, name, like[0])
	}
	return fmt.Errorf("no %s %q: there are %s", kind, name, strings.Join(all, ", "))
}

// sorted goes through a map in the order of its keys, so that the first error is always
// the same.
func sorted[V any](m map[string]V) func(yield func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

func (o *Options) severity(r *rule) string {
	if s, ok := o.Severities[r.name]; ok {
		return s
	}
	if s, ok := o.Severities[string(r.severity)]; ok {
		return s
	}
	return string(r.severity)
}

// waits is how long what an alert tells of must hold, on a time that passes as usual.
func (o *Options) waits(r *rule) time.Duration {
	if d, ok := o.For[r.name]; ok {
		return d
	}
	return r.pending.Duration
}

func (o *Options) expander() *expander {
	e := &expander{selector: o.Selector, job: o.Job, scale: o.TimeScale, thresholds: make(map[string]float64)}
	if e.job == "" {
		e.job = DefaultJob
	}
	if e.scale == 0 {
		e.scale = 1
	}
	for _, t := range Thresholds() {
		e.thresholds[t.Name] = t.Default
	}
	maps.Copy(e.thresholds, o.Thresholds)
	return e
}
