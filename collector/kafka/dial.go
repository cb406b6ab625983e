package kafka

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// errTLSAlert says that the peer answered with a TLS record where a Kafka
// frame was due.
var errTLSAlert = errors.New("the broker speaks TLS here, and lagwatch plaintext")

// DialFunc opens a connection, as [net.Dialer.DialContext] does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// bounded wraps dial so that no read or write of its connections can wait
// longer than limit. kafka-go puts a context's deadline on a connection for an
// exchange, but clears it before SASL and between exchanges, and gives its own
// metadata requests as long as its cache lives.
func bounded(dial DialFunc, limit time.Duration, plaintext bool) DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &boundedConn{Conn: c, limit: limit, sniff: plaintext}, nil
	}
}

type boundedConn struct {
	net.Conn
	limit time.Duration
	sniff bool // the next bytes read are the connection's first, in plaintext

	mu    sync.Mutex
	until time.Time // the deadline that was asked for; zero is none
	local []byte    // answers to kafka-go's own requests, not read yet
}

// SetDeadline keeps the deadline; each read and write applies the nearer of it
// and the limit.
func (c *boundedConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	c.until = t
	c.mu.Unlock()
	return c.Conn.SetDeadline(c.deadline())
}

func (c *boundedConn) deadline() time.Time {
	limit := time.Now().Add(c.limit)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.until.IsZero() || c.until.After(limit) {
		return limit
	}
	return c.until
}

func (c *boundedConn) Read(b []byte) (int, error) {
	if n := c.readLocal(b); n > 0 {
		return n, nil
	}
	if err := c.SetReadDeadline(c.deadline()); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(b)
	if c.sniff && n > 0 {
		c.sniff = false
		if isTLSRecord(b[:n]) {
			return 0, errTLSAlert
		}
	}
	return n, err
}

// readLocal reads what was answered without asking the broker.
func (c *boundedConn) readLocal(b []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := copy(b, c.local)
	c.local = c.local[n:]
	return n
}

func (c *boundedConn) Write(b []byte) (int, error) {
	if answer, ok := localAnswer(b); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.local = append(c.local, answer...)
		return len(b), nil
	}
	if err := c.SetWriteDeadline(c.deadline()); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// isTLSRecord tells whether b begins with a TLS alert or handshake record
// (RFC 8446 §5.1). As the size of a Kafka frame it would be above 350 MB.
func isTLSRecord(b []byte) bool {
	return len(b) >= 3 && (b[0] == 0x15 || b[0] == 0x16) && b[1] == 3 && b[2] <= 4
}
