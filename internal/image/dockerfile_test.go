package image

import (
	"os"
	"regexp"
	"testing"
)

// find returns the group of a pattern that must match once in a file of the
// repository.
func find(t *testing.T, file, pattern string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile("(?m)"+pattern).FindAllSubmatch(text, -1)
	if len(all) != 1 {
		t.Fatalf("%s: %d lines are like %s, want 1", file, len(all), pattern)
	}
	return string(all[0][1])
}

// The official image of Go keeps the toolchain that it has: an older one than
// go.mod asks for fails, and another one is not what the tests ran with.
func TestDockerfileHasTheGoOfGoMod(t *testing.T) {
	asked := find(t, "go.mod", `^go (\d+\.\d+)(?:\.\d+)?$`)
	got := find(t, "Dockerfile", `^ARG GO_IMAGE=\S+/golang:(\d+\.\d+)$`)
	if got != asked {
		t.Errorf("the Dockerfile builds with Go %s, go.mod asks for %s", got, asked)
	}
}
