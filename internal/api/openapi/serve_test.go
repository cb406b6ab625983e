package openapi

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the folder of the main module.
const root = "../../.."

// serve builds and runs the main module's servers, and returns the addresses of the one
// with views that stand still and of the one that watches a cluster. They end with the
// test: by the end of their input, so that they can't outlive this process.
func serve(t *testing.T) (fixed, live string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "serve")
	build := exec.CommandContext(t.Context(), "go", "build", "-mod=readonly", "-o", program, "./internal/api/apitest/serve")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the servers: %v\n%s", err, out)
	}
	cmd := exec.Command(program)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Errorf("the servers ended with %v; they said:\n%s", err, &stderr)
		}
	})
	lines := bufio.NewReader(stdout)
	for _, address := range []*string{&fixed, &live} {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("no address: %v", err)
		}
		*address = strings.TrimSpace(line)
	}
	return fixed, live
}
