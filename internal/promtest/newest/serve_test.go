package newest

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// root is the folder of the main module.
const root = "../../.."

// serve builds and runs the main module's settled cluster with its lagwatch, and
// returns the address of the page. It ends with the test: by the end of its
// input, so that it can't outlive this process.
func serve(t *testing.T) (url string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "serve")
	build := exec.CommandContext(t.Context(), "go", "build", "-mod=readonly", "-o", program, "./internal/promtest/serve")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the cluster to read: %v\n%s", err, out)
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
			t.Errorf("the cluster to read ended with %v; it said:\n%s", err, &stderr)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("no address of the page: %v", err)
	}
	return strings.TrimSpace(line)
}

// fetch gets a page as a Prometheus does that wants one format and encoding,
// and returns it decoded.
func fetch(url, accept, encoding string) (body []byte, contentType string, err error) {
	request, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("Accept-Encoding", encoding)
	r, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer r.Body.Close()
	got := cmp.Or(r.Header.Get("Content-Encoding"), "identity")
	if r.StatusCode != http.StatusOK || got != encoding {
		return nil, "", fmt.Errorf("HTTP status %s, Content-Encoding %q", r.Status, got)
	}
	body, err = decode(r.Body, got)
	return body, r.Header.Get("Content-Type"), err
}

func decode(r io.Reader, encoding string) ([]byte, error) {
	switch encoding {
	case "gzip":
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(unpacked)
	case "zstd":
		unpacked, err := zstd.NewReader(r)
		if err != nil {
			return nil, err
		}
		defer unpacked.Close()
		return io.ReadAll(unpacked)
	}
	return io.ReadAll(r)
}
