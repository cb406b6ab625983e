package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	faultsPage = "../../docs/faults.md"
	faults     = 26 // those that the page began with
)

var (
	faultRow = regexp.MustCompile(`^\| (\d+) \|.*\|.*\| (.*) \|$`)
	heldBy   = regexp.MustCompile("`([a-z/]+)\\.(Test[A-Za-z0-9]+)`")
	notYet   = "nothing to be wrong yet"
)

// docs/faults.md numbers its faults without a gap, and each is held by tests
// that exist, or says that lagwatch publishes nothing yet that it could be wrong
// about.
func TestFaultsAreHeld(t *testing.T) {
	page, err := os.ReadFile(faultsPage)
	if err != nil {
		t.Fatal(err)
	}
	tests, next := map[string]map[string]bool{}, 1
	for line := range strings.Lines(string(page)) {
		m := faultRow.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		if n, _ := strconv.Atoi(m[1]); n != next {
			t.Errorf("fault %d follows fault %d", n, next-1)
		}
		next++
		held := heldBy.FindAllStringSubmatch(m[2], -1)
		if len(held) == 0 && !strings.Contains(m[2], notYet) {
			t.Errorf("fault %s is held by no test", m[1])
		}
		for _, h := range held {
			if tests[h[1]] == nil {
				tests[h[1]] = testsIn(t, h[1])
			}
			if !tests[h[1]][h[2]] {
				t.Errorf("fault %s: there is no test %s in %s", m[1], h[2], h[1])
			}
		}
	}
	if next <= faults {
		t.Errorf("%d faults, want %d at least", next-1, faults)
	}
}

// testsIn returns the names of a package's tests, under whatever build tags.
func testsIn(t *testing.T, room string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", room, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("no tests in %s (%v)", room, err)
	}
	names := map[string]bool{}
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				names[fn.Name.Name] = true
			}
		}
	}
	return names
}
