package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Node is one address that lagwatch talks to: a broker, or a bootstrap
// address. Each has a Transport of its own, so that routing follows our own
// metadata instead of kafka-go's, and its connections can be dropped without
// touching anyone else's. Safe for concurrent use.
type Node struct {
	nodes     *Nodes
	addr      string
	cluster   string
	transport *kafkago.Transport
	session   *session // of its connections

	mu       sync.Mutex
	versions versions // nil until negotiated, and after a connection broke
}

// Addr is the address, host:port.
func (n *Node) Addr() string { return n.addr }

// Cluster is the id of the cluster whose broker it has to be; "" for any.
func (n *Node) Cluster() string { return n.cluster }

// Do sends req in the highest version that both speak, which it sets, and
// returns its answer, of the same API and version. sent is told of req just
// before it goes out, once more where it is repeated; not of what a connection
// needs first.
//
// A connection that the broker had closed shows only when it is used, and
// several may be dead after a restart: all are dropped, the versions are asked
// anew, and the request is sent once more. Those whose session is over would
// be closed when they are used, and are dropped before.
func (n *Node) Do(ctx context.Context, req kmsg.Request, sent func(kmsg.Request)) (*Answer, error) {
	if n.session.over(time.Now()) {
		n.Drop()
	}
	a, err := n.try(ctx, req, sent)
	if err == nil || !broken(err) || ctx.Err() != nil {
		return a, err
	}
	n.Drop()
	greeted := false
	a, err = n.try(ctx, req, func(q kmsg.Request) { greeted = true; sent(q) })
	if broken(err) {
		err = Refuse(ReasonOf(err), n.nodes.opts.closedRemedy(greeted), err)
	}
	return a, err
}

func (n *Node) try(ctx context.Context, req kmsg.Request, sent func(kmsg.Request)) (*Answer, error) {
	v, err := n.negotiated(ctx)
	if err != nil {
		return nil, err
	}
	version, err := v.highest(req.Key())
	if err != nil {
		return nil, err
	}
	req.SetVersion(version)
	sent(req)
	a, err := n.roundTrip(ctx, req)
	if err != nil {
		n.forget() // the connection is gone, and what answers next may be another version
	}
	return a, err
}

// roundTrip does one exchange within the node's timeout.
func (n *Node) roundTrip(ctx context.Context, req kmsg.Request) (*Answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, n.nodes.opts.Timeout, ErrTimeout)
	defer cancel()
	m, err := n.transport.RoundTrip(ctx, kafkago.TCP(n.addr), newExchange(n.nodes.formatter, req, n.nodes.ids.Add(1), &n.nodes.buffers))
	switch {
	case err == nil:
		return &m.(*message).Answer, nil
	case ReasonOf(err) == snapshot.ReasonTimeout: // of which there are many texts
		return nil, fmt.Errorf("%s: %w", n.addr, ErrTimeout)
	case strings.Contains(err.Error(), n.addr): // as dialling does
		return nil, err
	}
	return nil, fmt.Errorf("%s: %w", n.addr, err)
}

// negotiated returns the broker's versions, asking for them once per life of
// its connections: a broker that was upgraded had to close them.
func (n *Node) negotiated(ctx context.Context) (versions, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.versions != nil {
		return n.versions, nil
	}
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "lagwatch", "1"
	req.SetVersion(spoken[kmsg.ApiVersions].max)
	r, err := n.apiVersions(ctx, req)
	if err != nil {
		return nil, err
	}
	v := newVersions(r)
	if err := n.checkCluster(ctx, v); err != nil {
		return nil, err
	}
	n.versions = v
	return v, nil
}

// Highest is the highest version of an API that both sides speak, as far as the
// broker's are known. An error is of ErrUnsupported.
func (n *Node) Highest(api kmsg.Key) (int16, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.versions.highest(int16(api))
}

// checkCluster makes sure that a broker's address still is of the cluster that
// named it: addresses are given to others, and what those say of their own
// groups and offsets looks like an answer. It asks for no topic.
func (n *Node) checkCluster(ctx context.Context, v versions) error {
	version, err := v.highest(int16(kmsg.Metadata))
	if n.cluster == "" || err != nil {
		return nil
	}
	req := NewMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{}
	req.SetVersion(version)
	a, err := n.roundTrip(ctx, req)
	if err != nil {
		return err
	}
	return n.Foreign(a.Body.(*kmsg.MetadataResponse))
}

// Foreign is an error when metadata is of another cluster than the node's.
func (n *Node) Foreign(m *kmsg.MetadataResponse) error {
	if n.cluster == "" || m.ClusterID == nil || *m.ClusterID == n.cluster {
		return nil
	}
	return fmt.Errorf("%s: %w: the address now belongs to another cluster, %q", n.addr, ErrUnavailable, *m.ClusterID)
}

func (n *Node) apiVersions(ctx context.Context, req *kmsg.ApiVersionsRequest) (*kmsg.ApiVersionsResponse, error) {
	a, err := n.roundTrip(ctx, req)
	if req.Version > 0 && (errors.Is(err, ErrMalformed) || err == nil && answered(a).ErrorCode == codeUnsupportedVersion) {
		// A broker that lacks the version answers in version 0 (KIP-511),
		// which may or may not look like an answer in this one.
		req.SetVersion(0)
		a, err = n.roundTrip(ctx, req)
	}
	if err != nil {
		return nil, err
	}
	r := answered(a)
	if err := CodeError(r.ErrorCode); err != nil {
		return nil, fmt.Errorf("%s: negotiating versions: %w", n.addr, err)
	}
	return r, nil
}

func answered(a *Answer) *kmsg.ApiVersionsResponse { return a.Body.(*kmsg.ApiVersionsResponse) }

// forget makes the next request ask for the broker's versions anew.
func (n *Node) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.versions = nil
}

// Drop closes idle connections; those in use close when their exchange ends.
func (n *Node) Drop() {
	n.forget()
	n.session.forget()
	n.transport.CloseIdleConnections()
}
