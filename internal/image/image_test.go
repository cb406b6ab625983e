//go:build image && linux

package image

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	version  = "1.2.3-test"
	revision = "5ca1ab1e"
	tag      = "localhost/lagwatch:" + version // what buildah makes of lagwatch:VERSION
	inImage  = "/usr/bin/lagwatch"
)

// config is what an image says of how to run it.
type config struct {
	User         string
	ExposedPorts map[string]struct{}
	Env          []string
	Entrypoint   []string
	Cmd          []string
	Labels       map[string]string
}

// image is lagwatch:VERSION as make image builds it, in a container of its own.
type image struct {
	*builder
	config config
	root   string // the container's files, for commands of the builder
	binary []byte
}

func TestImage(t *testing.T) {
	b := newBuilder(t)
	m := b.build()
	t.Run("rootless", func(t *testing.T) { checkRootless(t, b) })
	t.Run("config", func(t *testing.T) { checkConfig(t, m.config) })
	t.Run("contents", func(t *testing.T) { checkContents(t, m) })
	t.Run("static", func(t *testing.T) { checkStatic(t, m.binary) })
	t.Run("version", func(t *testing.T) { checkVersion(t, m) })
	t.Run("serves", func(t *testing.T) { checkServes(t, m) })
	t.Run("reproducible", func(t *testing.T) { checkReproducible(t, m) })
	b.step("done")
}

// build is make image with the bases of the tests.
func (b *builder) build() *image {
	b.t.Helper()
	b.step("making the base images out of this machine's Go and modules")
	source := b.source("first/source")
	b.buildBase()
	b.buildGo(source)
	b.step("make image: compiling without a cache, about a minute")
	b.output("make", "--no-print-directory", "-C", source, "image", "VERSION="+version, "REVISION="+revision, "BUILDER="+b.store,
		"IMAGE_FLAGS=--pull-never --build-arg GO_IMAGE=localhost/golang --build-arg BASE=localhost/base")
	b.step("reading the image")
	m := &image{builder: b}
	var inspected struct{ OCIv1 struct{ Config config } }
	if err := json.Unmarshal([]byte(b.buildah("inspect", "--type", "image", tag)), &inspected); err != nil {
		b.t.Fatal(err)
	}
	m.config = inspected.OCIv1.Config
	m.root = b.buildah("mount", b.buildah("from", "--pull-never", tag))
	m.binary = b.output("cat", m.root+inImage)
	return m
}

// The builder is no user of this machine that could do anything.
func checkRootless(t *testing.T, b *builder) {
	mapped := strings.Fields(string(b.output("cat", "/proc/self/uid_map")))
	if len(mapped) < 3 || mapped[1] == "0" {
		t.Errorf("root of the builder's namespace is root here: uid_map %v", mapped)
	}
	if out, err := b.command("cat", "/etc/shadow").Output(); err == nil {
		t.Errorf("the builder can read /etc/shadow, %d bytes", len(out))
	}
}

func checkConfig(t *testing.T, got config) {
	delete(got.Labels, "io.buildah.version")
	const label = "org.opencontainers.image."
	want := config{
		User:         "65532:65532",
		ExposedPorts: map[string]struct{}{"9742/tcp": {}},
		Env:          []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, // as distroless
		Entrypoint:   []string{inImage},
		Cmd:          []string{"serve"},
		Labels: map[string]string{
			label + "title":       "lagwatch",
			label + "description": "Watches Kafka consumer lag, for Prometheus; it only reads",
			label + "licenses":    "Apache-2.0",
			label + "version":     version,
			label + "revision":    revision,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

// Beside lagwatch there is only what the base has, and all of it is root's.
func checkContents(t *testing.T, m *image) {
	const want = `-rw-r--r-- 0:0 etc/ssl/certs/ca-certificates.crt
-rwxr-xr-x 0:0 usr/bin/lagwatch
drwxr-xr-x 0:0 etc
drwxr-xr-x 0:0 etc/ssl
drwxr-xr-x 0:0 etc/ssl/certs
drwxr-xr-x 0:0 usr
drwxr-xr-x 0:0 usr/bin
`
	got := m.output("sh", "-c", `find "$1" -mindepth 1 -printf "%M %U:%G %P\n" | LC_ALL=C sort`, "sh", m.root)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func checkStatic(t *testing.T, binary []byte) {
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		t.Fatal(err)
	}
	if name := interpreter(f); name != "" {
		t.Errorf("it needs %s", name)
	}
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("libraries %v, error %v; want none", libraries, err)
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		t.Fatal(err)
	}
	if want := "github.com/lagwatch/lagwatch/cmd/lagwatch"; info.Path != want {
		t.Errorf("it is %s, want %s", info.Path, want)
	}
}

// What make build makes elsewhere, with this machine's cache, is the same. There
// is no .git there, or it would be stamped with the revision.
func checkReproducible(t *testing.T, m *image) {
	m.step("make build in another folder")
	dir := m.source("second/place/for/source")
	cmd := exec.Command("make", "-C", dir, "build", "VERSION="+version)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	output(t, cmd)
	other, err := os.ReadFile(filepath.Join(dir, "bin/lagwatch"))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := sha256.Sum256(m.binary), sha256.Sum256(other); a != b {
		t.Errorf("sha256 in the image %x, elsewhere %x", a, b)
	} else {
		t.Logf("sha256 of both %x, %d bytes", a, len(other))
	}
}
