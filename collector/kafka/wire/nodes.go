// Package wire is lagwatch's connection to Kafka: one Node for each address,
// and one request and its answer at a time. It knows which requests lagwatch
// may send and in which versions, how to encrypt and log in, how much an answer
// may take, and what an error means; what to ask, and what an answer comes to,
// is for the reading above it.
//
// Requests and answers are kmsg's, on connections of kafka-go's Transport.
package wire

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// DialFunc opens a connection, as [net.Dialer.DialContext] does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Options say how nodes are connected to.
type Options struct {
	// ClientID is what brokers log and count the requests under.
	ClientID string
	// Interval is how often a node will be used; it decides how long an
	// unused connection is kept.
	Interval time.Duration
	// Timeout bounds each exchange, and each connection attempt; above 0.
	Timeout time.Duration
	// Dial opens connections, before TLS. Default a net.Dialer.
	Dial DialFunc
	// TLS gives the settings for a connection to a host. Default plaintext.
	TLS TLSFunc
	// SASL is how to authenticate. Default not at all.
	SASL *SASL
}

// Nodes makes the nodes of one client, and has what they share. Safe for
// concurrent use.
type Nodes struct {
	opts      Options
	formatter *kmsg.RequestFormatter
	ids       atomic.Int32 // correlation ids
	attempts  attempts     // to authenticate
	buffers   buffers
}

// NewNodes is an error when the options cannot work at all. It connects to
// nothing.
func NewNodes(o Options) (*Nodes, error) {
	if o.SASL != nil {
		if err := o.SASL.check(); err != nil {
			return nil, err
		}
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
	return &Nodes{opts: o, formatter: kmsg.NewRequestFormatter(kmsg.FormatterClientID(o.ClientID))}, nil
}

// Begin starts a poll: credentials that a broker refused may be presented to it
// once more.
func (ns *Nodes) Begin() { ns.attempts.begin() }

// At returns a new node for an address. It has to be a broker of the cluster
// with that id, or of any where cluster is "". It connects to nothing yet.
func (ns *Nodes) At(addr, cluster string) *Node {
	s := &session{}
	return &Node{
		nodes:   ns,
		addr:    addr,
		cluster: cluster,
		session: s,
		transport: &kafkago.Transport{
			Dial:        ns.connector(s).Dial,
			DialTimeout: ns.opts.Timeout,
			// Longer than an interval, so that a connection serves many
			// polls; shorter than the ten minutes after which brokers close.
			IdleTimeout: min(max(3*ns.opts.Interval, 30*time.Second), 9*time.Minute),
			// The Transport's own metadata names no topic: an empty list, as
			// nil would mean all of them.
			MetadataTopics: []string{},
			MetadataTTL:    time.Hour,
			ClientID:       transportID,
		},
	}
}

func (ns *Nodes) connector(s *session) *connector {
	return &connector{
		dial: ns.opts.Dial, limit: ns.opts.Timeout, tls: ns.opts.TLS, sasl: ns.opts.SASL,
		clientID: ns.opts.ClientID, attempts: &ns.attempts, session: s,
	}
}
