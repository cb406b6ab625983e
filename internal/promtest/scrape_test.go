package promtest_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/promtest"
)

// A Prometheus reads lagwatch in every format, and without a complaint.
func TestScrapes(t *testing.T) {
	t.Parallel()
	scene := startScene(t)
	text, om, proto := promtest.FormatText, promtest.FormatOpenMetrics, promtest.FormatProtobuf
	for _, test := range []struct {
		name  string
		flags []string
		asks  string // what the names of its rows in the contract end with
		ways  []way
	}{
		{"as it comes", nil, "", []way{
			{job: "own"},
			{"text", text, "identity"}, {"text-gzip", text, "gzip"},
			{"openmetrics", om, "identity"}, {"openmetrics-gzip", om, "gzip"},
		}},
		{"with native histograms", []string{"--enable-feature=native-histograms"}, ", native histograms", []way{
			{job: "own"},
			{"protobuf", proto, "identity"}, {"protobuf-gzip", proto, "gzip"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			relays, hosts := make(map[string]*relay), make(map[string]string)
			for _, w := range test.ways {
				relays[w.job] = startRelay(t, w, scene.URL)
				hosts[w.job] = relays[w.job].url.Host
			}
			before := read(t, scene.URL)
			server := promtest.Start(t, promtest.Config{YAML: scrapeConfig(hosts), Flags: test.flags})
			waitScraped(t, server, len(relays))
			got := make(map[string]map[string]float64)
			for job := range relays {
				got[job] = scraped(t, server, job)
			}
			want, moved := compare(t, before, read(t, scene.URL))
			t.Logf("%d series of lagwatch stand still, %d move", len(want), len(moved))
			for job, r := range relays {
				t.Run(job, func(t *testing.T) {
					checkHealth(t, server, job)
					checkCounts(t, server, r)
					maps.DeleteFunc(got[job], func(name string, _ float64) bool { return moved[name] })
					if diff := cmp.Diff(want, got[job]); diff != "" {
						t.Errorf("what Prometheus has (-page +Prometheus):\n%s", diff)
					}
					if diff := cmp.Diff(lags(), groupLags(t, server, job)); diff != "" {
						t.Errorf("the groups' names and lag (-Kafka +Prometheus):\n%s", diff)
					}
				})
			}
			t.Logf("the slowest scrape took %v s", slowest(t, server))
			for _, line := range complaints(server.Log()) {
				t.Errorf("Prometheus complains: %s", line)
			}
			t.Run("asks as the contract says", func(t *testing.T) { checkAsked(t, server, test.asks, relays["own"]) })
		})
	}
}

// The checks of TestScrapes see a page that is wrong.
func TestComplaints(t *testing.T) {
	t.Parallel()
	page := map[string]string{
		"late":  "x 1\ny 1 1000\n", // a sample of 1970
		"torn":  "x{a=\"b",
		"right": "x 1\n",
	}
	hosts := make(map[string]string)
	for job, text := range page {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", promtest.FormatText.String())
			_, _ = w.Write([]byte(text))
		}))
		t.Cleanup(server.Close)
		hosts[job] = strings.TrimPrefix(server.URL, "http://")
	}
	server := promtest.Start(t, promtest.Config{YAML: scrapeConfig(hosts)})
	waitScraped(t, server, len(hosts))
	targets, err := server.Targets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if torn := targets["torn"]; torn.Health != "down" || torn.LastError == "" {
		t.Errorf("the torn page's target is %+v", torn)
	}
	said := strings.Join(complaints(server.Log()), "\n")
	for job, host := range hosts {
		if got, want := strings.Contains(said, host), job != "right"; got != want {
			t.Errorf("a complaint of the page %q: %v, not %v; all of them:\n%s", job, got, want, said)
		}
	}
}
