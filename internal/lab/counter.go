package lab

import (
	"encoding/binary"
	"maps"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Call is a kind of request: which broker received it, its name as in
// [kmsg.NameForKey], its version, and the client id it carried.
type Call struct {
	Broker  int32
	API     string
	Version int16
	Client  string // "" also for a null client id
}

// Counter counts the requests that reach a cluster's brokers. It counts
// those that a hook or a fault answers too, and those that a hung broker
// withholds. A request is counted before it is answered, so whoever has the
// answer sees it counted.
type Counter struct {
	wire *wire

	mu    sync.Mutex
	calls map[Call]int
}

// CountRequests starts to count. Counting neither takes nor alters requests,
// and counters don't affect each other.
func (c *Cluster) CountRequests() *Counter {
	n := &Counter{wire: c.wire, calls: make(map[Call]int)}
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	c.wire.counters[n] = struct{}{}
	return n
}

// Snapshot is what was counted since the start or the last Reset. The caller
// owns the map.
func (n *Counter) Snapshot() map[Call]int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return maps.Clone(n.calls)
}

// Client is what was counted of one client id, by API name.
func (n *Counter) Client(id string) map[string]int {
	return n.byAPI(func(c Call) bool { return c.Client == id })
}

// APIs is what was counted by API name.
func (n *Counter) APIs() map[string]int {
	return n.byAPI(func(Call) bool { return true })
}

func (n *Counter) byAPI(keep func(Call) bool) map[string]int {
	out := make(map[string]int)
	for c, k := range n.Snapshot() {
		if keep(c) {
			out[c.API] += k
		}
	}
	return out
}

// Total is how many requests were counted, of the named APIs or of all.
func (n *Counter) Total(apis ...string) int {
	var total int
	for api, k := range n.APIs() {
		if len(apis) == 0 || slices.Contains(apis, api) {
			total += k
		}
	}
	return total
}

// Reset starts again at zero.
func (n *Counter) Reset() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.calls)
}

// Stop ends the counting; what was counted stays readable.
func (n *Counter) Stop() {
	n.wire.mu.Lock()
	defer n.wire.mu.Unlock()
	delete(n.wire.counters, n)
}

func (w *wire) count(broker int32, h header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.counters) == 0 {
		return
	}
	call := Call{Broker: broker, API: kmsg.NameForKey(h.key), Version: h.version, Client: h.client}
	for n := range w.counters {
		n.mu.Lock()
		n.calls[call]++
		n.mu.Unlock()
	}
}

// header is the start of a request, the same in all header versions that
// clients use (Kafka protocol guide, "Request Header").
type header struct {
	key, version int16
	client       string
}

// Offsets of fields from the start of a frame, which is its size.
const (
	sizeEnd   = 4
	keyAt     = 4
	versionAt = 6
	clientAt  = 12 // the length of the client id, after the correlation id
	clientEnd = 14
)

// frames splits a stream of bytes into requests, of which it looks at the
// headers only.
type frames struct {
	head []byte // of the current frame, as far as it was read and is of use
	skip int    // bytes of the current frame still to pass over
}

// feed takes the next bytes of the stream and reports each header as soon as
// it is complete.
func (f *frames) feed(b []byte, report func(header)) {
	for len(b) > 0 {
		if f.skip > 0 {
			n := min(f.skip, len(b))
			f.skip -= n
			b = b[n:]
			continue
		}
		n := min(f.wanted()-len(f.head), len(b))
		f.head = append(f.head, b[:n]...)
		b = b[n:]
		if len(f.head) == f.wanted() {
			report(f.header())
			f.skip = max(0, f.size()-len(f.head))
			f.head = f.head[:0]
		}
	}
}

// wanted is how long head has to be, as far as its own bytes tell.
func (f *frames) wanted() int {
	if len(f.head) < clientEnd {
		return clientEnd
	}
	return clientEnd + max(0, int(f.clientLen()))
}

// size is the length of the frame, its size field included.
func (f *frames) size() int { return sizeEnd + int(binary.BigEndian.Uint32(f.head)) }

func (f *frames) clientLen() int16 { return int16(binary.BigEndian.Uint16(f.head[clientAt:])) }

func (f *frames) header() header {
	return header{
		key:     int16(binary.BigEndian.Uint16(f.head[keyAt:])),
		version: int16(binary.BigEndian.Uint16(f.head[versionAt:])),
		client:  string(f.head[clientEnd:]),
	}
}
