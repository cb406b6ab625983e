package kafka

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
)

// tap is lagwatch's end of the wire: it sees every request and answer of its
// connections, in order, and may withhold or alter them. It knows nothing of
// the client beyond the bytes.
type tap struct {
	dial DialFunc

	mu     sync.Mutex
	clock  int
	calls  []*call
	dials  map[string]int
	open   map[*tapConn]bool
	onDial func(ctx context.Context, addr string) error
	onCall func(*call) verdict // before a request goes out; without tap's lock
	onBack func(*call, kmsg.Response)
}

// call is one request and when, in the order of all events, it was sent and
// its answer began to be read; 0 for no answer.
type call struct {
	addr           string
	req            kmsg.Request
	own            bool // the transport's own, not lagwatch's
	sent, answered int
	correlation    int32
}

func (c *call) api() string { return kmsg.NameForKey(c.req.Key()) }

// ownRequest tells what a connection needs from what a poll asks: metadata of
// no topic, which says whose broker it is.
func ownRequest(req kmsg.Request) bool {
	r, ok := req.(*kmsg.MetadataRequest)
	return ok && r.Topics != nil && len(r.Topics) == 0
}

// verdict is what becomes of a request.
type verdict int

const (
	pass verdict = iota
	drop         // the connection is closed instead
	hang         // it never arrives, so it is never answered
)

func newTap(dial DialFunc) *tap {
	return &tap{dial: dial, dials: map[string]int{}, open: map[*tapConn]bool{}}
}

// Dial is a DialFunc.
func (t *tap) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	t.mu.Lock()
	t.dials[addr]++
	refuse := t.onDial
	t.mu.Unlock()
	if refuse != nil {
		if err := refuse(ctx, addr); err != nil {
			return nil, err
		}
	}
	conn, err := t.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c := &tapConn{Conn: conn, tap: t, addr: addr}
	t.mu.Lock()
	t.open[c] = true
	t.mu.Unlock()
	return c, nil
}

// refuse decides over connections from now on, and closes those to addr.
func (t *tap) refuse(addr string, f func(context.Context) error) {
	t.mu.Lock()
	t.onDial = func(ctx context.Context, a string) error {
		if a != addr {
			return nil
		}
		return f(ctx)
	}
	t.mu.Unlock()
	t.cut(addr)
}

// onRequest decides over requests from now on; nil lets all pass.
func (t *tap) onRequest(f func(*call) verdict) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.onCall = f
}

// onAnswer alters answers in place from now on; nil leaves them.
func (t *tap) onAnswer(f func(*call, kmsg.Response)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.onBack = f
}

// reset forgets the calls so far and returns them.
func (t *tap) reset() []*call {
	t.mu.Lock()
	defer t.mu.Unlock()
	calls := t.calls
	t.calls, t.dials = nil, map[string]int{}
	return calls
}

// connections is how many connections are open, to an address or, for "", all.
func (t *tap) connections(addr string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for c := range t.open {
		if addr == "" || c.addr == addr {
			n++
		}
	}
	return n
}

func (t *tap) dialled(addr string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dials[addr]
}

// cut closes the connections to an address from the other side, as it were.
func (t *tap) cut(addr string) {
	t.mu.Lock()
	var cut []*tapConn
	for c := range t.open {
		if c.addr == addr {
			cut = append(cut, c)
		}
	}
	t.mu.Unlock()
	for _, c := range cut {
		_ = c.Conn.Close()
	}
}

// requests counts lagwatch's own requests by API, without ApiVersions, as a
// snapshot does.
func requests(calls []*call) map[string]int {
	n := map[string]int{}
	for _, c := range calls {
		if !c.own && c.api() != "ApiVersions" {
			n[c.api()]++
		}
	}
	return n
}

func total(n map[string]int) (sum int) {
	for _, k := range n {
		sum += k
	}
	return sum
}

func ofAPI(calls []*call, key kmsg.Key) []*call {
	return slices.DeleteFunc(slices.Clone(calls), func(c *call) bool { return c.own || c.req.Key() != int16(key) })
}

// tapConn is one connection of a tap.
type tapConn struct {
	net.Conn
	tap  *tap
	addr string

	mu      sync.Mutex
	frames  int
	in      []byte // of a request, until it is whole
	waiting []*call

	out []byte // of an answer, still to be read; Read only
}

func (c *tapConn) Close() error {
	c.tap.mu.Lock()
	delete(c.tap.open, c)
	c.tap.mu.Unlock()
	return c.Conn.Close()
}

func (c *tapConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in = append(c.in, b...)
	for len(c.in) >= 4 {
		size := 4 + int(binary.BigEndian.Uint32(c.in))
		if len(c.in) < size {
			break
		}
		frame := slices.Clone(c.in[:size])
		c.in = c.in[size:]
		if err := c.send(frame); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

func (c *tapConn) send(frame []byte) error {
	req, correlation := wiretest.Request(frame)
	k := &call{addr: c.addr, req: req, correlation: correlation}
	c.frames++
	k.own = ownRequest(k.req)
	c.tap.mu.Lock()
	decide := c.tap.onCall
	c.tap.mu.Unlock()
	v := pass
	if decide != nil {
		v = decide(k)
	}
	c.tap.mu.Lock()
	c.tap.clock++
	k.sent = c.tap.clock
	c.tap.calls = append(c.tap.calls, k)
	c.tap.mu.Unlock()
	switch v {
	case drop:
		_ = c.Conn.Close()
		return io.EOF
	case hang:
		return nil
	default:
		c.waiting = append(c.waiting, k)
		_, err := c.Conn.Write(frame)
		return err
	}
}

func (c *tapConn) Read(b []byte) (int, error) {
	if len(c.out) == 0 {
		frame, err := wiretest.ReadFrame(c.Conn)
		if err != nil {
			return 0, err
		}
		c.out = c.back(frame)
	}
	n := copy(b, c.out)
	c.out = c.out[n:]
	return n, nil
}

// back passes an answer on, altered where that is wanted.
func (c *tapConn) back(frame []byte) []byte {
	c.mu.Lock()
	k := c.waiting[0]
	c.waiting = c.waiting[1:]
	c.mu.Unlock()
	c.tap.mu.Lock()
	c.tap.clock++
	k.answered = c.tap.clock
	alter := c.tap.onBack
	c.tap.mu.Unlock()
	if alter == nil || k.own {
		return frame
	}
	resp := k.req.ResponseKind()
	resp.SetVersion(k.req.GetVersion())
	body := frame[8:]
	if resp.IsFlexible() && resp.Key() != int16(kmsg.ApiVersions) {
		body = body[1:]
	}
	if err := resp.ReadFrom(body); err != nil {
		return frame // an ApiVersions answer of another version
	}
	alter(k, resp)
	return wiretest.AppendAnswer(nil, k.correlation, resp)
}
