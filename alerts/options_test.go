package alerts_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/lagwatch/lagwatch/alerts"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// file is what Prometheus reads.
type file struct {
	Groups []struct {
		Name, Interval string
		Rules          []rule
	}
}

type rule struct {
	Alert, Record, Expr string
	For                 string
	Keep                string `yaml:"keep_firing_for"`
	Labels, Annotations map[string]string
}

func printed(t *testing.T, o alerts.Options) (text string, f file) {
	t.Helper()
	var b bytes.Buffer
	if err := alerts.Print(&b, o); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(b.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	return b.String(), f
}

func (f *file) alert(t *testing.T, name string) rule {
	t.Helper()
	for _, g := range f.Groups {
		for _, r := range g.Rules {
			if r.Alert == name {
				return r
			}
		}
	}
	t.Fatalf("no alert %s", name)
	return rule{}
}

// A wrong option ends it with one line that names the thing and the remedy, and prints
// nothing: half a file of rules would be loaded.
func TestWrongOptions(t *testing.T) {
	for name, tt := range map[string]struct {
		o    alerts.Options
		want string
	}{
		"format":           {alerts.Options{Format: "json"}, `no format "json": give rules or prometheusrule`},
		"alert left out":   {alerts.Options{Without: []string{"KafkaGroupStaled"}}, `no alert "KafkaGroupStaled": did you mean KafkaGroupStalled?`},
		"alert that waits": {alerts.Options{For: map[string]time.Duration{"LagwatchDwn": time.Minute}}, `no alert "LagwatchDwn": did you mean LagwatchDown?`},
		"waits too long":   {alerts.Options{For: map[string]time.Duration{"LagwatchDown": 1000 * time.Hour}}, `the time that LagwatchDown waits is 1000h0m0s: it has to be from 0s to 168h, in whole milliseconds`},
		"severity":         {alerts.Options{Severities: map[string]string{"critcal": "page"}}, `no alert or severity "critcal": did you mean critical?`},
		"no severity":      {alerts.Options{Severities: map[string]string{"critical": ""}}, `severity of critical is empty: give it a name`},
		"label":            {alerts.Options{Labels: map[string]string{"a-b": "c"}}, `"a-b" is no name of a label: letters, digits and underscores, no digit first`},
		"label of ours":    {alerts.Options{Labels: map[string]string{"team": "c"}}, `label team is one that the rules set themselves: choose another name`},
		"threshold":        {alerts.Options{Thresholds: map[string]float64{"age_facto": 2}}, `no threshold "age_facto": did you mean age_factor?`},
		"threshold's size": {alerts.Options{Thresholds: map[string]float64{"age_factor": 0.5}}, `threshold age_factor is 0.5: it has to be from 1 to 1000000`},
		"time scale":       {alerts.Options{TimeScale: 0.5}, `time scale is 0.5: it has to be from 1 to 1000`},
		"selector":         {alerts.Options{Selector: `{env="prod"}`}, `selector "{env=\"prod\"}" is not made of matchers: give name="value", separated by commas and without braces`},
		"runbooks":         {alerts.Options{RunbookURL: "wiki/runbooks"}, `runbook base URL "wiki/runbooks" is none: give it as https://HOST/PATH`},
		"Grafana":          {alerts.Options{GrafanaURL: "ftp://g"}, `Grafana base URL "ftp://g" is none: give it as https://HOST/PATH`},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			err := alerts.Print(&b, tt.o)
			if err == nil || err.Error() != tt.want || b.Len() > 0 {
				t.Errorf("%v, not %s; printed %d bytes", err, tt.want, b.Len())
			}
		})
	}
}

var aDuration = regexp.MustCompile(`\b(\d+)(ms|s|m|h|d)\b`)

func durations(t *testing.T, text string) (out []time.Duration) {
	t.Helper()
	unit := map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	for _, m := range aDuration.FindAllStringSubmatch(text, -1) {
		n, err := time.ParseDuration(m[1] + "ns")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n*unit[m[2]])
	}
	return out
}

