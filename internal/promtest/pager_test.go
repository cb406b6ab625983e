package promtest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/promtest"
)

// An alert goes the whole way: a rule that Prometheus evaluates, the Alertmanager
// that it tells, the pager that is told in turn.
func TestAnAlertReachesThePager(t *testing.T) {
	t.Parallel()
	pager := promtest.StartPager(t)
	manager := promtest.StartAlertmanager(t, `
route: {receiver: night, group_by: [alertname], group_wait: 10ms}
receivers:
  - name: night
    webhook_configs: [{url: "`+pager.URL+`/night"}]
`)
	promtest.Start(t, promtest.Config{
		// Prometheus finds its Alertmanager within some seconds; what it had to say
		// before is said again.
		Flags: []string{"--rules.alert.resend-delay=1s"},
		YAML: `
global: {evaluation_interval: 1s}
rule_files: [rules.yml]
alerting: {alertmanagers: [{static_configs: [{targets: ["` + manager.Address() + `"]}]}]}
`,
		Files: map[string]string{"rules.yml": `
groups: [{name: g, rules: [{alert: Always, expr: vector(7), labels: {severity: critical}, annotations: {summary: "it is {{ $value }}"}}]}]
`},
	})
	await.Until(t, 30*time.Second, "a notification", func() bool { return len(pager.Notifications()) > 0 })
	n := pager.Notifications()[0]
	if n.To != "night" || n.Receiver != "night" || n.Status != "firing" || n.GroupKey == "" || n.At.IsZero() || len(n.Alerts) != 1 {
		t.Fatalf("%+v", n)
	}
	a := n.Alerts[0]
	want := map[string]string{"alertname": "Always", "severity": "critical"}
	if d := cmp.Diff(want, a.Labels); d != "" || a.Annotations["summary"] != "it is 7" || a.StartsAt.IsZero() || !a.EndsAt.IsZero() {
		t.Errorf("labels (-want +got):\n%s%+v", d, a)
	}
}

// What is no notification is refused, so that Alertmanager tells again and logs it.
func TestPagerRefusesWhatIsNone(t *testing.T) {
	pager := promtest.StartPager(t)
	r, err := http.Post(pager.URL+"/x", "application/json", strings.NewReader("{"))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusBadRequest || len(pager.Notifications()) > 0 {
		t.Errorf("HTTP status %s, %v", r.Status, pager.Notifications())
	}
}
