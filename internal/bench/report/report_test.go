package report

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// scaled makes a result in which everything is a multiple of the size.
func scaled(size int, ours, peakMiB float64) Result {
	s := synthetic.Shapes()[size]
	n := float64(s.Pairs())
	requests := map[string]int{"Metadata v13": 1, "ListGroups v5": 3}
	client := func(f float64, peak float64) Client {
		return Client{
			Requests: requests, FirstSeconds: f * n * 3e-6, Seconds: f * n * 1e-6, CPUSeconds: f * n * 0.5e-6,
			Allocated: f * n * 300, Allocations: f * n * 4, Memory: Memory{Live: uint64(f * n * 80), Peak: uint64(peak * mib)},
		}
	}
	page := func(bytes float64) Page {
		return Page{Seconds: n * 2e-6, CPUSeconds: n * 1e-6, CPUSecondsWithPoll: n * (1 + ours/2) * 1e-6, Allocated: n * 10, Allocations: 7, Bytes: n * bytes}
	}
	return Result{
		Shape: s, Families: DefaultFamilies, Rounds: 5, Polls: 10, Scrapes: 15, Series: 5 * s.Pairs(),
		Least: client(1, 20), Lagwatch: client(ours, peakMiB), Gzip: page(40), Plain: page(700),
		Both:      Memory{Live: uint64(ours * n * 200), Peak: uint64(peakMiB * 2 * mib)},
		GzipCrowd: crowd(n*40, n*50), PlainCrowd: crowd(n*700, n*800),
		Young: Memory{Live: uint64(ours * n * 60), Peak: uint64(peakMiB / 2 * mib)},
		Conditions: Conditions{
			With:    Cost{CPUSeconds: n * 1e-6, Allocations: n * 4},
			Without: Cost{CPUSeconds: n * 1e-6 * (1 - ours/30), Allocations: n * 3}, Troubled: s.Groups - 1,
		},
		Calm:    Conditions{With: Cost{CPUSeconds: n * 1e-6, Allocations: n}, Without: Cost{CPUSeconds: n * 1e-6 * (1 - ours/50), Allocations: n}, Troubled: s.Groups / 50},
		History: History{PartitionBytes: 400, PairBytes: 200, LeastPartitionBytes: 250, LeastPairBytes: 180, CPUSeconds: n * 1e-6},
	}
}

// crowd makes one in which all is well.
func crowd(page, growth float64) Crowd {
	return Crowd{
		Scrapers: 200, PageBytes: page, Alone: Rush{Answered: 200, Seconds: page * 1e-7}, BesideSlow: Rush{Answered: 200, Seconds: page * 1.5e-7},
		Growth: uint64(growth),
	}
}

var machine = Machine{
	CPU: "Example CPU", Cores: 2, System: "linux/amd64", Kernel: "6.1.0", Go: "go1.26.0", Load: "0.25",
	Date: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC),
}

func TestMarkdown(t *testing.T) {
	all := scaled(1, 1.5, 400)
	all.Families, all.Calm = "all", Conditions{}
	all.PlainCrowd.BesideSlow = Rush{Answered: 199, Failure: "unexpected EOF"}
	all.PlainCrowd.Growth = 1000 * mib
	for name, results := range map[string][]Result{
		"met":    {scaled(0, 2, 58.9), scaled(1, 1.5, 361.9), scaled(2, 1.5, 3000)},
		"missed": {scaled(0, 2.1, 59), scaled(1, 4, 1000), all},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name+".md")
			got := Markdown(machine, results)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-golden +got):\n%s", diff)
			}
		})
	}
}

