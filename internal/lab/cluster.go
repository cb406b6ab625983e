package lab

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// firstVirtualPort numbers the brokers of a cluster on a virtual network,
// which has no ephemeral ports.
const firstVirtualPort = 9092

// ClientID is the client id of the requests that a [Cluster] sends on its own
// behalf: its admin calls and [Cluster.Produce].
const ClientID = "lagwatch-lab"

// Options describe the cluster that [Start] starts. The zero value is three
// empty brokers on free ports.
type Options struct {
	Brokers   int               // how many brokers; 0 means 3
	Ports     []int             // their ports, and then their number too; nil means free ones
	ClusterID string            // "" means "lagwatch-lab"
	Topics    map[string]int32  // topics that exist from the start, and their partitions
	Configs   map[string]string // broker configs, over those of the lab (see defaultConfigs)

	// MaxVersions makes the brokers those of an older Kafka; nil means the
	// newest that kfake speaks rightly.
	MaxVersions *kversion.Versions

	// AutoCreate lets metadata requests that ask for it create topics.
	AutoCreate bool

	// TLS, where set, is what the brokers listen with. ClientTLS is then what
	// the lab's own clients dial with.
	TLS, ClientTLS *tls.Config

	// Network, where set, replaces the loopback interface, so that a cluster
	// and its clients can live in a testing/synctest bubble. Clients that the
	// lab didn't make must dial with Network.DialContext.
	//
	// Classic groups that rebalance while members commit need the build tag
	// "synctests" there: without it franz-go waits for a rebalance on a
	// mutex, which stops a bubble's time for good.
	Network *kfake.VirtualNetwork

	// Extra is passed on to kfake as it is: ACLs, for example.
	Extra []kfake.Opt

	// ClientExtra is added to the options of each of the lab's own clients:
	// SASL, for example.
	ClientExtra []kgo.Opt

	// Log receives warnings of the cluster and the lab's clients, a line at a
	// time, from any goroutine; nil drops them.
	Log func(string)
}

// defaultConfigs make groups settle within a second or two, and logs return
// their memory in small pieces.
//
// A consumer-protocol member learns of its assignment by heartbeat, so its
// interval bounds how fast a group settles; the default is 5 s. kfake keeps
// a log's bytes in memory by whole segments, and a segment goes only when no
// record of it is left; the default is 100 MiB.
func defaultConfigs() map[string]string {
	return map[string]string{
		"group.consumer.heartbeat.interval.ms": "500",
		"group.consumer.session.timeout.ms":    "6000",
		"log.segment.bytes":                    "65536",
	}
}

// Cluster is an embedded Kafka cluster. All its methods may be called
// concurrently.
type Cluster struct {
	opts   Options
	fake   *kfake.Cluster
	wire   *wire
	hooks  *hooks
	client *kgo.Client
	addrs  []string

	mu      sync.Mutex
	traffic map[stopper]struct{} // nil once closed
}

// stopper is traffic that ends with its cluster.
type stopper interface{ Stop() }

// Start starts a cluster. Its brokers have the ids 0 to Brokers-1 and accept
// connections when Start returns. The caller closes it.
func Start(o Options) (*Cluster, error) {
	c := &Cluster{opts: o, wire: newWire(o), traffic: make(map[stopper]struct{})}
	fake, err := kfake.NewCluster(fakeOptions(o, c)...)
	if err != nil {
		return nil, fmt.Errorf("starting the embedded cluster: %w", err)
	}
	c.fake = fake
	c.hooks = newHooks(fake)
	c.addrs = fake.ListenAddrs()
	if c.client, err = c.NewClient(producing(ClientID)...); err != nil {
		fake.Close()
		return nil, err
	}
	return c, nil
}

