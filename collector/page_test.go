package collector

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/buildinfo"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

var update = flag.Bool("update", false, "write the golden pages instead of comparing with them")

var testBuild = buildinfo.Info{Version: "1.2.3", Revision: "0123abc", Go: "go1.26.0"}

// registryOf is a registry that checks everything it gathers, over views that
// some watchers hold.
func registryOf(views ...*View) *prometheus.Registry {
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(&Collector{publisherOf(views...)})
	return r
}

// publisherOf shows some views.
func publisherOf(views ...*View) *Publisher {
	watchers := make([]*Watcher, len(views))
	for i, v := range views {
		watchers[i] = New(nil, Options{Cluster: v.Cluster, Interval: 10 * time.Second})
		watchers[i].view.Store(v)
	}
	p := NewPublisher(testBuild, watchers...)
	p.now = func() time.Time { return time.Time{} } // before any view could be old
	return p
}

func gather(t *testing.T, views ...*View) []*dto.MetricFamily {
	t.Helper()
	families, err := registryOf(views...).Gather()
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// pageOf is the page in Prometheus's text format.
func pageOf(t *testing.T, views ...*View) []byte {
	t.Helper()
	var b bytes.Buffer
	text := page.NewText(&b)
	publisherOf(views...).moment().write(text)
	if err := text.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pages are the views that the golden files show.
func pages() map[string][]*View {
	rich := richStory(Options{})
	few := richStory(Options{MaxSeries: 175, Publish: func(group, family string, byDefault bool) bool {
		return byDefault && family != "partition_start_offset" && family != "group_condition" && (group != "billing" || family != "group_partition_owner")
	}})
	all := richStory(Options{Publish: func(string, string, bool) bool { return true }})
	estimated := newStoryWith(Options{Publish: allFamilies}).every(0, 300, func(sec float64) []part {
		return append(reads("catching-up", "clicks", sec, flow{120, 150, 18_000}, flow{80, 80, 0}),
			reads("falling-behind", "orders", sec, flow{120, 100, 1000}, flow{10, 50, 20_000})...)
	})
	// How far the bounds are is for the tests of rates, and no matter of a page.
	bounded := previous(estimated.Groups, "catching-up", groupID)
	bounded.Estimates.DrainLow, bounded.Estimates.DrainHigh = rates.Of(250), rates.Of(375.25)
	missing := newStoryWith(Options{Expected: []string{"gone", "here"}})
	for _, sec := range []float64{0, 10} {
		missing.poll(sec, groupOf("here", members(), commits()))
	}
	outage := newStory()
	outage.poll(0, logOf("orders", 1, ends(0, 100)), groupOf("g", members(member("m", owns("orders", 0))),
		commits(on("orders", 90)), change(func(g *snapshot.Group) { g.Coordinator = snapshot.Maybe[int32]{} })))
	return map[string][]*View{
		"before_first_poll": {firstView("main")},
		"rich":              {rich.v},
		"rich_limited":      {few.v},
		"rich_all_families": {all.v},
		"estimates":         {estimated},
		"ownership":         {ownershipStory()},
		"outage_young":      {outage.fail(10)},
		"outage_old":        {outage.fail(60)},
		"missing":           {missing.v},
		"two_clusters":      {newStory().poll(0, groupOf("g", members(), commits())), firstView("other")},
	}
}

// richStory is two polls of a cluster that has one of everything.
func richStory(o Options) *story {
	w := newStoryWith(o)
	typed := func(t snapshot.GroupType, s snapshot.GroupState, generation int32) groupPart {
		return change(func(g *snapshot.Group) {
			if g.Type, g.State = t, s; generation > 0 {
				g.Generation = snapshot.Known(generation)
			}
		})
	}
	brokers := func(s *snapshot.Snapshot) {
		s.Brokers = []snapshot.Broker{{ID: 1, Addr: "a:9092", Answered: snapshot.Known(true)}, {ID: 2, Addr: "b:9092", Answered: snapshot.Known(false)}}
		s.Requests = map[string]int{"Metadata": 1, "ListGroups": 2, "OffsetFetch": 2, "ListOffsets": 4}
		s.Problems = []snapshot.Problem{{Stage: snapshot.StageListOffsets, Reason: snapshot.ReasonTimeout, Broker: snapshot.Known(int32(2)), Count: 1}}
	}
	billing := groupOf("billing", members(member("m1", owns("orders", 0, 1), owns("payments", 0)), member("m2")),
		commits(on("orders", 90, none, 600), on("payments", 5), on("removed", 7)),
		typed(snapshot.TypeClassic, snapshot.StateStable, 41))
	rest := parts(
		groupOf("audit", members(), commits(on("payments", 1)), typed(snapshot.TypeConsumer, snapshot.StateEmpty, 3)),
		groupOf("jobs", members(member("w1", owns("payments", 0)), member("w2", owns("payments", 0))),
			shares(sharedOn("payments", 3, position(3, 2))), typed(snapshot.TypeShare, snapshot.StateStable, 5)),
		groupOf("joins", nothingKnown(), typed(snapshot.TypeStreams, snapshot.StateNotReady, 0)),
		groupOf("ledger", members(), commits(on("payments", 2)), readCommitted(), typed(snapshot.TypeConsumer, snapshot.StateEmpty, 9)),
		groupOf("unknown", nothingKnown(), change(func(g *snapshot.Group) { g.Type, g.ProtocolType = snapshot.TypeUnknown, "" })),
	)
	w.poll(0, append(rest, brokers, billing, logOf("orders", 1, ends(0, 100), ends(50, 300)), logOf("payments", 2, stableTo(8, ends(0, 10))))...)
	w.poll(10, append(rest, brokers, billing, logOf("orders", 1, ends(0, 120), ends(50, 310), ends(0, 500)), logOf("payments", 3, stableTo(4, ends(0, 6))), logOf("secret", 4))...)
	return w
}

func TestGoldenPages(t *testing.T) {
	for name, views := range pages() {
		t.Run(name, func(t *testing.T) {
			got := pageOf(t, views...)
			file := filepath.Join("testdata", name+".prom")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("run with -update if this is meant (-want +got):\n%s", diff)
			}
		})
	}
}

// Every metric of the table is on a golden page, as the table has it, and
// nothing else is: a row without a line would be documented and never seen.
func TestGoldenPagesShowTheTable(t *testing.T) {
	shown := map[string]*dto.MetricFamily{}
	for name := range pages() {
		b, err := os.ReadFile(filepath.Join("testdata", name+".prom"))
		if err != nil {
			t.Fatal(err)
		}
		for family, f := range parse(t, b) {
			shown[family] = f
		}
	}
	for _, m := range Metrics() {
		f, ok := shown[m.Name]
		if !ok {
			t.Errorf("%s is on no golden page", m.Name)
			continue
		}
		delete(shown, m.Name)
		if got := strings.ToLower(f.GetType().String()); got != m.Kind.String() || f.GetHelp() != m.Help {
			t.Errorf("%s: type %s, help %q", m.Name, got, f.GetHelp())
		}
		var labels []string
		for _, l := range f.Metric[0].Label {
			labels = append(labels, l.GetName())
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(m.Labels)), slices.Sorted(slices.Values(labels))); diff != "" {
			t.Errorf("%s: labels (-table +page):\n%s", m.Name, diff)
		}
	}
	for name := range shown {
		t.Errorf("%s is in no row of the table", name)
	}
}

