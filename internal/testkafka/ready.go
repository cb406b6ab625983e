package testkafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// startTimeout bounds how long brokers may take to serve.
const startTimeout = 2 * time.Minute

var errNotReady = fmt.Errorf("not serving after %v", startTimeout)

// waitReady waits until every running broker lists all of want as alive. The
// error ends with the log of the broker that was waited for.
func (c *Cluster) waitReady(ctx context.Context, want []*Broker) error {
	return waitFor(ctx, 100*time.Millisecond, func() error {
		for _, b := range c.brokers {
			if err := c.checkReady(ctx, b, want); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkReady asks one broker which others it knows. Brokers that can't answer
// because the test took them down don't count, unless they are wanted.
func (c *Cluster) checkReady(ctx context.Context, b *Broker, want []*Broker) error {
	running, frozen := b.up()
	wanted := slices.Contains(want, b)
	switch {
	case wanted && !running:
		return fmt.Errorf("%w: broker %d exited; the end of its log:\n%s", errGiveUp, b.id, tail(b.log()))
	case !running || frozen:
		return nil
	}
	known, err := askBrokers(ctx, b.Addr(), "testkafka-ready")
	for _, w := range want {
		if err == nil && !slices.Contains(known, w.id) {
			err = fmt.Errorf("it does not list broker %d as alive", w.id)
		}
	}
	if err != nil {
		return fmt.Errorf("broker %d is not ready: %w; the end of its log:\n%s", b.id, err, tail(b.log()))
	}
	return nil
}

// askBrokers asks a broker for the ids of those it knows to be alive.
func askBrokers(ctx context.Context, addr, clientID string) ([]int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("no answer after 5s"))
	defer cancel()
	frame, err := exchange(ctx, addr, metadataRequest(clientID))
	if err != nil {
		return nil, err
	}
	return parseMetadata(frame)
}
