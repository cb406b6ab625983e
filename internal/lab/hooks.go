package lab

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Request is a request on its way to a broker. Its body must not be altered.
type Request struct {
	Broker int32
	Body   kmsg.Request
}

// Action is what a hook does with a request. The zero value is [Pass].
type Action struct {
	kind  actionKind
	delay time.Duration
	reply func(kmsg.Request) kmsg.Response
}

type actionKind int

const (
	actionPass actionKind = iota
	actionDrop
	actionHang
	actionDelay
	actionReply
)

// Pass lets the request go on, to the next hook or the broker.
func Pass() Action { return Action{} }

// Drop closes the connection on which the request came, without an answer.
func Drop() Action { return Action{kind: actionDrop} }

// Hang never answers. As a broker answers a connection's requests in order,
// that connection is of no more use.
func Hang() Action { return Action{kind: actionHang} }

// Delay lets the request go on after d, and with it the later requests of its
// connection. Other connections aren't held up.
//
// Under the race detector only one request may be delayed at a time: kfake's own
// bookkeeping of several is racy.
func Delay(d time.Duration) Action { return Action{kind: actionDelay, delay: d} }

// Reply answers in the broker's place. fn may start from
// req.ResponseKind(), which has the right version.
func Reply(fn func(kmsg.Request) kmsg.Response) Action {
	return Action{kind: actionReply, reply: fn}
}

// Once makes a function for [Cluster.OnRequest] that does a with the first
// request and lets all others pass.
func Once(a Action) func(Request) Action { return Times(1, a) }

// Times makes a function for [Cluster.OnRequest] that does a with the first n
// requests and lets all others pass.
func Times(n int64, a Action) func(Request) Action {
	var seen atomic.Int64
	return func(Request) Action {
		if seen.Add(1) > n {
			return Pass()
		}
		return a
	}
}

// Always makes a function for [Cluster.OnRequest] that does a with each
// request.
func Always(a Action) func(Request) Action { return func(Request) Action { return a } }

// Hook is a function that sees requests.
type Hook struct {
	hooks *hooks
	key   kmsg.Key
	fn    func(Request) Action
	hits  atomic.Int64
}

// Hits is how many requests the hook did not let pass untouched.
func (h *Hook) Hits() int { return int(h.hits.Load()) }

// Remove takes the hook out. More calls do nothing.
func (h *Hook) Remove() { h.hooks.remove(h) }

// OnRequest calls fn for each request of an API, before the broker handles
// it, until the hook is removed. Hooks of one API run in the order in which
// they were added, until one answers. The cluster stands still meanwhile: fn
// must not wait for a request to the cluster. It may be called concurrently
// when an earlier request is being delayed.
//
// To fail a single group, topic or partition of a request and have the rest
// answered as usual, use the faults of [Cluster.Fake].
func (c *Cluster) OnRequest(key kmsg.Key, fn func(Request) Action) *Hook {
	h := &Hook{hooks: c.hooks, key: key, fn: fn}
	c.hooks.add(h)
	return h
}

// hooks holds the hooks by API. It installs one control function per API in
// kfake, for good: kfake removes functions from the list it is walking, and
// may pass over the next one for that request.
type hooks struct {
	fake *kfake.Cluster
	done chan struct{}

	mu    sync.Mutex
	byKey map[kmsg.Key][]*Hook // never altered in place
}

func newHooks(fake *kfake.Cluster) *hooks {
	return &hooks{fake: fake, done: make(chan struct{}), byKey: make(map[kmsg.Key][]*Hook)}
}

func (hs *hooks) add(h *Hook) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	old, installed := hs.byKey[h.key]
	hs.byKey[h.key] = append(old[:len(old):len(old)], h)
	if !installed {
		hs.fake.ControlKey(int16(h.key), hs.handle)
	}
}

func (hs *hooks) remove(h *Hook) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	var kept []*Hook
	for _, o := range hs.byKey[h.key] {
		if o != h {
			kept = append(kept, o)
		}
	}
	hs.byKey[h.key] = kept
}

func (hs *hooks) active(key kmsg.Key) []*Hook {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	return hs.byKey[key]
}

// close ends all delays.
func (hs *hooks) close() { close(hs.done) }

var errDropped = errors.New("dropped by a hook")

// handle is the control function of every API that has hooks; its results
// are those of [kfake.Cluster.ControlKey].
func (hs *hooks) handle(body kmsg.Request) (kmsg.Response, error, bool) { //nolint:revive // kfake's signature
	req := Request{Broker: hs.fake.CurrentNode(), Body: body}
	for _, h := range hs.active(kmsg.Key(body.Key())) {
		a := h.fn(req)
		if a.kind == actionPass {
			continue
		}
		h.hits.Add(1)
		if a.kind == actionDelay {
			hs.fake.SleepControl(func() { hs.sleep(a.delay) })
			continue
		}
		hs.fake.KeepControl()
		switch a.kind {
		case actionDrop:
			return nil, errDropped, true
		case actionReply:
			return a.reply(body), nil, true
		default: // actionHang
			return nil, nil, true
		}
	}
	return nil, nil, false
}

func (hs *hooks) sleep(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-hs.done:
	}
}