// The time scale divides every duration, whatever it is in, and nothing else: counts of
// samples and thresholds stay.
func TestTimeScale(t *testing.T) {
	const scale = 20
	_, usual := printed(t, alerts.Options{})
	_, fast := printed(t, alerts.Options{TimeScale: scale})
	seen := 0
	for i, g := range usual.Groups {
		for j, r := range g.Rules {
			f := fast.Groups[i].Rules[j]
			for _, pair := range [][2]string{
				{g.Interval, fast.Groups[i].Interval}, {r.Expr, f.Expr}, {r.For, f.For}, {r.Keep, f.Keep}, {r.Annotations["summary"], f.Annotations["summary"]}, {r.Annotations["description"], f.Annotations["description"]},
			} {
				was, is := durations(t, pair[0]), durations(t, pair[1])
				seen += len(was)
				for k := range was {
					was[k] /= scale
				}
				if diff := cmp.Diff(was, is); diff != "" {
					t.Errorf("%s%s (-divided +printed):\n%s", r.Alert, r.Record, diff)
				}
				if a, b := aDuration.ReplaceAllString(pair[0], "T"), aDuration.ReplaceAllString(pair[1], "T"); a != b {
					t.Errorf("%s%s changed elsewhere:\n%s\n%s", r.Alert, r.Record, a, b)
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d durations: some are not found", seen)
	}
}

func TestOptions(t *testing.T) {
	text, f := printed(t, alerts.Options{
		Labels: map[string]string{"tier": "1"}, Severities: map[string]string{"critical": "page", "KafkaGroupHotPartition": "urgent"},
		Thresholds: map[string]float64{"age_factor": 3.5}, For: map[string]time.Duration{"KafkaGroupNoConsumers": 10 * time.Minute, "LagwatchBlind": 0},
		Without: []string{"KafkaGroupRewound"}, RunbookURL: "https://r.example.com/x/", GrafanaURL: "https://g.example.com", Job: "lw", Selector: `env="p%d"`,
	})
	late := f.alert(t, "KafkaGroupLagAgeHigh")
	if !strings.Contains(late.Expr, "3.5 * max") || late.Labels["severity"] != "page" || late.Labels["tier"] != "1" {
		t.Errorf("%+v", late)
	}
	if got := late.Annotations["runbook_url"]; got != "https://r.example.com/x/KafkaGroupLagAgeHigh.md" {
		t.Errorf("runbook %s", got)
	}
	if got := late.Annotations["dashboard_url"]; got != "https://g.example.com/d/lagwatch-group?var-cluster={{ $labels.kafka_cluster | urlquery }}&var-group={{ $labels.group | urlquery }}" {
		t.Errorf("dashboard %s", got)
	}
	if hot := f.alert(t, "KafkaGroupHotPartition"); hot.Labels["severity"] != "urgent" {
		t.Errorf("severity %s", hot.Labels["severity"])
	}
	if none := f.alert(t, "KafkaGroupNoConsumers"); none.For != "10m" {
		t.Errorf("waits %s", none.For)
	}
	if blind := f.alert(t, "LagwatchBlind"); blind.For != "" {
		t.Errorf("waits %s", blind.For)
	}
	if down := f.alert(t, "LagwatchDown"); down.Expr != `absent(up{job="lw",env="p%d"} == 1)` {
		t.Errorf("down: %s", down.Expr)
	}
	if strings.Contains(text, "KafkaGroupRewound") {
		t.Error("what is left out is there")
	}
	// In a printf a percent sign of the selector is doubled.
	if bare, doubled := strings.Count(text, `env="p%d"`), strings.Count(text, `env="p%%d"`); bare < 30 || doubled < 100 {
		t.Errorf("the selector is there %d times in expressions, %d times in texts", bare, doubled)
	}
	if _, plain := printed(t, alerts.Options{}); plain.alert(t, "LagwatchDown").Annotations["runbook_url"] != "" {
		t.Error("a link without a base URL")
	}
}

// told are the conditions that have no alert of their own, and why.
var told = map[diagnosis.Condition]string{
	diagnosis.SlowMember:     "a reason of KafkaGroupNeverDrains and the others that say how late, told in their texts",
	diagnosis.SlowDependency: "the same",
	diagnosis.CatchingUp:     "good news",
	diagnosis.Standalone:     "no trouble: somebody commits without being a member",
}

// No condition is forgotten, and none is misspelt.
func TestEachConditionHasItsAlert(t *testing.T) {
	text, _ := printed(t, alerts.Options{})
	named := regexp.MustCompile(`condition="([a-z_]+)"`).FindAllStringSubmatch(text, -1)
	var found []string
	for _, m := range named {
		found = append(found, m[1])
	}
	for c := range diagnosis.Conditions {
		at := slices.Index(found, c.String())
		if _, reason := told[c]; (at < 0) != reason {
			t.Errorf("%s: in the rules %v, a reason why not %v", c, at >= 0, reason)
		}
		found = slices.DeleteFunc(found, func(s string) bool { return s == c.String() })
	}
	if len(found) > 0 {
		t.Errorf("there are no conditions %q", found)
	}
}

// Every time that an alert waits, or stays, has its reason beside it, and every alert says
// what it is.
func TestAlertsSayWhy(t *testing.T) {
	text, f := printed(t, alerts.Options{})
	for line := range strings.Lines(text) {
		if l := strings.TrimSpace(line); (strings.HasPrefix(l, "for: ") || strings.HasPrefix(l, "keep_firing_for: ")) && !strings.Contains(l, " # ") {
			t.Errorf("without a reason: %s", l)
		}
	}
	for _, g := range f.Groups {
		for _, r := range g.Rules {
			if r.Alert == "" {
				continue
			}
			if r.Labels["severity"] == "" || len(r.Annotations["summary"]) < 20 || !strings.Contains(r.Annotations["description"], "First: ") && !strings.Contains(r.Annotations["description"], "lagwatch explain") {
				t.Errorf("%s: %v", r.Alert, r.Annotations)
			}
		}
	}
}

// What is listed is what is printed.
func TestList(t *testing.T) {
	o := alerts.Options{Severities: map[string]string{"critical": "page"}, Without: []string{"LagwatchDown"}, TimeScale: 2, For: map[string]time.Duration{"LagwatchBlind": 4 * time.Minute}}
	_, f := printed(t, o)
	var want, got []string
	for _, g := range f.Groups {
		for _, r := range g.Rules {
			if r.Alert != "" {
				want = append(want, strings.Join([]string{r.Alert, r.Labels["severity"], r.For, r.Keep}, " "))
			}
		}
	}
	told := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return alerts.FormatDuration(d)
	}
	for _, a := range alerts.List(o) {
		got = append(got, strings.Join([]string{a.Name, string(a.Severity), told(a.For), told(a.KeepFiringFor)}, " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-printed +listed:\n%s", diff)
	}
}

// A ticket that stayed longer than the page that silences it would come when the trouble
// is over.
func TestTicketsEndBeforePages(t *testing.T) {
	shortest := time.Hour
	for _, a := range alerts.List(alerts.Options{}) {
		if a.Severity == alerts.Critical && slices.Contains(a.Labels, "group") {
			shortest = min(shortest, a.KeepFiringFor)
		}
	}
	for _, a := range alerts.List(alerts.Options{}) {
		// That of a day's lateness is true of an outage as well.
		if a.Severity != alerts.Critical && slices.Contains(a.Labels, "group") && a.KeepFiringFor >= shortest && a.Name != "KafkaGroupLagBudgetBurnSlow" {
			t.Errorf("%s stays for %s, and a page for %s", a.Name, a.KeepFiringFor, shortest)
		}
	}
}
