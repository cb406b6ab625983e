// Package structure holds the direction of dependencies: cmd → collector →
// rates → snapshot, one importer of kafka-go, and a lagwatch that cannot write.
package structure

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/lagwatch/lagwatch"

type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
	Standard   bool
}

// load lists the packages that patterns name, as the go command sees them;
// files of tests play no part.
func load(t *testing.T, patterns ...string) map[string]pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,Imports,Deps,Standard"}, patterns...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	list := map[string]pkg{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list[p.ImportPath] = p
	}
}

// Each room may import the rooms named here, and no other of ours.
var allowed = map[string][]string{
	"internal/snapshot":     {},
	"internal/buildinfo":    {},
	"internal/similar":      {},
	"internal/words":        {"rates"},
	"docs":                  {},
	"dashboards":            {},
	"configs":               {"internal/similar"},
	"alerts":                {"internal/similar"},
	"rates":                 {"internal/snapshot"},
	"rates/ownership":       {"internal/snapshot"},
	"rates/diagnosis":       {"internal/snapshot", "rates", "rates/ownership"},
	"collector/kafka/wire":  {"internal/snapshot"},
	"collector/kafka":       {"collector/kafka/wire", "internal/snapshot"},
	"collector/page":        {},
	"collector":             {"collector/page", "internal/snapshot", "internal/buildinfo", "rates", "rates/ownership", "rates/diagnosis"},
	"internal/daemon":       {"collector", "collector/kafka", "configs", "internal/api", "internal/api/document", "internal/buildinfo", "rates/diagnosis"},
	"internal/command":      {},
	"internal/api/document": {"rates"},
	"internal/api":          {"collector", "collector/page", "docs", "internal/api/document", "internal/similar", "internal/snapshot", "rates", "rates/diagnosis", "rates/ownership"},
	"internal/explain":      {"internal/api/document", "internal/words", "rates"},
	"cmd/lagwatch":          {"alerts", "collector", "configs", "dashboards", "internal/api", "internal/buildinfo", "internal/command", "internal/daemon", "internal/explain"},
}

func TestDependenciesPointOneWay(t *testing.T) {
	all := load(t, "./...")
	for room, may := range allowed {
		p, ok := all[module+"/"+room]
		if !ok {
			t.Errorf("%s: no such package; is this test out of date?", room)
		}
		for _, i := range p.Imports {
			if ours, ok := strings.CutPrefix(i, module+"/"); ok && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s; it may import %v", room, ours, may)
			}
		}
	}
}

// What an import path begins with, and the only rooms of the product that may
// import it.
var reserved = map[string][]string{
	"github.com/segmentio/kafka-go":          {"collector/kafka/wire"},
	"github.com/twmb/franz-go":               {"collector/kafka", "collector/kafka/wire"},
	"github.com/prometheus/client_golang":    {"collector", "collector/page"},
	"github.com/prometheus/exporter-toolkit": {"internal/daemon"},
	"github.com/spf13/viper":                 {"configs"},
	"github.com/spf13/cobra":                 {"cmd/lagwatch", "internal/command"},
}

func TestReservedImports(t *testing.T) {
	all := load(t, "./...")
	for room := range allowed {
		for _, i := range all[module+"/"+room].Imports {
			for prefix, may := range reserved {
				if strings.HasPrefix(i, prefix) && !slices.Contains(may, room) {
					t.Errorf("%s imports %s, which only %v may", room, i, may)
				}
			}
		}
	}
}

func TestPureRoomsNeedTheStandardLibraryOnly(t *testing.T) {
	for path, p := range load(t, "-deps", "./rates/...") {
		if !p.Standard && path != module+"/internal/snapshot" && path != module+"/rates" && !strings.HasPrefix(path, module+"/rates/") {
			t.Errorf("rates depends on %s", path)
		}
	}
}

// What is estimated follows from what is given: no log is written on the way.
func TestRatesLogsNothing(t *testing.T) {
	if deps := load(t, "./rates")[module+"/rates"].Deps; slices.Contains(deps, "log/slog") || slices.Contains(deps, "log") {
		t.Error("rates depends on a logger")
	}
}

func TestLagwatchLinksNothingThatWrites(t *testing.T) {
	deps := load(t, "./cmd/lagwatch")[module+"/cmd/lagwatch"].Deps
	if !slices.Contains(deps, "github.com/segmentio/kafka-go") {
		t.Fatal("the list of dependencies lacks kafka-go: this test sees nothing")
	}
	for _, d := range deps {
		for _, never := range []string{
			module + "/collector/kafka/wire/wiretest", module + "/internal/lab", module + "/internal/testkafka", module + "/internal/integration",
			"github.com/twmb/franz-go/pkg/kgo", "github.com/twmb/franz-go/pkg/kfake", "github.com/twmb/franz-go/pkg/kadm",
			"testing",
		} {
			if d == never || strings.HasPrefix(d, never+"/") {
				t.Errorf("cmd/lagwatch links %s", d)
			}
		}
	}
}

// kafka-go can write too. What can is never referred to: of it lagwatch uses
// the Transport, and what goes with that.
func TestKafkaGoIsUsedForItsTransportOnly(t *testing.T) {
	may := map[string]bool{"Transport": true, "TCP": true, "Error": true}
	uses := 0
	for path, p := range load(t, "./collector/kafka/...") {
		for _, name := range p.GoFiles {
			for _, s := range selectors(t, filepath.Join(p.Dir, name), "github.com/segmentio/kafka-go") {
				if uses++; !may[s] {
					t.Errorf("%s of %s refers to kafka-go's %s", name, path, s)
				}
			}
		}
	}
	if uses == 0 {
		t.Error("no reference to kafka-go found: this test sees nothing")
	}
}

// selectors lists what a file refers to of an imported package.
func selectors(t *testing.T, file, path string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	name := ""
	for _, i := range f.Imports {
		if strings.Trim(i.Path.Value, `"`) == path {
			if name = "kafka"; i.Name != nil {
				name = i.Name.Name
			}
		}
	}
	var list []string
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && name != "" && x.Name == name {
				list = append(list, s.Sel.Name)
			}
		}
		return true
	})
	return list
}
