package testkafka

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Options describe a cluster; the zero value is three brokers of
// [DefaultVersion].
type Options struct {
	// Brokers is their number; 0 means 3. From Kafka 3.3 on each is a broker and
	// a controller, so fewer than half may be down for metadata to change.
	Brokers int
	// Version is MAJOR.MINOR.PATCH, 2.8.0 or later; empty means DefaultVersion.
	// Before 3.3 a ZooKeeper server that outlives the brokers keeps the metadata.
	Version string
	// Properties are broker settings that win over the package's own. The
	// client listener must stay plaintext: readiness is asked over it.
	Properties map[string]string
	// RequestLog makes brokers log every request, for Cluster.Requests. It also
	// gives each listener a single network thread.
	RequestLog bool
	// Listeners are more client listeners, with TLS or SASL. The plaintext one
	// stays, for the package and its driver.
	Listeners []Listener
	// PlainUsers are the passwords of SASL PLAIN, by user.
	PlainUsers map[string]string
	// Authorizer makes brokers refuse what no ACL allows, to everyone but
	// Anonymous, and log each decision, for Cluster.Authorizations. It needs
	// Kafka 3.3 or later.
	Authorizer bool
	// Dir holds the brokers' data and logs and is left in place; it must not
	// hold those of another cluster. When empty, a temporary folder is used,
	// which Close removes.
	Dir string
}

// Cluster is a running Kafka cluster. Its methods may be called concurrently;
// calls that change the same broker are done one after the other.
type Cluster struct {
	opts    Options
	dist    Distribution
	dir     string
	ownDir  bool
	id      string
	keeper  *zookeeper // nil with KRaft
	brokers []*Broker  // broker n at index n-1
	fences  atomic.Int64

	mu      sync.Mutex         // guards drivers and closed
	drivers map[string]*Driver // by the version of their clients
	closed  bool
}

// Start starts a cluster and returns when every broker serves and knows all the
// others. It bounds the wait itself as well; ctx counts only until Start
// returns. The caller must Close the cluster. A missing program is a
// [*MissingToolError].
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	if opts.Brokers == 0 {
		opts.Brokers = 3
	}
	if opts.Version == "" {
		opts.Version = DefaultVersion
	}
	rel, err := parseRelease(opts.Version)
	if err != nil {
		return nil, err
	}
	if opts.Brokers < 0 || !rel.atLeast(2, 8) {
		return nil, fmt.Errorf("starting %d brokers of Kafka %s: want 1 or more, of 2.8.0 or later", opts.Brokers, opts.Version)
	}
	dist, err := Ensure(ctx, opts.Version)
	if err != nil {
		return nil, err
	}
	c, err := newCluster(opts, dist, rel.needsZooKeeper())
	if err != nil {
		return nil, err
	}
	if err := c.startAll(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// newCluster makes the folders and takes the ports.
func newCluster(opts Options, dist Distribution, keeper bool) (*Cluster, error) {
	c := &Cluster{opts: opts, dist: dist, dir: opts.Dir, id: randomID(), drivers: map[string]*Driver{}}
	if c.dir == "" {
		dir, err := os.MkdirTemp("", "testkafka-")
		if err != nil {
			return nil, fmt.Errorf("creating a cluster folder: %w", err)
		}
		c.dir, c.ownDir = dir, true
	}
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return nil, fmt.Errorf("resolving the cluster folder: %w", err)
	}
	c.dir = dir
	if keeper {
		if c.keeper, err = newZooKeeper(filepath.Join(c.dir, "zookeeper"), dist); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	for id := 1; id <= opts.Brokers; id++ {
		b, err := newBroker(id, filepath.Join(c.dir, "broker-"+strconv.Itoa(id)), dist)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.brokers = append(c.brokers, b)
		if err := b.reserveListeners(opts.Listeners); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// randomID is a Kafka cluster id: 16 random bytes in unpadded URL base64. The
// first byte is fixed because the tool takes a leading '-' for an option.
func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[1:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func (c *Cluster) startAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errNotReady)
	defer cancel()
	if err := c.keeper.start(ctx); err != nil {
		return err
	}
	g, launching := errgroup.WithContext(ctx)
	for _, b := range c.brokers {
		g.Go(func() error {
			if err := c.format(launching, b); err != nil {
				return err
			}
			return c.launch(b)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return c.waitReady(ctx, c.brokers)
}

// Bootstrap returns the client addresses of all brokers, up or down, by id.
func (c *Cluster) Bootstrap() []string {
	var addrs []string
	for _, b := range c.brokers {
		addrs = append(addrs, b.Addr())
	}
	return addrs
}

// Version is the Kafka version that the cluster was started as. See Upgrade.
func (c *Cluster) Version() string { return c.opts.Version }

// Broker returns a broker by its id, 1 to Options.Brokers. It panics for any
// other id, which is a mistake in the test.
func (c *Cluster) Broker(id int) *Broker {
	b, err := c.broker(id)
	if err != nil {
		panic("testkafka: " + err.Error())
	}
	return b
}

func (c *Cluster) broker(id int) (*Broker, error) {
	if id < 1 || id > len(c.brokers) {
		return nil, fmt.Errorf("no broker %d: the cluster has 1 to %d", id, len(c.brokers))
	}
	return c.brokers[id-1], nil
}

// Log is the path of a broker's log, which all its runs share.
func (c *Cluster) Log(id int) string { return c.Broker(id).log() }

// Close kills the drivers and the brokers, waits for them and removes the
// cluster's folder unless the caller chose it. Later calls do nothing.
func (c *Cluster) Close() error {
	c.mu.Lock()
	drivers, closed := c.drivers, c.closed
	c.drivers, c.closed = nil, true
	c.mu.Unlock()
	if closed {
		return nil
	}
	for _, d := range drivers {
		d.Kill()
	}
	for _, b := range c.brokers {
		b.close()
	}
	c.keeper.close()
	if !c.ownDir {
		return nil
	}
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("removing the cluster's folder: %w", err)
	}
	return nil
}
