package promtest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/promtest"
	"github.com/lagwatch/lagwatch/internal/promtest/settled"
)

// scrapeTimeout bounds how long a Prometheus may take for a few scrapes.
const scrapeTimeout = 30 * time.Second

// complaints are the lines that warn or say more, and all of scraping: when all
// is well, it has nothing to say on any level. A Prometheus that starts and
// scrapes has no such line at all.
func complaints(log []promtest.LogLine) []string {
	var lines []string
	for _, l := range log {
		if l.Level == "warn" || l.Level == "error" || l.Component == "scrape manager" {
			lines = append(lines, l.Text)
		}
	}
	return lines
}

// waitScraped waits until each of so many targets has been scraped twice: the
// first and later scrapes go different ways through Prometheus.
func waitScraped(t *testing.T, server *promtest.Server, targets int) {
	t.Helper()
	await.Until(t, scrapeTimeout, "two scrapes of each target", func() bool {
		v, err := server.Query(t.Context(), "count_over_time(up[1h]) >= 2")
		if err != nil {
			t.Fatal(err)
		}
		return len(v) == targets
	})
}

func slowest(t *testing.T, server *promtest.Server) float64 {
	t.Helper()
	v, err := server.Query(t.Context(), "max(max_over_time(scrape_duration_seconds[1h]))")
	if err != nil || len(v) != 1 {
		t.Fatal(v, err)
	}
	return float64(v[0].Value)
}

// scraped are lagwatch's series as a job has them now.
func scraped(t *testing.T, server *promtest.Server, job string) map[string]float64 {
	t.Helper()
	v, err := server.Query(t.Context(), `{job="`+job+`"}`)
	if err != nil {
		t.Fatal(err)
	}
	return series(v)
}

// compare returns the series that have one value on two pages, and which others
// there are. All that a poll brings is among the first.
func compare(t *testing.T, before, after map[string]float64) (still map[string]float64, moved map[string]bool) {
	t.Helper()
	still, moved = make(map[string]float64), make(map[string]bool)
	for name, value := range before {
		if now, ok := after[name]; ok && now == value {
			still[name] = value
		} else {
			moved[name] = true
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			moved[name] = true
		}
	}
	for name := range moved {
		if strings.HasPrefix(name, "lagwatch_group_") || strings.HasPrefix(name, "lagwatch_partition_") {
			t.Errorf("%s moves: the cluster has not settled", name)
		}
	}
	return still, moved
}

func checkHealth(t *testing.T, server *promtest.Server, job string) {
	t.Helper()
	targets, err := server.Targets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := targets[job]; got.Health != "up" || got.LastError != "" {
		t.Errorf("health %q, last error %q", got.Health, got.LastError)
	}
}

// checkCounts compares how many samples Prometheus found in each page with how
// many there were.
func checkCounts(t *testing.T, server *promtest.Server, r *relay) {
	t.Helper()
	m, err := server.QueryRange(t.Context(), `scrape_samples_scraped{job="`+r.way.job+`"}[1h]`)
	if err != nil {
		t.Fatal(err)
	}
	if len(m) != 1 {
		t.Fatalf("%d series of scrape_samples_scraped", len(m))
	}
	var got []int
	for _, s := range m[0].Values {
		got = append(got, int(s.Value))
	}
	want, err := r.counts()
	if err != nil {
		t.Fatal(err)
	}
	// Pages may have gone by since Prometheus was asked.
	if diff := cmp.Diff(want[:min(len(want), len(got))], got); diff != "" {
		t.Errorf("samples scraped (-pages +Prometheus):\n%s", diff)
	}
}

// lags are the lags of the groups of the settled cluster, by their labels.
func lags() map[string]float64 {
	want := make(map[string]float64)
	for i, group := range settled.Groups() {
		want[group.Label] = float64(i + 1)
	}
	for _, group := range settled.Members() {
		want[group.Label] = 0
	}
	return want
}

func groupLags(t *testing.T, server *promtest.Server, job string) map[string]float64 {
	t.Helper()
	v, err := server.Query(t.Context(), `lagwatch_group_lag{job="`+job+`"}`)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]float64)
	for _, s := range v {
		got[string(s.Metric["group"])] = float64(s.Value)
	}
	return got
}

// checkAsked compares what a Prometheus asked for with the contract's row for its
// version.
func checkAsked(t *testing.T, server *promtest.Server, suffix string, r *relay) {
	t.Helper()
	var build struct {
		Version string `json:"version"`
	}
	if err := server.Get(t.Context(), "status/buildinfo", nil, &build); err != nil {
		t.Fatal(err)
	}
	minor := strings.Join(strings.SplitN(build.Version, ".", 3)[:2], ".")
	name := "Prometheus " + minor + suffix
	rows := promtest.Accepts()
	i := slices.IndexFunc(rows, func(a promtest.Accept) bool { return a.Name == name })
	if i < 0 {
		t.Skipf("the contract has no row named %s", name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if diff := cmp.Diff(rows[i].Header, r.asked); diff != "" {
		t.Errorf("what %s asks for (-contract +Prometheus):\n%s", name, diff)
	}
}
