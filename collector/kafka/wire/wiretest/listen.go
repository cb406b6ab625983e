package wiretest

import (
	"net"
	"sync"
	"testing"
)

// Listener serves every connection to an address of its own, until the test
// ends.
type Listener struct {
	Addr string

	mu      sync.Mutex
	accepts int
	conns   map[net.Conn]bool
}

// Listen serves each connection in a goroutine of its own. The connection is
// closed when serve returns, and by the end of the test at the latest, which
// waits for all.
func Listen(t *testing.T, serve func(net.Conn)) *Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Listener{Addr: l.Addr().String(), conns: map[net.Conn]bool{}}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.opened(conn)
			wg.Go(func() {
				defer s.closed(conn)
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		s.CloseAll()
		wg.Wait()
	})
	return s
}

func (s *Listener) opened(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepts++
	s.conns[conn] = true
}

func (s *Listener) closed(conn net.Conn) {
	s.mu.Lock()
	delete(s.conns, conn)
	s.mu.Unlock()
	_ = conn.Close()
}

// CloseAll closes the connections that are open, and returns how many.
func (s *Listener) CloseAll() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
	return len(s.conns)
}

// Accepted is how many connections there were.
func (s *Listener) Accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepts
}