// A lag that does not shrink is never gone; everything else is a number.
var mayBeInfinite = regexp.MustCompile(`_drain(_low|_high)?_seconds$`)

func parse(t *testing.T, page []byte) map[string]*dto.MetricFamily {
	t.Helper()
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(bytes.NewReader(page))
	if err != nil {
		t.Fatalf("the page cannot be parsed: %v\n%s", err, page)
	}
	return families
}

func TestLint(t *testing.T) {
	for name, views := range pages() {
		problems, err := promlint.NewWithMetricFamilies(gather(t, views...)).Lint()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, p := range problems {
			t.Errorf("%s: %s: %s", name, p.Metric, p.Text)
		}
	}
}

// Whatever is known, a page is made without a duplicate, a bad name or a wrong
// number of labels: one bad sample costs the whole scrape.
func TestRandomPages(t *testing.T) {
	rows := map[*Metric]bool{}
	for _, m := range Metrics() {
		rows[m] = true
	}
	walk(t, 8, 25, func(t *testing.T, _, v *View, _ *snapshot.Snapshot, _ error) {
		gather(t, v)
		samples(v, func(m *Metric, value float64, labels []string) {
			if !rows[m] {
				t.Errorf("%s is in no row of the table", m.Name)
			}
			if len(labels) != len(m.Labels) {
				t.Errorf("%s has %d labels, got %q", m.Name, len(m.Labels), labels)
			}
			if value < 0 || value != value || math.IsInf(value, 1) && !mayBeInfinite.MatchString(m.Name) {
				t.Errorf("%s%q = %v", m.Name, labels, value)
			}
		})
	})
}

// Describe tells all that Collect may send, so that a registry can refuse a
// second collector at the start and not at a scrape.
func TestDescribe(t *testing.T) {
	c := &Collector{NewPublisher(testBuild)}
	ch := make(chan *prometheus.Desc, 1000)
	c.Describe(ch)
	if len(ch) != len(Metrics()) {
		t.Errorf("%d descriptions of %d metrics", len(ch), len(Metrics()))
	}
	r := prometheus.NewRegistry()
	r.MustRegister(c)
	if err := r.Register(&Collector{NewPublisher(testBuild)}); err == nil {
		t.Error("two collectors of the same metrics were taken")
	}
}
