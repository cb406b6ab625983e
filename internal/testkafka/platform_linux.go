package testkafka

import "syscall"

// childAttr puts a child in its own process group and has the kernel kill it
// when the thread that started it ends; see startProcess.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// portsCanBeHeld says that a bound socket which does not listen, together with
// SO_REUSEADDR, keeps a port from others and still lets a broker listen on it.
const portsCanBeHeld = true
