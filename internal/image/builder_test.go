//go:build image && linux

package image

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostID is the user that root's builder is on the machine; nobody has it.
const hostID = 1 << 30

// builder runs commands, buildah above all, in a user namespace: they are root
// there, and a user without rights on the machine. That is whoever runs the
// test, or hostID if it is root, from whom a namespace alone takes little away.
type builder struct {
	t     *testing.T
	dir   string // all that is built and stored; of the namespace's root
	store string // buildah with its storage, as words for a shell
	began time.Time
}

// newBuilder skips the test where a tool is missing or no namespace is given;
// in CI both fail it.
func newBuilder(t *testing.T) *builder {
	t.Helper()
	lacks := t.Skipf
	if os.Getenv("CI") == "true" {
		lacks = t.Fatalf
	}
	if _, err := exec.LookPath("buildah"); err != nil {
		lacks("needs buildah: apt-get install buildah")
	}
	if busybox() == "" {
		lacks("needs a static busybox for the shell of the Go image: apt-get install busybox-static")
	}
	syscall.Umask(0o022) // the namespace's users have to read what is written
	dir, err := os.MkdirTemp("", "lagwatch-image-")
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{t: t, dir: dir, began: time.Now()}
	b.store = "buildah --root " + dir + "/own/root --runroot " + dir + "/own/run --storage-driver vfs"
	own := b.mkdir("own")
	t.Cleanup(b.remove)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := b.enter(own); err != nil {
		lacks("no user namespace here: %v; root is refused one by seccomp, by user.max_user_namespaces=0, and in a "+
			"container without user %d; others by kernel.unprivileged_userns_clone=0, by kernel.apparmor_restrict_unprivileged_userns=1, "+
			"and without newuidmap (apt-get install uidmap) or a range in /etc/subuid and /etc/subgid", err, hostID)
	}
	return b
}

// enter tries the namespace, and makes there the folders that buildah needs.
func (b *builder) enter(own string) error {
	if os.Geteuid() == 0 {
		if err := os.Chown(own, hostID, hostID); err != nil {
			return err
		}
	}
	if out, err := b.command("mkdir", "-p", own+"/run", own+"/tmp").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// remove deletes what belongs to users of the namespace there, and the rest.
func (b *builder) remove() {
	b.command("rm", "-rf", b.dir+"/own/root", b.dir+"/own/run", b.dir+"/own/tmp").Run()
	if err := os.RemoveAll(b.dir); err != nil {
		b.t.Errorf("something is left behind: %v", err)
	}
}

func (b *builder) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	if os.Geteuid() == 0 {
		ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: hostID, Size: 1 << 16}}
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: ids, GidMappings: ids, GidMappingsEnableSetgroups: true,
			Credential: &syscall.Credential{Uid: 0, Gid: 0},
		}
	} else {
		// Not buildah unshare: it dies of SIGTERM and leaves behind what it runs.
		cmd = exec.Command("unshare", append([]string{"--user", "--map-root-user", "--map-auto", "--mount", name}, args...)...)
	}
	cmd.Dir = b.dir
	own := b.dir + "/own"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + own, "TMPDIR=" + own + "/tmp",
		"XDG_RUNTIME_DIR=" + own + "/run", "BUILDAH_ISOLATION=chroot"}
	return cmd
}

// output returns what a command in the namespace prints on stdout.
func (b *builder) output(name string, args ...string) []byte {
	b.t.Helper()
	return output(b.t, b.command(name, args...))
}

// buildah returns what buildah prints, without the end of the line.
func (b *builder) buildah(args ...string) string {
	b.t.Helper()
	all := append(strings.Fields(b.store), args...)
	return strings.TrimSpace(string(b.output(all[0], all[1:]...)))
}

func (b *builder) mkdir(name string) string {
	b.t.Helper()
	dir := filepath.Join(b.dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	return dir
}

// step says what begins.
func (b *builder) step(text string) {
	b.t.Helper()
	b.t.Logf("%3.0f s: %s", time.Since(b.began).Seconds(), text)
}

func output(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(cmd.Args, " "), err, &stdout, &stderr)
	}
	return stdout.Bytes()
}

// busybox returns the path of a busybox that runs without libraries, or "".
func busybox() string {
	path, err := exec.LookPath("busybox")
	if err != nil {
		return ""
	}
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if interpreter(f) != "" {
		return ""
	}
	return path
}

// interpreter returns what loads the libraries of a program; "" if it is static.
func interpreter(f *elf.File) string {
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			name := make([]byte, p.Filesz)
			n, _ := p.ReadAt(name, 0)
			return cmp.Or(strings.TrimRight(string(name[:n]), "\x00"), "one without a name")
		}
	}
	return ""
}
