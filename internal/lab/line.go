package lab

import (
	"context"
	"errors"
	"net"
	"sync"
)

// Line is a client's way to its brokers, which a crash cuts. Its methods may be
// called concurrently.
type Line struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu     sync.Mutex
	conns  map[*lineConn]struct{}
	broken bool
}

type lineConn struct {
	net.Conn
	line *Line
}

var errCut = errors.New("the line is cut")

// NewLine is a line of connections that dial makes.
func NewLine(dial func(ctx context.Context, network, address string) (net.Conn, error)) *Line {
	return &Line{dial: dial}
}

// Dial connects while the line is whole.
func (l *Line) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := l.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken {
		_ = conn.Close()
		return nil, errCut
	}
	if l.conns == nil {
		l.conns = make(map[*lineConn]struct{})
	}
	c := &lineConn{Conn: conn, line: l}
	l.conns[c] = struct{}{}
	return c, nil
}

// Close closes the connection and lets go of it.
func (c *lineConn) Close() error {
	c.line.mu.Lock()
	delete(c.line.conns, c)
	c.line.mu.Unlock()
	return c.Conn.Close()
}

// Cut closes all connections and lets no more be made.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = true
	for c := range l.conns {
		_ = c.Conn.Close()
	}
}
