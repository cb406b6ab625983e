package promtest

import (
	"os"
	"os/exec"
	"runtime"
)

// process is a running child that dies with this process, where the system has
// a way to arrange that.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the child has been waited for
	err  error         // of Wait; read after done
}

// startProcess starts cmd. The signal for a parent's death is sent when the
// thread that forked ends, so one goroutine keeps that thread until the child
// is gone.
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
	return p, <-started
}

func (p *process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *process) signal(sig os.Signal) error { return p.cmd.Process.Signal(sig) }

// kill ends the child at once and waits for it.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}
