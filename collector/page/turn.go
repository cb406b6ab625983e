package page

import (
	"context"
	"sync"
)

// turn is a lock for which nobody waits longer than its context lasts. The zero
// value is free.
type turn struct {
	once sync.Once
	held chan struct{}
}

// begin waits until nobody else has it. After nil the caller has, until end. One
// that is free is given even when ctx is over: a client that has closed its half
// of the connection looks gone and may still read.
func (t *turn) begin(ctx context.Context) error {
	t.once.Do(func() { t.held = make(chan struct{}, 1) })
	select {
	case t.held <- struct{}{}:
		return nil
	default:
	}
	select {
	case t.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *turn) end() { <-t.held }
