package promtest

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
)

const (
	startTimeout = time.Minute      // a machine with other work may take long
	stopTimeout  = 10 * time.Second // then it is killed
)

// find is where a program is. Where it is not it skips the test, unless the
// environment says CI=true.
func find(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("promtest: needs %s on PATH", name)
	default:
		t.Skipf("promtest: needs %s on PATH", name)
	}
	return path
}

// write writes a config and further files to a folder of the test.
func write(t testing.TB, files map[string]string, config, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	all := map[string]string{config: text}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// program is a running server of the Prometheus project, which all start, log
// and stop in the same way.
type program struct {
	name    string // for people
	process *process
	output  *await.Buffer
}

// startProgram starts a program that is stopped when the test ends; if that
// failed, what it logged is shown.
func startProgram(t testing.TB, name, path string, args []string) *program {
	t.Helper()
	p := &program{name: name, output: &await.Buffer{}}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = p.output, p.output
	var err error
	if p.process, err = startProcess(cmd); err != nil {
		t.Fatalf("starting %s: %v", name, err)
	}
	t.Cleanup(func() { p.stop(t) })
	return p
}

// listening is the log's message with the port that port 0 became.
const listening = "Listening on"

// waitReady returns the program's URL once it is ready.
func (p *program) waitReady(t testing.TB) (url string) {
	t.Helper()
	await.Until(t, startTimeout, p.name+" to be ready", func() bool {
		if p.process.exited() {
			t.Fatalf("%s ended by itself: %v", p.name, p.process.err)
		}
		for _, line := range p.Log() {
			if line.Message == listening {
				url = "http://" + line.Address
			}
		}
		return url != "" && answers(url+"/-/ready")
	})
	return url
}

func answers(url string) bool {
	r, err := http.Get(url)
	if err != nil {
		return false
	}
	r.Body.Close()
	return r.StatusCode == http.StatusOK
}

func (p *program) stop(t testing.TB) {
	_ = p.process.signal(syscall.SIGTERM)
	select {
	case <-p.process.done:
	case <-time.After(stopTimeout):
		t.Errorf("%s still ran %v after SIGTERM", p.name, stopTimeout)
		p.process.kill()
	}
	if t.Failed() {
		t.Logf("%s logged:\n%s", p.name, p.output)
	}
}
