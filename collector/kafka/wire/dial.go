package wire

import (
	"context"
	"net"
	"sync"
	"time"
)

// connector opens connections that are ready for requests: TLS and SASL are
// done, each within the limit, before kafka-go gets them. Whatever a peer sends
// until then is read by kmsg's decoder and crypto/tls only. Safe for
// concurrent use.
type connector struct {
	dial     DialFunc
	limit    time.Duration
	tls      TLSFunc
	sasl     *SASL
	clientID string
	attempts *attempts
	session  *session // told of each login
}

// Dial is a DialFunc.
func (c *connector) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, ErrTimeout)
	defer cancel()
	if c.sasl == nil {
		return c.open(ctx, network, address)
	}
	var conn net.Conn
	err := c.attempts.present(ctx, address, func() (presented bool, err error) {
		conn, presented, err = c.openAndLogin(ctx, network, address)
		return presented, err
	})
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// open returns a connection that is not authenticated.
func (c *connector) open(ctx context.Context, network, address string) (*boundedConn, error) {
	conn, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if c.tls == nil {
		return &boundedConn{Conn: conn, limit: c.limit, sniff: true}, nil
	}
	encrypted, err := secure(ctx, conn, address, c.tls)
	if err != nil {
		return nil, err
	}
	return &boundedConn{Conn: encrypted, limit: c.limit}, nil
}

func (c *connector) openAndLogin(ctx context.Context, network, address string) (_ net.Conn, presented bool, err error) {
	// Asked for first: without them there is no use for a connection.
	m, user, password, err := c.sasl.start()
	if err != nil {
		return nil, false, err
	}
	conn, err := c.open(ctx, network, address)
	if err != nil {
		return nil, false, err
	}
	// A login reads and writes until it is done, or the context is.
	until, _ := ctx.Deadline()
	_ = conn.SetDeadline(until)
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	at, lifetime, presented, err := newLogin(conn, c.clientID, c.sasl.Mechanism, user, password).run(ctx, m)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close()
		return nil, presented, err
	}
	c.session.opened(at, lifetime)
	return conn, presented, conn.SetDeadline(time.Time{})
}

// boundedConn is a connection of which no read or write can wait longer than
// limit. kafka-go puts a context's deadline on a connection for an exchange,
// but clears it between exchanges, and gives its own metadata requests as long
// as its cache lives.
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
			return 0, errTLSListener
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