func fakeOptions(o Options, c *Cluster) []kfake.Opt {
	configs := defaultConfigs()
	maps.Copy(configs, o.Configs)
	id := o.ClusterID
	if id == "" {
		id = "lagwatch-lab"
	}
	opts := []kfake.Opt{
		kfake.ClusterID(id),
		kfake.ListenFn(c.wire.listen),
		kfake.BrokerConfigs(configs),
		kfake.GroupMinSessionTimeout(time.Second),
		kfake.WithLogger(fakeLogger{c}),
	}
	brokers := o.Brokers
	if brokers == 0 {
		brokers = 3
	}
	switch {
	case len(o.Ports) > 0:
		opts = append(opts, kfake.Ports(o.Ports...))
	case o.Network != nil:
		var ports []int
		for i := range brokers {
			ports = append(ports, firstVirtualPort+i)
		}
		opts = append(opts, kfake.Ports(ports...))
	default:
		opts = append(opts, kfake.NumBrokers(brokers))
	}
	opts = append(opts, kfake.MaxVersions(cmp.Or(o.MaxVersions, newest())))
	if o.AutoCreate {
		opts = append(opts, kfake.AllowAutoTopicCreation())
	}
	for _, topic := range slices.Sorted(maps.Keys(o.Topics)) {
		opts = append(opts, kfake.SeedTopics(o.Topics[topic], topic))
	}
	return append(opts, o.Extra...)
}

// newest is all that kfake speaks, but for DescribeTopicPartitions: it leaves out lists
// there that brokers send empty, and Kafka's own clients fail on that. Without it they ask
// for metadata.
func newest() *kversion.Versions {
	v := kversion.Stable()
	v.SetMaxKeyVersion(int16(kmsg.DescribeTopicPartitions), -1)
	return v
}

// Addrs are the brokers' host:port pairs, by broker id. The caller owns the
// slice.
func (c *Cluster) Addrs() []string { return slices.Clone(c.addrs) }

// Fake is the cluster underneath, for what the lab has no words for: faults,
// moved leaders, group coordinators. Brokers must not be added to it.
func (c *Cluster) Fake() *kfake.Cluster { return c.fake }

// Close stops the traffic that was started on the cluster, then the cluster.
// More calls do nothing.
func (c *Cluster) Close() {
	c.mu.Lock()
	traffic := c.traffic
	c.traffic = nil
	c.mu.Unlock()
	if traffic == nil {
		return
	}
	c.wire.open() // a client that leaves its group needs its broker
	var wg sync.WaitGroup
	for t := range traffic {
		wg.Go(t.Stop)
	}
	wg.Wait()
	c.client.Close()
	c.hooks.close()
	c.fake.Close()
}

// adopt makes t end with the cluster. It fails when the cluster was closed.
func (c *Cluster) adopt(t stopper) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.traffic == nil {
		return errors.New("the cluster is closed")
	}
	c.traffic[t] = struct{}{}
	return nil
}

// release undoes adopt.
func (c *Cluster) release(t stopper) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.traffic, t)
}

// NewClient makes a client of the cluster, whichever network it is on. The
// caller closes it, before the cluster.
func (c *Cluster) NewClient(opts ...kgo.Opt) (*kgo.Client, error) {
	base := []kgo.Opt{
		kgo.SeedBrokers(c.addrs...),
		kgo.Dialer(c.Dial),
		kgo.MetadataMinAge(100 * time.Millisecond), // moved leaders are found at once
		kgo.DisableClientMetrics(),
	}
	cl, err := kgo.NewClient(slices.Concat(base, c.opts.ClientExtra, opts)...)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return cl, nil
}

// Admin is a client for what needs no more than a request. It ends with the
// cluster; its requests carry [ClientID].
func (c *Cluster) Admin() *kadm.Client { return kadm.NewClient(c.client) }

func (c *Cluster) logf(format string, args ...any) {
	if c.opts.Log != nil {
		c.opts.Log(fmt.Sprintf(format, args...))
	}
}

// fakeLogger passes warnings of the embedded brokers on.
type fakeLogger struct{ c *Cluster }

func (l fakeLogger) Logf(level kfake.LogLevel, format string, args ...any) {
	if level <= kfake.LogLevelWarn {
		l.c.logf("broker: "+format, args...)
	}
}

// bounded is ctx with an upper bound, for requests on the way out.
func bounded(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}
