package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/lagwatch/lagwatch/dashboards"
)

// write runs lagwatch dashboards and returns what it said.
func writeDashboards(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"dashboards"}, args...), nil, &out, &errs)
	return out.String(), errs.String(), code
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestDashboardsAsJSON(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "for it")
	all, err := dashboards.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, again := range []string{"first", "again"} { // replaces what is there
		stdout, stderr, code := writeDashboards(t, "--out", dir)
		if code != 0 || stderr != "" {
			t.Fatalf("%s: exit status %d: %s", again, code, stderr)
		}
		var said, files []string
		for _, d := range all {
			path := filepath.Join(dir, d.UID+".json")
			said, files = append(said, "wrote "+path), append(files, d.UID+".json")
			got, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(got, d.JSON) {
				t.Errorf("%s is not what is committed (%v)", path, err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
				t.Errorf("%s: Grafana could not read it: %v, %v", path, info.Mode(), err)
			}
		}
		if diff := cmp.Diff(strings.Join(said, "\n")+"\n", stdout); diff != "" {
			t.Errorf("%s: said (-want +got):\n%s", again, diff)
		}
		if diff := cmp.Diff(files, names(t, dir)); diff != "" {
			t.Errorf("%s: files (-want +got):\n%s", again, diff)
		}
	}
}

type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct {
		Name, Namespace string
		Labels          map[string]string
	}
	Data map[string]string
}

func TestDashboardsAsConfigMaps(t *testing.T) {
	for _, tt := range []struct {
		name      string
		args      []string
		namespace string
		labels    map[string]string
	}{
		{"as they are", nil, "", map[string]string{"grafana_dashboard": "1"}},
		{"with a namespace and labels", []string{"--namespace", "monitoring", "--label", "app.kubernetes.io/part-of=lagwatch", "--label", "grafana_dashboard=yes"}, "monitoring",
			map[string]string{"grafana_dashboard": "yes", "app.kubernetes.io/part-of": "lagwatch"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if _, stderr, code := writeDashboards(t, append(tt.args, "--out", dir, "--format", "configmap")...); code != 0 {
				t.Fatal(stderr)
			}
			all, err := dashboards.All()
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range all {
				text, err := os.ReadFile(filepath.Join(dir, d.UID+".yaml"))
				if err != nil {
					t.Fatal(err)
				}
				var got, want manifest
				if err := yaml.Unmarshal(text, &got); err != nil {
					t.Fatal(err)
				}
				want.APIVersion, want.Kind, want.Data = "v1", "ConfigMap", map[string]string{d.UID + ".json": string(d.JSON)}
				want.Metadata.Name, want.Metadata.Namespace, want.Metadata.Labels = d.UID, tt.namespace, tt.labels
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", d.UID, diff)
				}
				// kubectl apply keeps a copy in an annotation, which may have 256 KiB.
				if len(text) > 256<<10 {
					t.Errorf("%s has %d bytes: kubectl apply refuses that", d.UID, len(text))
				}
			}
		})
	}
}

func TestDashboardsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"no folder", nil, 2, []string{"--out"}},
		{"unknown format", []string{"--out", dir, "--format", "yaml"}, 2, []string{`"yaml"`, "json or configmap"}},
		{"namespace of JSON", []string{"--out", dir, "--namespace", "a"}, 2, []string{"--namespace", "configmap"}},
		{"label of JSON", []string{"--out", dir, "--label", "a=b"}, 2, []string{"--label", "configmap"}},
		{"no such namespace", []string{"--out", dir, "--format", "configmap", "--namespace", "Monitoring"}, 2, []string{`"Monitoring"`}},
		{"label without a value", []string{"--out", dir, "--format", "configmap", "--label", "a"}, 2, []string{`"a"`, "key=value"}},
		{"label with a wrong value", []string{"--out", dir, "--format", "configmap", "--label", "a=b c"}, 2, []string{"--label a", `"b c"`}},
		{"label twice", []string{"--out", dir, "--format", "configmap", "--label", "a=b", "--label", "a=c"}, 2, []string{"--label a", "twice"}},
		{"stray argument", []string{dir}, 2, []string{dir}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := writeDashboards(t, tt.args...)
			if code != tt.code || stdout != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit status %d, want %d:\n%s%s", code, tt.code, stdout, stderr)
			}
			for _, want := range tt.says {
				if !strings.Contains(stderr, want) {
					t.Errorf("%q is not in: %s", want, stderr)
				}
			}
			if left := names(t, dir); len(left) > 0 {
				t.Errorf("it wrote %v", left)
			}
		})
	}
}

// What cannot be written is named, and nothing half-written is left.
func TestDashboardsThatDoNotFit(t *testing.T) {
	occupied := t.TempDir()
	if err := os.WriteFile(filepath.Join(occupied, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := dashboards.All()
	if err != nil {
		t.Fatal(err)
	}
	last := all[len(all)-1].UID + ".json"
	if err := os.MkdirAll(filepath.Join(occupied, last, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, dir, says string }{
		{"a file is where the folder should be", filepath.Join(occupied, "file"), filepath.Join(occupied, "file")},
		{"a folder is where a file should be", occupied, filepath.Join(occupied, last)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, stderr, code := writeDashboards(t, "--out", tt.dir)
			if code != 1 || !strings.Contains(stderr, tt.says) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit status %d: %s", code, stderr)
			}
			for _, name := range names(t, occupied) {
				if strings.HasPrefix(name, ".") {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

var dashboardURL = regexp.MustCompile(`dashboard_url: https://grafana\.example/d/([a-z-]+)\??(.*)`)

// Links of alerts lead to dashboards that are there, and give variables that these have.
func TestAlertsLinkToDashboards(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"rules", "--grafana-base-url", "https://grafana.example"}, nil, &stdout, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	all, err := dashboards.All()
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]map[string]bool{}
	for _, d := range all {
		var b struct {
			Templating struct{ List []struct{ Name string } }
		}
		if err := json.Unmarshal(d.JSON, &b); err != nil {
			t.Fatal(err)
		}
		variables[d.UID] = map[string]bool{}
		for _, v := range b.Templating.List {
			variables[d.UID][v.Name] = true
		}
	}
	found := dashboardURL.FindAllStringSubmatch(stdout.String(), -1)
	if len(found) < 10 {
		t.Errorf("%d links: this test sees too little", len(found))
	}
	for _, m := range found {
		if variables[m[1]] == nil {
			t.Errorf("%s: there is no such dashboard", m[0])
		}
		for _, v := range regexp.MustCompile(`var-([a-z]+)=`).FindAllStringSubmatch(m[2], -1) {
			if !variables[m[1]][v[1]] {
				t.Errorf("%s: the dashboard has no variable %s", m[0], v[1])
			}
		}
	}
}
