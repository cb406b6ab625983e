package promtest

import (
	"path/filepath"
	"strings"
	"testing"
)

// Alertmanager is a running Alertmanager that has no peers and remembers
// nothing from before.
type Alertmanager struct {
	// URL is its address, as http://127.0.0.1:PORT.
	URL string

	*program
}

// StartAlertmanager starts an Alertmanager on a free port of the loopback
// interface, with the text of its config and further flags, and waits until it
// is ready. It is stopped when the test ends; if that failed, what it logged is
// shown. Where there is none it does as [Start] does.
func StartAlertmanager(t testing.TB, yaml string, flags ...string) *Alertmanager {
	t.Helper()
	path := find(t, "prometheus-alertmanager")
	dir := write(t, nil, "alertmanager.yml", yaml)
	p := startProgram(t, "Alertmanager", path, append([]string{
		"--config.file=" + filepath.Join(dir, "alertmanager.yml"),
		"--storage.path=" + filepath.Join(dir, "data"),
		"--web.listen-address=127.0.0.1:0",
		"--cluster.listen-address=", // no gossip
		"--log.format=json",
	}, flags...))
	return &Alertmanager{URL: p.waitReady(t), program: p}
}

// Address is its host and port, as a config of Prometheus has them.
func (a *Alertmanager) Address() string { return strings.TrimPrefix(a.URL, "http://") }
