package promtest

import (
	"path/filepath"
	"testing"
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

	*program
}

// Start starts a Prometheus on a free port of the loopback interface and waits
// until it is ready. It is stopped when the test ends; if that failed, what
// Prometheus logged is shown.
//
// Where there is no prometheus it skips the test, unless the environment says
// CI=true: there a skipped test would go unnoticed, so it fails.
func Start(t testing.TB, c Config) *Server {
	t.Helper()
	path := find(t, "prometheus")
	dir := write(t, c.Files, "prometheus.yml", c.YAML)
	p := startProgram(t, "Prometheus", path, append([]string{
		"--config.file=" + filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path=" + filepath.Join(dir, "data"),
		"--web.listen-address=127.0.0.1:0",
		"--log.format=json",
		"--log.level=debug",
	}, c.Flags...))
	return &Server{URL: p.waitReady(t), program: p}
}