// Each target is met at its limit, or just below it where it says so, and not
// beyond; and there is none where nobody has set one.
func TestTargets(t *testing.T) {
	at := func(size int, change func(*Result)) Result {
		r := scaled(size, 1, 10)
		change(&r)
		return r
	}
	cpu := func(seconds float64) func(*Result) { return func(r *Result) { r.Gzip.CPUSecondsWithPoll = seconds } }
	poll := func(seconds float64) func(*Result) {
		return func(r *Result) { r.Least.Seconds, r.Lagwatch.Seconds = 1, seconds }
	}
	peak := func(bytes uint64) func(*Result) { return func(r *Result) { r.Lagwatch.Peak = bytes } }
	allFamilies := func(r *Result) { r.Families = "all" }
	part := func(of float64) Conditions {
		return Conditions{With: Cost{CPUSeconds: 1}, Without: Cost{CPUSeconds: 1 - of}}
	}
	grown := func(bytes uint64) Crowd { return Crowd{Scrapers: 200, PageBytes: 10 * mib, Growth: bytes} }
	for _, tt := range []struct {
		name string
		got  Target
		want string
	}{
		{"poll at its limit", at(0, poll(2)).pollTarget(), "at most 2×: met"},
		{"poll above it", at(1, poll(2.01)).pollTarget(), "at most 2×: **missed**"},
		{"poll without one", at(2, poll(3)).pollTarget(), ""},
		{"CPU at its limit", at(1, cpu(0.26)).cpuTarget(), "at most 0.26: met"},
		{"CPU above it", at(1, cpu(0.261)).cpuTarget(), "at most 0.26: **missed**"},
		{"CPU at ten times the size", at(2, cpu(2.6)).cpuTarget(), "at most 0.26: met"},
		{"CPU of other families", at(1, allFamilies).cpuTarget(), ""},
		{"conditions below their limit", at(1, func(*Result) {}).conditionsTarget(part(0.0999)), "less than 0.1: met"},
		{"conditions above it", at(2, func(*Result) {}).conditionsTarget(part(0.101)), "less than 0.1: **missed**"},
		{"conditions that are lost in noise", at(1, func(*Result) {}).conditionsTarget(part(-0.2)), "less than 0.1: met"},
		{"conditions of few group-partitions", at(0, func(*Result) {}).conditionsTarget(part(0.5)), ""},
		{"memory under its limit", at(0, peak(59*mib-1)).peakTarget(), "under 59: met"},
		{"memory at it", at(1, peak(362*mib)).peakTarget(), "under 362: **missed**"},
		{"memory without one", at(2, peak(1)).peakTarget(), ""},
		{"memory of other families", at(0, allFamilies).peakTarget(), ""},
		{"memory of a crowd at its limit", grown(60 * mib).growthTarget(), "at most 60, the page and 256 KiB for each: met"},
		{"memory of a crowd above it", grown(60*mib + 1).growthTarget(), "at most 60, the page and 256 KiB for each: **missed**"},
		{"linear growth", scaled(1, 1, 100).growthTarget(scaled(0, 1, 10)), "at most 1.5× small (CPU 1.00×, memory 1.00×): met"},
		{"more CPU", scaled(1, 4, 100).growthTarget(scaled(0, 1, 10)), "at most 1.5× small (CPU 2.00×, memory 1.00×): **missed**"},
		{"more memory", scaled(1, 1, 151).growthTarget(scaled(0, 1, 10)), "at most 1.5× small (CPU 1.00×, memory 1.51×): **missed**"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.got.String(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// A cause stands beside a target that is missed, and nowhere else; what went wrong
// in the run itself goes before what is known of the place.
func TestCauses(t *testing.T) {
	at := place{"poll: seconds", "small"}
	known := map[place]string{at: "locks"}
	for _, tt := range []struct {
		name   string
		target Target
		at     place
		want   string
	}{
		{"missed", Target{Text: "at most 2×"}, at, "at most 2×: **missed** (locks)"},
		{"met", Target{Text: "at most 2×", Met: true}, at, "at most 2×: met"},
		{"none", Target{}, at, ""},
		{"other row", Target{Text: "at most 2×"}, place{"poll: CPU-seconds", "small"}, "at most 2×: **missed**"},
		{"other size", Target{Text: "at most 2×"}, place{"poll: seconds", "large"}, "at most 2×: **missed**"},
		{"of the run", Target{Text: "all 200", Cause: "unexpected EOF"}, at, "all 200: **missed** (unexpected EOF)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.target.because(known, tt.at).String(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Each cause is of a row that has a target at its size: another would never be seen.
func TestCausesHaveTheirPlace(t *testing.T) {
	places := map[place]bool{}
	for size := range synthetic.Shapes() {
		r := scaled(size, 1, 10)
		places[place{"growth", r.Shape.Name}] = size > 0
		for _, row := range r.rows() {
			places[place{row.name, r.Shape.Name}] = row.target.Text != ""
		}
	}
	if !places[place{"poll: seconds", "small"}] || places[place{"poll: seconds", "huge"}] {
		t.Fatal("places are not those that have targets")
	}
	for at := range causes {
		if !places[at] {
			t.Errorf("no target is at row %q, size %s", at.row, at.size)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 13: "13", 1_234_567: "1,234,567", 999.5: "1,000", 123.4: "123", 45.67: "45.7", 4.567: "4.57",
		0.5: "0.500", 0.04567: "0.0457", 0.0012: "0.00120",
		0.1 - 1e-12: "0.100", 0.09996: "0.100", 9.999: "10.0", 99.96: "100", 0.000123: "0.000123",
	} {
		if got := number(v); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		list []float64
		want float64
	}{
		{[]float64{3}, 3}, {[]float64{9, 1}, 5}, {[]float64{100, 1, 2}, 2}, {[]float64{4, 1, 3, 100}, 3.5},
	} {
		if got := Median(tt.list); got != tt.want {
			t.Errorf("median of %v is %g, want %g", tt.list, got, tt.want)
		}
	}
}

func TestWriteDocument(t *testing.T) {
	for _, tt := range []struct {
		name, before, after, err string
	}{
		{"new", "", strings.Replace(head, end, "\nTEXT\n"+end, 1), ""},
		{"again", "a\n" + begin + "\nold\n" + end + "\nb\n", "a\n" + begin + "\n\nTEXT\n" + end + "\nb\n", ""},
		{"no markers", "a\n", "a\n", "put them back"},
		{"one marker", "a\n" + begin + "\nb\n", "a\n" + begin + "\nb\n", "put them back"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "performance.md")
			if tt.before != "" {
				if err := os.WriteFile(path, []byte(tt.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := WriteDocument(path, "TEXT")
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Where a system tells nothing of itself, nothing is made up.
func TestMachine(t *testing.T) {
	bare := Machine{Cores: 8, System: "plan9/arm", Go: "go1.26.0", Date: machine.Date}
	for _, tt := range []struct {
		m    Machine
		want string
	}{
		{machine, "2 cores of Example CPU; linux/amd64 6.1.0; go1.26.0; load 0.25 before it began; 2026-05-04."},
		{bare, "8 cores; plan9/arm; go1.26.0; 2026-05-04."},
	} {
		if got := tt.m.String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if m := ThisMachine(); m.Cores < 1 || m.Go == "" || m.Date.IsZero() {
		t.Errorf("%+v", m)
	}
}
