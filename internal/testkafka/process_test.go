package testkafka

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const helperVar = "TESTKAFKA_HELPER"

// TestHelperProcess is not a test: TestChildrenDieWithTest runs it as the
// process that is killed. It starts a child, says which, and waits.
func TestHelperProcess(t *testing.T) {
	if os.Getenv(helperVar) == "" {
		return
	}
	p, err := startProcess(exec.Command("sleep", "600"))
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString(strconv.Itoa(p.cmd.Process.Pid) + "\n")
	<-p.done
}

func TestChildrenDieWithTest(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperProcess$")
	cmd.Env = append(os.Environ(), helperVar+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	helper, err := startProcess(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer helper.kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if !alive(child) {
		t.Fatal("the child ended by itself")
	}
	// The helper only: its child is in a process group of its own.
	if err := helper.signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitDeath(t, child)
}

// TestChildOutlivesThread: the parent-death signal used to come when the thread
// that had started the child ended, though the process went on.
func TestChildOutlivesThread(t *testing.T) {
	started := make(chan *process)
	threadEnded := make(chan struct{})
	go func() {
		defer close(threadEnded)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		p, err := startProcess(exec.Command("sleep", "600"))
		if err != nil {
			t.Error(err)
		}
		started <- p
	}()
	p := <-started
	<-threadEnded
	if p == nil {
		return
	}
	defer p.kill()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := p.wait(ctx); err == nil {
		t.Errorf("the child was ended: %v", p.err)
	}
}

func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

func awaitDeath(t *testing.T, pid int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err := waitFor(ctx, 10*time.Millisecond, func() error {
		if alive(pid) {
			return errors.New("it lives")
		}
		return nil
	})
	if err != nil {
		t.Errorf("process %d: %v", pid, err)
	}
}

func TestRun(t *testing.T) {
	out, err := run(t.Context(), exec.Command("sh", "-c", "echo out; echo err >&2"))
	if out != "out\n" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	_, err = run(t.Context(), exec.Command("sh", "-c", "echo because >&2; exit 3"))
	if err == nil || !strings.Contains(err.Error(), "because") || !strings.Contains(err.Error(), "status 3") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := run(ctx, exec.Command("sleep", "600")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if _, err := run(t.Context(), exec.Command("no-such-program")); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}
