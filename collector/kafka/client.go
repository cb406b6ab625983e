// Package kafka reads one Kafka cluster: Poll returns a snapshot of its logs,
// groups, members and commits. It is the only part of lagwatch that talks to
// Kafka, and it only reads: metadata, group listings and descriptions,
// committed offsets, log offsets and topics' settings. Package wire has the
// connections.
package kafka

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// How connections are opened, encrypted and authenticated.
type (
	DialFunc = wire.DialFunc
	TLSFunc  = wire.TLSFunc
	SASL     = wire.SASL
)

// Options say what to read and how gently. The zero value of a field means its
// default.
type Options struct {
	// Brokers are bootstrap addresses, host:port; at least one.
	Brokers []string
	// Interval is how often Poll will be called; it decides how long an
	// unused connection is kept. Default 10 s.
	Interval time.Duration
	// RequestTimeout bounds each exchange with a broker, and each connection
	// attempt. Default a quarter of the interval.
	RequestTimeout time.Duration
	// StartOffsetInterval is how often start offsets are read again. Default
	// 60 s.
	StartOffsetInterval time.Duration
	// StaleAfter is how long a start offset that was due and could not be read
	// again is still known. Default 3 intervals.
	StaleAfter time.Duration
	// MaxGroupsPerRequest and MaxPartitionsPerRequest cut large requests into
	// parts. Defaults 500 and 5000.
	MaxGroupsPerRequest     int
	MaxPartitionsPerRequest int
	// ClientID is what brokers log and count the requests under. Default
	// "lagwatch".
	ClientID string
	// Dial opens connections, before TLS. Default a net.Dialer.
	Dial DialFunc
	// TLS gives the settings for a connection to a host. Default plaintext.
	TLS TLSFunc
	// SASL is how to authenticate. Default not at all.
	SASL *SASL
	// KeepGroup and KeepTopic tell which groups and topics to read; nothing
	// is asked about the others, and the snapshot does not have them. Default
	// all. They are called from many goroutines.
	KeepGroup, KeepTopic func(name string) bool
	// ReadCommitted tells which groups read committed records only, so that
	// their lag ends at the last stable offset. Default none.
	ReadCommitted func(group string) bool
	// Configs says that the settings of topics that groups use are read too,
	// now and then. Default not.
	Configs bool
}

func (o Options) withDefaults() Options {
	setDefault(&o.Interval, 10*time.Second)
	setDefault(&o.RequestTimeout, o.Interval/4)
	setDefault(&o.StartOffsetInterval, time.Minute)
	setDefault(&o.StaleAfter, 3*o.Interval)
	setDefault(&o.MaxGroupsPerRequest, 500)
	setDefault(&o.MaxPartitionsPerRequest, 5000)
	setDefault(&o.ClientID, "lagwatch")
	if o.KeepGroup == nil {
		o.KeepGroup = func(string) bool { return true }
	}
	if o.KeepTopic == nil {
		o.KeepTopic = func(string) bool { return true }
	}
	if o.ReadCommitted == nil {
		o.ReadCommitted = func(string) bool { return false }
	}
	return o
}

func setDefault[T comparable](p *T, v T) {
	var zero T
	if *p == zero {
		*p = v
	}
}

// Client polls one cluster. Poll, Times and Close may be called from any
// goroutine; they run one at a time, but for calls of Times.
type Client struct {
	opts  Options
	nodes *wire.Nodes
	seeds []*wire.Node

	mu      sync.RWMutex // held for a whole poll; for reading while times are looked up
	brokers map[int32]*wire.Node
	lastGot *wire.Node // answered the last metadata request
	cluster clusterState
	groups  map[string]knownGroup
	held    map[string]positions // by group
	decoded decodings
	slow    map[string]bool // share groups whose offsets did not come in time
	configs configReads
	between *round // what was asked since the last poll
}

// knownGroup is what is remembered of a group, for the second look when it
// turns up in no listing.
type knownGroup struct {
	kind         snapshot.GroupType
	protocolType string
	recheck      time.Time // when it may be asked about again, after all brokers refused
}

// refused tells whether the group was refused by all brokers a while ago, and
// is not to be asked about again yet.
func (k knownGroup) refused(now time.Time) bool { return now.Before(k.recheck) }

func (k knownGroup) reading(id string) *reading {
	return &reading{Group: snapshot.Group{ID: id, Type: k.kind, ProtocolType: k.protocolType}}
}

// New returns a client that is ready to poll. It connects to nothing yet.
func New(o Options) (*Client, error) {
	if len(o.Brokers) == 0 {
		return nil, fmt.Errorf("no brokers given")
	}
	o = o.withDefaults()
	nodes, err := wire.NewNodes(wire.Options{
		ClientID: o.ClientID, Interval: o.Interval, Timeout: o.RequestTimeout, Dial: o.Dial, TLS: o.TLS, SASL: o.SASL,
	})
	if err != nil {
		return nil, err
	}
	c := &Client{
		opts:    o,
		nodes:   nodes,
		brokers: map[int32]*wire.Node{},
		groups:  map[string]knownGroup{},
		slow:    map[string]bool{},
		decoded: decodings{byGroup: map[string][]decoding{}},
	}
	c.cluster = newClusterState(c.opts.KeepTopic)
	c.between = newRound(c)
	for _, addr := range o.Brokers {
		c.seeds = append(c.seeds, nodes.At(addr, ""))
	}
	return c, nil
}

// Close drops all idle connections. Those in use close when their exchange
// ends, at most a request timeout later.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range slices.Concat(c.seeds, slices.Collect(maps.Values(c.brokers))) {
		n.Drop()
	}
}

// Poll reads the cluster once. It ends when ctx does, so ctx should have a
// deadline. The snapshot is never nil: with an error, which means that no
// broker told what the cluster consists of, or none of those that it consists
// of answers, it holds the requests and problems only. Everything less than
// that is a partial failure: what could not be read is unknown in the snapshot,
// and its problems say why.
func (c *Client) Poll(ctx context.Context) (*snapshot.Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes.Begin()
	r := newRound(c)
	r.takeOver(c.between)
	defer func() { c.between = r.after() }()
	r.cluster.begin(r.started, c.opts.StartOffsetInterval+c.opts.StaleAfter)
	if err := r.readMetadata(ctx); err != nil {
		return r.snapshot(nil), err
	}
	groups := r.readGroups(ctx)
	if err := r.nobodyListed(); err != nil {
		return r.snapshot(nil), err
	}
	r.lookForTopics(ctx, groups)
	r.keepHidden(groups)
	r.readOffsets(ctx)
	r.readConfigs(ctx)
	return r.snapshot(groups), nil
}
