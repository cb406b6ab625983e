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

// Config is what a Prometheus is started with.
type Config struct {
	// YAML is the text of prometheus.yml. Files that it names, and that have
	// no absolute path, are those of Files.
	YAML string
	// Files are further files by name: rules, for example.
	Files map[string]string
	// Flags are added to the command line, such as
	// "--enable-feature=native-histograms".
	Flags []string
}

// Server is a running Prometheus with an empty database. Its methods may be
// called concurrently.
type Server struct {
	// URL is its address, as http://127.0.0.1:PORT.
	URL string

	process *process
	output  *await.Buffer
}

// Start starts a Prometheus on a free port of the loopback interface and waits
// until it is ready. It is stopped when the test ends; if that failed, what
// Prometheus logged is shown.
//
// Where there is no prometheus it skips the test, unless the environment says
// CI=true: there a skipped test would go unnoticed, so it fails.
func Start(t testing.TB, c Config) *Server {
	t.Helper()
	path := find(t)
	dir := write(t, c)
	cmd := exec.Command(path, append([]string{
		"--config.file=" + filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path=" + filepath.Join(dir, "data"),
		"--web.listen-address=127.0.0.1:0",
		"--log.format=json",
		"--log.level=debug",
	}, c.Flags...)...)
	s := &Server{output: &await.Buffer{}}
	cmd.Stdout, cmd.Stderr = s.output, s.output
	var err error
	if s.process, err = startProcess(cmd); err != nil {
		t.Fatalf("starting Prometheus: %v", err)
	}
	t.Cleanup(func() { s.stop(t) })
	s.waitReady(t)
	return s
}

func find(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("prometheus")
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal("promtest: needs prometheus on PATH")
	default:
		t.Skip("promtest: needs prometheus on PATH")
	}
	return path
}

func write(t testing.TB, c Config) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files := map[string]string{"prometheus.yml": c.YAML}
	for name, text := range c.Files {
		files[name] = text
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// listening is the log's message with the port that port 0 became.
const listening = "Listening on"

func (s *Server) waitReady(t testing.TB) {
	t.Helper()
	await.Until(t, startTimeout, "Prometheus to be ready", func() bool {
		if s.process.exited() {
			t.Fatalf("Prometheus ended by itself: %v", s.process.err)
		}
		for _, line := range s.Log() {
			if line.Message == listening {
				s.URL = "http://" + line.Address
			}
		}
		return s.URL != "" && answers(s.URL+"/-/ready")
	})
}

func answers(url string) bool {
	r, err := http.Get(url)
	if err != nil {
		return false
	}
	r.Body.Close()
	return r.StatusCode == http.StatusOK
}

func (s *Server) stop(t testing.TB) {
	_ = s.process.signal(syscall.SIGTERM)
	select {
	case <-s.process.done:
	case <-time.After(stopTimeout):
		t.Errorf("Prometheus still ran %v after SIGTERM", stopTimeout)
		s.process.kill()
	}
	if t.Failed() {
		t.Logf("Prometheus logged:\n%s", s.output)
	}
}
