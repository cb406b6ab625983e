//go:build image && linux

package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The Dockerfile has to say by itself who runs what: the base says otherwise.
const baseText = "FROM scratch\nCOPY etc /etc\nUSER 0\nENTRYPOINT [\"/bin/false\"]\nCMD [\"none\"]\n"

// What the official image sets, but for the modules: they are in the image, and
// nobody else is asked.
const goText = `FROM scratch
COPY . /
ENV PATH=/usr/local/go/bin:/bin GOPATH=/go GOTOOLCHAIN=local GOPROXY=file:///proxy GOSUMDB=off
`

// buildBase builds localhost/base, which stands for distroless.
func (b *builder) buildBase() {
	b.t.Helper()
	b.write("base/etc/ssl/certs/ca-certificates.crt", "no authorities\n")
	b.buildFrom("base", baseText)
}

// buildGo builds localhost/golang, which stands for the official image: this
// machine's Go, a shell, and the modules of source out of this machine's cache.
func (b *builder) buildGo(source string) {
	b.t.Helper()
	root := b.mkdir("golang")
	shell, err := os.ReadFile(busybox())
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("golang/bin/sh", string(shell))
	if err := os.Chmod(root+"/bin/sh", 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Chmod(b.mkdir("golang/tmp"), 0o1777); err != nil {
		b.t.Fatal(err)
	}
	pipe(b.t, goEnv(b.t, "GOROOT"), b.mkdir("golang/usr/local/go"),
		"tar -ch --mode=a+rX --exclude=testdata --exclude='*_test.go' --exclude=src/cmd bin/go pkg src VERSION go.env")
	modules := b.dir + "/modules"
	cmd := exec.Command("go", "mod", "download")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOMODCACHE="+modules, "GOFLAGS=-modcacherw", "GOSUMDB=off",
		"GOPROXY=file://"+goEnv(b.t, "GOMODCACHE")+"/cache/download")
	output(b.t, cmd)
	if err := os.Rename(modules+"/cache/download", root+"/proxy"); err != nil {
		b.t.Fatal(err)
	}
	b.buildFrom("golang", goText)
}

// buildFrom builds localhost/NAME from the folder of that name.
func (b *builder) buildFrom(name, text string) {
	b.t.Helper()
	b.write(name+".Dockerfile", text)
	b.buildah("build", "--quiet", "--file", b.dir+"/"+name+".Dockerfile", "--tag", name, b.dir+"/"+name)
}

func (b *builder) write(name, text string) {
	b.t.Helper()
	b.mkdir(filepath.Dir(name))
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// source copies the working tree, without what git ignores, to a folder.
func (b *builder) source(name string) string {
	b.t.Helper()
	dir := b.mkdir(name)
	pipe(b.t, "../..", dir, "git ls-files -z --cached --others --exclude-standard | tar -c --mode=a+rX --ignore-failed-read --null -T -")
	return dir
}

// pipe unpacks in a folder the archive that a shell's command writes in another.
func pipe(t *testing.T, from, to, command string) {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", command+` | tar -x --no-same-owner -C "$1"`, "bash", to)
	cmd.Dir = from
	output(t, cmd)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(string(output(t, exec.Command("go", "env", name))))
}
