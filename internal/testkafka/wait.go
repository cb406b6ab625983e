package testkafka

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// errGiveUp, wrapped by a condition, ends waitFor before its deadline: the
// condition can no longer come true.
var errGiveUp = errors.New("gave up")

// waitFor asks ready at once and then every interval until it returns nil. When
// ctx ends, the error carries both why ctx ended and what was last missing.
func waitFor(ctx context.Context, interval time.Duration, ready func() error) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		err := ready()
		if err == nil || errors.Is(err, errGiveUp) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}
