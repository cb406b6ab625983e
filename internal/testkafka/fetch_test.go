package testkafka

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
)

func TestPOM(t *testing.T) {
	tests := []struct {
		version string
		want    string // artifacts in order
	}{
		{"4.4.0", "kafka_2.13:4.4.0 kafka-streams:4.4.0 kafka-tools:4.4.0 slf4j-simple:1.7.36"},
		{"3.0.0", "kafka_2.13:3.0.0 kafka-streams:3.0.0 kafka-tools:3.0.0 slf4j-simple:1.7.36"},
		{"2.8.2", "kafka_2.13:2.8.2 kafka-streams:2.8.2 slf4j-simple:1.7.36"},
	}
	for _, test := range tests {
		t.Run(test.version, func(t *testing.T) {
			rel, err := parseRelease(test.version)
			if err != nil {
				t.Fatal(err)
			}
			var pom strings.Builder
			if err := writePOM(&pom, rel, test.version); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, pomArtifacts(pom.String())); diff != "" {
				t.Errorf("artifacts (-want +got):\n%s\nof:\n%s", diff, pom.String())
			}
		})
	}
}

// pomArtifacts lists NAME:VERSION of every dependency.
func pomArtifacts(pom string) string {
	var list []string
	for i, dependency := range strings.Split(pom, "<dependency>") {
		if i > 0 {
			list = append(list, between(dependency, "artifactId")+":"+between(dependency, "version"))
		}
	}
	return strings.Join(list, " ")
}

func between(text, tag string) string {
	_, rest, _ := strings.Cut(text, "<"+tag+">")
	value, _, _ := strings.Cut(rest, "</"+tag+">")
	return value
}

func TestParseReleaseRefuses(t *testing.T) {
	for _, version := range []string{"", "4", "4.4", "4.4.0-rc1", "../4.4.0", "4.4.0</version>", "99999999999999999999.0.0"} {
		if rel, err := parseRelease(version); err == nil {
			t.Errorf("%q became %v", version, rel)
		}
	}
}

// fakeTools puts scripts on an otherwise small PATH. The mvn among them makes
// one jar and notes that it ran.
func fakeTools(t *testing.T, names ...string) (runs func() int) {
	t.Helper()
	bin, notes := t.TempDir(), filepath.Join(t.TempDir(), "notes")
	script := "#!/bin/sh\n"
	mvn := script + `echo run >>` + notes + `
for arg in "$@"; do case $arg in -DoutputDirectory=*) dir=${arg#*=};; esac; done
sleep 0.2
case $dir in *0.0.1*) echo "no such version"; exit 1;; *0.0.2*) exit 0;; esac
version=${dir##*kafka-}
echo jar >"$dir/kafka_2.13-${version%.tmp}.jar"
`
	for _, name := range names {
		text := script
		if name == "mvn" {
			text = mvn
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	if len(names) == 3 {
		t.Setenv("PATH", bin+":/usr/bin:/bin") // for the script's sleep
	}
	t.Setenv("TESTKAFKA_CACHE", t.TempDir())
	return func() int {
		text, _ := os.ReadFile(notes)
		return strings.Count(string(text), "run\n")
	}
}

func TestEnsureFetchesOnce(t *testing.T) {
	runs := fakeTools(t, "java", "javac", "mvn")
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			dist, err := Ensure(t.Context(), "9.9.9")
			if err != nil {
				return err
			}
			_, err = os.Stat(filepath.Join(dist.Dir, "kafka_2.13-9.9.9.jar"))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if runs() != 1 {
		t.Errorf("mvn ran %d times", runs())
	}
}

func TestEnsureFailureLeavesNothing(t *testing.T) {
	runs := fakeTools(t, "java", "javac", "mvn")
	for version, want := range map[string]string{"0.0.1": "no such version", "0.0.2": "no broker jar"} {
		for range 2 {
			_, err := Ensure(t.Context(), version)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), version) {
				t.Errorf("%s: error %v, want it to say %q", version, err, want)
			}
		}
		left, err := filepath.Glob(filepath.Join(os.Getenv("TESTKAFKA_CACHE"), "kafka-"+version+"*"))
		if err != nil || len(left) != 1 || !strings.HasSuffix(left[0], ".lock") {
			t.Errorf("%s: left %v, %v", version, left, err)
		}
	}
	if runs() != 4 {
		t.Errorf("mvn ran %d times, want 4", runs())
	}
}

func TestEnsureRemovesLeftOver(t *testing.T) {
	fakeTools(t, "java", "javac", "mvn")
	leftOver := filepath.Join(os.Getenv("TESTKAFKA_CACHE"), "kafka-9.9.9.tmp", "half.jar")
	if err := os.MkdirAll(leftOver, 0o755); err != nil {
		t.Fatal(err)
	}
	dist, err := Ensure(t.Context(), "9.9.9")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := exists(filepath.Join(dist.Dir, "half.jar")); found || err != nil {
		t.Errorf("half a download was kept: %v, %v", found, err)
	}
}

func TestEnsureWaitsNoLongerThanContext(t *testing.T) {
	runs := fakeTools(t, "java", "javac", "mvn")
	unlock, err := lockFile(t.Context(), filepath.Join(os.Getenv("TESTKAFKA_CACHE"), "kafka-9.9.9.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Ensure(ctx, "9.9.9"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if runs() != 0 {
		t.Error("mvn ran without the lock")
	}
}

func TestEnsureNamesMissingTools(t *testing.T) {
	tests := []struct {
		have, missing []string
	}{
		{nil, []string{"java", "javac"}},
		{[]string{"java"}, []string{"javac"}},
		{[]string{"java", "javac"}, []string{"mvn"}},
	}
	for _, test := range tests {
		fakeTools(t, test.have...)
		_, err := Ensure(t.Context(), "9.9.9")
		var missing *MissingToolError
		if !errors.As(err, &missing) {
			t.Errorf("with %v: error %v", test.have, err)
			continue
		}
		if diff := cmp.Diff(test.missing, missing.Tools); diff != "" {
			t.Errorf("with %v (-want +got):\n%s", test.have, diff)
		}
	}
}

// TestEnsureCached needs no mvn where the jars are.
func TestEnsureCached(t *testing.T) {
	fakeTools(t, "java", "javac")
	if err := os.MkdirAll(filepath.Join(os.Getenv("TESTKAFKA_CACHE"), "kafka-9.9.9"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Ensure(t.Context(), "9.9.9"); err != nil {
		t.Error(err)
	}
}

// recorder is a testing.TB that notes how a test ended.
type recorder struct {
	testing.TB
	skipped, failed bool
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return context.Background() }
func (r *recorder) Skipf(string, ...any)     { r.skipped = true }
func (r *recorder) Fatalf(string, ...any)    { r.failed = true }

func TestRequire(t *testing.T) {
	tests := []struct {
		name            string
		tools           []string
		ci              string
		version         string
		skipped, failed bool
	}{
		{"all there", []string{"java", "javac", "mvn"}, "", "9.9.9", false, false},
		{"missing", nil, "", "9.9.9", true, false},
		{"missing in CI", nil, "true", "9.9.9", false, true},
		{"not to be had", []string{"java", "javac", "mvn"}, "", "0.0.1", false, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fakeTools(t, test.tools...)
			t.Setenv("CI", test.ci)
			var r recorder
			Require(&r, test.version)
			if r.skipped != test.skipped || r.failed != test.failed {
				t.Errorf("skipped %v, failed %v", r.skipped, r.failed)
			}
		})
	}
}
