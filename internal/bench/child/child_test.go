package child

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServe(t *testing.T) {
	handlers := Handlers{
		"double": func(n int) (any, error) { return 2 * n, nil },
		"fail":   func(int) (any, error) { return nil, errors.New("no luck") },
	}
	for _, tt := range []struct {
		name, in, out, err string
	}{
		{"no calls", "", `{"Value":"up"}`, ""},
		{"calls", `{"Do":"double","N":4}{"Do":"double","N":5}`, `{"Value":"up"} {"Value":8} {"Value":10}`, ""},
		{"one that fails does not end it", `{"Do":"fail"}{"Do":"double","N":1}`, `{"Value":"up"} {"Error":"no luck","Value":null} {"Value":2}`, ""},
		{"unknown", `{"Do":"halve"}`, `{"Value":"up"}`, `nothing is known of the call "halve"`},
		{"no JSON", `double`, `{"Value":"up"}`, "reading a call: invalid character 'd' looking for beginning of value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			err := Serve(strings.NewReader(tt.in), &out, "up", handlers)
			if diff := cmp.Diff(tt.out, strings.Join(strings.Fields(out.String()), " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := text(err); got != tt.err {
				t.Errorf("error %q, want %q", got, tt.err)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// What is read of this process moves as it must.
func TestUsage(t *testing.T) {
	before, err := ReadUsage()
	if err != nil {
		t.Fatal(err)
	}
	kept := make([][]byte, 64)
	for i := range kept {
		kept[i] = make([]byte, 1<<20)
		for j := range kept[i] { // memory counts once it is touched
			kept[i][j] = byte(i)
		}
	}
	m, err := ReadMemory()
	if err != nil {
		t.Fatal(err)
	}
	after, err := ReadUsage()
	if err != nil {
		t.Fatal(err)
	}
	used := after.Since(before)
	if used.CPUSeconds <= 0 || used.Allocations < 64 || used.Allocated < 64<<20 {
		t.Errorf("used %+v", used)
	}
	if m.Live < 64<<20 || m.Peak < m.Live {
		t.Errorf("memory %+v", m)
	}
	runtime.KeepAlive(kept)
}
