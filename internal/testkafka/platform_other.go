//go:build unix && !linux

package testkafka

import "syscall"

// childAttr puts a child in its own process group.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// portsCanBeHeld is false: elsewhere two sockets may not share an address even
// though neither listens.
const portsCanBeHeld = false
