//go:build image && linux

package image

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
)

// As a container runs: nothing but the image's files, none of which can be
// changed, and the user that the image names, without capabilities.
const contained = `root=$1 user=$2; shift 2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
exec chroot --groups= --userspec="$user" "$root" "$@"`

// run is the image's entrypoint with arguments, as its user.
func (m *image) run(args ...string) *exec.Cmd {
	return m.exec(slices.Concat(m.config.Entrypoint, args)...)
}

// exec is a command as kubectl exec runs it: looked up in the PATH that the image has
// of its base.
func (m *image) exec(args ...string) *exec.Cmd {
	cmd := m.command("sh", slices.Concat([]string{"-euc", contained, "sh", m.root, m.config.User}, args)...)
	cmd.Env = append(cmd.Env, m.config.Env...)
	return cmd
}

func checkVersion(t *testing.T, m *image) {
	got := string(output(t, m.run("version")))
	if want := "lagwatch " + version + " ("; !strings.HasPrefix(got, want) {
		t.Errorf("version prints %q, want %q…", got, want)
	}
}

func checkServes(t *testing.T, m *image) {
	const file = "/etc/lagwatch/lagwatch.yaml"
	m.write("lagwatch.yaml", "clusters:\n  - name: from-file\n    brokers: [127.0.0.1:1]\n")
	m.output("install", "-D", "-m", "0444", m.dir+"/lagwatch.yaml", m.root+file)
	for _, tt := range []struct {
		name, cluster string
		args, env     []string
	}{
		{"variables", "default", m.config.Cmd, []string{"LAGWATCH_BROKERS=127.0.0.1:1"}},
		{"config file", "from-file", []string{"serve", "--config", file}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := m.run(tt.args...)
			cmd.Env = append(cmd.Env, append(tt.env, "LAGWATCH_LISTEN=127.0.0.1:0")...)
			url := serve(t, cmd)
			if code, _ := get(t, url+"/-/healthy"); code != http.StatusOK {
				t.Errorf("/-/healthy answers %d", code)
			}
			checkExplains(t, m, url, tt.cluster)
			_, page := get(t, url+"/metrics")
			for _, want := range []string{
				fmt.Sprintf(`lagwatch_up{kafka_cluster="%s"} 0`, tt.cluster),
				fmt.Sprintf(`version="%s"`, version),
			} {
				if !strings.Contains(page, want) {
					t.Errorf("%s is not on the page:\n%s", want, page)
				}
			}
		})
	}
}

// What README has for kubectl exec finds lagwatch by its name and asks the one that
// runs. It was at /lagwatch once, where nobody looks.
func checkExplains(t *testing.T, m *image, url, cluster string) {
	t.Helper()
	out, _ := m.exec("lagwatch", "explain", "--url", url).CombinedOutput() // the status is 1: no Kafka is there
	if !strings.Contains(string(out), cluster+" ") {
		t.Errorf("lagwatch explain prints %q, want %q in it", out, cluster)
	}
}

var listening = regexp.MustCompile(`msg="Listening on" address=(\S+)`)

// serve starts a lagwatch and returns its URL. When the test ends, SIGTERM has
// to end it with status 0.
func serve(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	log := &await.Buffer{}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() { stop(t, cmd, done, log) })
	address := ""
	await.Until(t, 20*time.Second, "the port to be printed", func() bool {
		if m := listening.FindStringSubmatch(log.String()); m != nil {
			address = m[1]
		}
		return address != ""
	})
	return "http://" + address
}

func stop(t *testing.T, cmd *exec.Cmd, done <-chan error, log *await.Buffer) {
	cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("after SIGTERM: %v", err)
		}
	case <-time.After(20 * time.Second):
		cmd.Process.Kill()
		t.Error("it did not stop on SIGTERM within 20 s")
	}
	if t.Failed() {
		t.Logf("its log:\n%s", log)
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	client := &http.Client{Timeout: 10 * time.Second}
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}
