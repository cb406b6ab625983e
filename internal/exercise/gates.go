package exercise

import (
	"context"
	"sync"
)

// gates hold workers up: the first that comes to an operation with a gate waits
// there until it is opened. Whoever comes second, after the partition changed hands,
// passes. Its methods may be called concurrently.
type gates struct {
	mu    sync.Mutex
	gates map[string]*gate
}

type gate struct {
	taken bool
	open  chan struct{}
}

// hold closes the gate of some operations.
func (g *gates) hold(operations ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gates == nil {
		g.gates = map[string]*gate{}
	}
	for _, o := range operations {
		g.gates[o] = &gate{open: make(chan struct{})}
	}
}

// release opens the gates of some operations.
func (g *gates) release(operations ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, o := range operations {
		close(g.gates[o].open)
		delete(g.gates, o)
	}
}

// at returns the gate that an operation's first worker has to wait at, nil for
// everybody else.
func (g *gates) at(operation string) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	gate := g.gates[operation]
	if gate == nil || gate.taken {
		return nil
	}
	gate.taken = true
	return gate
}

// wait waits until the gate is open. It reports false when ctx ended first: the
// process of the worker is gone.
func (g *gate) wait(ctx context.Context) bool {
	select {
	case <-g.open:
		return true
	case <-ctx.Done():
		return false
	}
}
