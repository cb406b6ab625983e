package testkafka

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// process is a running child that dies with this process.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the child has been waited for
	err  error         // of Wait; read after done
}

// startProcess starts cmd in its own process group.
//
// The parent-death signal is sent when the *thread* that forked ends, and Go
// ends idle or locked threads as it likes. So one goroutine keeps the forking
// thread to itself and stays on it until the child is gone.
func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, done: make(chan struct{})}
	cmd.SysProcAttr = childAttr()
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Args[0], err)
	}
	return p, nil
}

// exited reports whether the child is gone.
func (p *process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *process) signal(sig os.Signal) error { return p.cmd.Process.Signal(sig) }

// kill ends the child's whole process group and waits for the child.
func (p *process) kill() {
	if !p.exited() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	}
	<-p.done
}

// wait returns when the child has exited, or with ctx's error.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run runs cmd to its end, kills it when ctx ends, and returns its standard
// output. The error carries the last of what it wrote.
func run(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	p, err := startProcess(cmd)
	if err != nil {
		return "", err
	}
	if err := p.wait(ctx); err != nil {
		p.kill()
		return "", fmt.Errorf("running %s: %w", cmd.Args[0], err)
	}
	if p.err != nil {
		said := lastLines(strings.TrimSpace(stdout.String()+"\n"+stderr.String()), tailLines)
		return stdout.String(), fmt.Errorf("running %s: %w:\n%s", cmd.Args[0], p.err, said)
	}
	return stdout.String(), nil
}
