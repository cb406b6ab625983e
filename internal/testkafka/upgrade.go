package testkafka

import (
	"context"
	"fmt"
)

// Upgrade stops a broker as Stop does and starts it as another version of
// Kafka, on its old ports and data, as StartBroker does. It is one step of a
// rolling upgrade: the others stay as they are, and so does what brokers must
// agree on, the metadata version (in a cluster with ZooKeeper
// inter.broker.protocol.version, which has to be among Options.Properties from
// the beginning). The version has to be one that can take over such a cluster.
func (c *Cluster) Upgrade(ctx context.Context, id int, version string) error {
	what := fmt.Sprintf("upgrading broker %d to Kafka %s", id, version)
	b, err := c.broker(id)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	dist, err := Ensure(ctx, version)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := c.Stop(ctx, id); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	b.mu.Lock()
	b.dist = dist
	b.mu.Unlock()
	if err := c.StartBroker(ctx, id); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Version is the Kafka version that the broker runs, or ran last.
func (b *Broker) Version() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dist.Version
}
