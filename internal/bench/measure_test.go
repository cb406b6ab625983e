package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/bench/report"
)

// What is measured is there, whatever it comes to.
func TestMeasure(t *testing.T) {
	series := map[string]int{}
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) { series[f.name] = checkMeasured(t, f.name) })
	}
	if series["all"] <= series[report.DefaultFamilies] {
		t.Errorf("series of all families and of the default ones: %v", series)
	}
}

// checkMeasured measures a tiny cluster and returns how many series its page has.
func checkMeasured(t *testing.T, families string) int {
	var progress bytes.Buffer
	r, err := measure(t.Context(), &progress, tiny, families, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	if r.Shape != tiny || r.Families != families || r.Rounds != 1 || r.Polls != 20 || r.Scrapes != 5 {
		t.Errorf("%+v, %s families, %d rounds, %d polls, %d scrapes", r.Shape, r.Families, r.Rounds, r.Polls, r.Scrapes)
	}
	if diff := cmp.Diff(r.Least.Requests, r.Lagwatch.Requests); diff != "" {
		t.Errorf("requests (-least +lagwatch):\n%s", diff)
	}
	if r.Least.Total() != 13 {
		t.Errorf("%d requests: %v", r.Least.Total(), r.Least.Requests)
	}
	if r.Gzip.Bytes >= r.Plain.Bytes || r.Series < tiny.Pairs() {
		t.Errorf("page of %d series, %g bytes, %g in gzip", r.Series, r.Plain.Bytes, r.Gzip.Bytes)
	}
	for name, c := range map[string]report.Crowd{"gzip": r.GzipCrowd, "identity": r.PlainCrowd} {
		if c.Scrapers != 200 || c.Alone.Answered != 200 || c.BesideSlow.Answered != 200 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	for name, v := range figures(t, r) {
		if v <= 0 {
			t.Errorf("%s is %g", name, v)
		}
	}
	want := 14
	if families == report.DefaultFamilies {
		want += 2 // a calm cluster
	}
	if lines := strings.Count(progress.String(), "\n"); lines != want || !strings.Contains(progress.String(), "tiny, "+families+" families: round 1 of 1") {
		t.Errorf("progress:\n%s", &progress)
	}
	return r.Series
}

// Profiles are compressed, as pprof has them, and of the kinds that their names
// say. What they sample of so small a cluster is up to chance.
func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := measure(t.Context(), io.Discard, tiny, report.DefaultFamilies, 1, dir); err != nil {
		t.Fatal(err)
	}
	for name, names := range map[string]string{"cpu": "cpu", "allocs": "alloc_space", "heap": "inuse_space"} {
		f, err := os.Open(filepath.Join(dir, "tiny-default-"+name+".pprof"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if text, err := io.ReadAll(z); err != nil || !bytes.Contains(text, []byte(names)) {
			t.Errorf("%s: %d bytes without %q, error %v", name, len(text), names, err)
		}
	}
}

// Who got less than others has not got the page; how long all took is not known then.
func TestOutcome(t *testing.T) {
	gone := errors.New("gone\naway")
	for _, tt := range []struct {
		name  string
		sizes []int64
		errs  []error
		want  report.Rush
	}{
		{"all", []int64{5_000, 5_000 - alike}, []error{nil, nil}, report.Rush{Answered: 2, Seconds: 2}},
		{"a short one", []int64{5_000 - alike - 1, 5_000}, []error{nil, nil}, report.Rush{Answered: 1, Failure: "3975 bytes, where another had 5000"}},
		{"one that failed", []int64{5_000, 4_000, 0}, []error{nil, gone, errors.New("second")}, report.Rush{Answered: 1, Failure: "gone away"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, outcome(2*time.Second, tt.sizes, tt.errs)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What a process says before it ends is what is wrong, once.
func TestProcessThatFails(t *testing.T) {
	for _, tt := range []struct {
		role string
		job  job
		says string
	}{
		{roleLagwatch, job{Config: "listen: nowhere\n"}, "listen"},
		{roleLagwatch, job{Config: config("127.0.0.1:1", "")}, "the poll has failed: "},
		{roleLeast, job{Config: config("127.0.0.1:1", "")}, "reading metadata: dial tcp 127.0.0.1:1: "},
	} {
		_, err := start(t.Context(), &started{}, tt.role, tt.job)
		if err == nil || strings.Count(err.Error(), "\n") != 0 || !strings.HasPrefix(err.Error(), "process "+tt.role+": bench: ") || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want one line with %q", tt.role, err, tt.says)
		}
	}
}

// figures are all numbers of a result, by their names in JSON.
func figures(t *testing.T, r report.Result) map[string]float64 {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	list := map[string]float64{}
	var walk func(path string, tree map[string]any)
	walk = func(path string, tree map[string]any) {
		for name, v := range tree {
			switch v := v.(type) {
			case map[string]any:
				walk(path+name+".", v)
			case float64:
				list[path+name] = v
			}
		}
	}
	walk("", tree)
	return list
}
