package lab

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
)

// Link is how a broker can be reached. A broker that cannot is still named in
// the answers of the others, with its partitions and groups: nothing fails
// over, as in the first moments after a real broker died.
type Link int

const (
	LinkUnknown Link = iota
	LinkUp           // as a broker should be
	LinkDown         // connections are closed, new ones as soon as they are accepted
	LinkHung         // connections are accepted and kept, and nothing is answered
)

// String is the state in lower case.
func (l Link) String() string {
	switch l {
	case LinkUp:
		return "up"
	case LinkDown:
		return "down"
	case LinkHung:
		return "hung"
	case LinkUnknown:
		return "unknown"
	}
	return fmt.Sprintf("Link(%d)", int(l))
}

// SetLink changes how a broker can be reached. Requests that a hung broker
// withheld are answered once it is up again.
func (c *Cluster) SetLink(broker int32, l Link) error {
	p := c.wire.port(broker)
	if p == nil {
		return fmt.Errorf("setting the link of broker %d: no such broker", broker)
	}
	switch l {
	case LinkUp, LinkDown, LinkHung:
		p.set(l)
		return nil
	case LinkUnknown:
	}
	return fmt.Errorf("setting the link of broker %d: no state %s", broker, l)
}

// wire stands between the sockets and kfake. It sees every request without
// taking part in its handling, which kfake's control functions can't do: they
// see none that another one answered first.
type wire struct {
	listenFn func(network, address string) (net.Listener, error)
	dialFn   func(ctx context.Context, network, address string) (net.Conn, error)
	tls      *tls.Config

	mu       sync.Mutex
	ports    []*port // by broker id
	counters map[*Counter]struct{}
}

func newWire(o Options) *wire {
	w := &wire{
		listenFn: net.Listen,
		dialFn:   (&net.Dialer{}).DialContext,
		tls:      o.TLS,
		counters: make(map[*Counter]struct{}),
	}
	if o.Network != nil {
		w.listenFn, w.dialFn = o.Network.Listen, o.Network.DialContext
	}
	return w
}

// listen is called by kfake once per broker, in the order of their ids.
func (w *wire) listen(network, address string) (net.Listener, error) {
	ln, err := w.listenFn(network, address)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := &port{
		Listener: ln,
		wire:     w,
		broker:   int32(len(w.ports)),
		link:     LinkUp,
		changed:  make(chan struct{}),
		conns:    make(map[*tap]struct{}),
	}
	w.ports = append(w.ports, p)
	return p, nil
}

func (w *wire) port(broker int32) *port {
	w.mu.Lock()
	defer w.mu.Unlock()
	if broker < 0 || int(broker) >= len(w.ports) {
		return nil
	}
	return w.ports[broker]
}

// open brings all links up.
func (w *wire) open() {
	w.mu.Lock()
	ports := w.ports
	w.mu.Unlock()
	for _, p := range ports {
		p.set(LinkUp)
	}
}

// Dial is how clients reach a broker, whichever network it is on.
func (c *Cluster) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.wire.dialFn(ctx, network, address)
	if err != nil || c.opts.ClientTLS == nil {
		return conn, err
	}
	secure := tls.Client(conn, c.opts.ClientTLS)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

// port is the listener of one broker.
type port struct {
	net.Listener
	wire   *wire
	broker int32

	mu      sync.Mutex
	link    Link
	changed chan struct{} // closed when link changes
	conns   map[*tap]struct{}
}

func (p *port) set(l Link) {
	p.mu.Lock()
	if p.link == l {
		p.mu.Unlock()
		return
	}
	p.link = l
	close(p.changed)
	p.changed = make(chan struct{})
	var cut []*tap
	if l == LinkDown {
		for t := range p.conns {
			cut = append(cut, t)
		}
	}
	p.mu.Unlock()
	for _, t := range cut {
		_ = t.Close()
	}
}

// Accept returns the next connection that is to be served.
func (p *port) Accept() (net.Conn, error) {
	for {
		conn, err := p.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if p.wire.tls != nil {
			conn = tls.Server(conn, p.wire.tls)
		}
		t := &tap{Conn: conn, port: p, closed: make(chan struct{})}
		p.mu.Lock()
		down := p.link == LinkDown
		if !down {
			p.conns[t] = struct{}{}
		}
		p.mu.Unlock()
		if !down {
			return t, nil
		}
		_ = conn.Close()
	}
}

// tap is a broker's end of a connection.
type tap struct {
	net.Conn
	port *port

	// Of Read, which kfake calls from one goroutine at a time.
	frames frames
	buf    []byte
	unread []byte // of buf

	once   sync.Once
	closed chan struct{}
}

// readAhead is how much Read takes off the connection at once, so that a
// request's header is seen whole although kfake asks for its size first.
const readAhead = 4 << 10

// Read reads, counts the requests that were read, and withholds them while
// the broker hangs.
func (t *tap) Read(b []byte) (int, error) {
	if len(t.unread) == 0 {
		if t.buf == nil {
			t.buf = make([]byte, readAhead)
		}
		n, err := t.Conn.Read(t.buf)
		t.unread = t.buf[:n]
		t.frames.feed(t.unread, func(h header) { t.port.wire.count(t.port.broker, h) })
		if n == 0 {
			return 0, err
		}
	}
	t.wait()
	n := copy(b, t.unread)
	t.unread = t.unread[n:]
	return n, nil
}

// Write writes, but not while the broker hangs.
func (t *tap) Write(b []byte) (int, error) {
	t.wait()
	return t.Conn.Write(b)
}

// Close closes the connection and wakes who waits on it.
func (t *tap) Close() error {
	t.once.Do(func() {
		close(t.closed)
		t.port.mu.Lock()
		delete(t.port.conns, t)
		t.port.mu.Unlock()
	})
	return t.Conn.Close()
}

// wait blocks while the broker hangs.
func (t *tap) wait() {
	for {
		t.port.mu.Lock()
		hung, changed := t.port.link == LinkHung, t.port.changed
		t.port.mu.Unlock()
		if !hung {
			return
		}
		select {
		case <-changed:
		case <-t.closed:
			return
		}
	}
}
