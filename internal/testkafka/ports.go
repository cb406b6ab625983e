package testkafka

import (
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// port is a TCP port of 127.0.0.1 that belongs to one broker for the life of
// its cluster, also while the broker is down.
type port struct {
	number int
	fd     int // a bound socket that never listens, or -1
}

// reservePort takes a free port and keeps it. The held socket has SO_REUSEADDR,
// as Java's listening sockets have, and does not listen; the kernel then gives
// the port to nobody by itself, refuses connections, and lets a broker bind it.
func reservePort() (port, error) {
	fd, err := loopbackSocket()
	if err != nil {
		return port{}, fmt.Errorf("reserving a port: %w", err)
	}
	addr, err := syscall.Getsockname(fd)
	if err != nil {
		syscall.Close(fd)
		return port{}, fmt.Errorf("reserving a port: %w", err)
	}
	p := port{number: addr.(*syscall.SockaddrInet4).Port, fd: fd}
	if !portsCanBeHeld {
		p.release()
	}
	return p, nil
}

func loopbackSocket() (int, error) {
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, err
	}
	err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err != nil {
		syscall.Close(fd)
		return -1, err
	}
	return fd, nil
}

func (p *port) release() {
	if p.fd >= 0 {
		syscall.Close(p.fd)
		p.fd = -1
	}
}

// addr is the port as HOST:PORT.
func (p *port) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.number)) }
