// Package least is the least work that a poll of a cluster's lag can be: the
// batched requests that lagwatch sends, each made from the answers before it,
// with every answer decoded by kmsg alone and then dropped. It knows no errors
// but those of the connection, retries nothing and remembers nothing.
package least

import (
	"fmt"
	"net"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sync/errgroup"
)

// ClientID is what brokers count the requests under.
const ClientID = "least"

// Client reads one cluster. It is for one goroutine.
type Client struct {
	seed               string
	groups, partitions int             // the most that one request names
	first              *conn           // to the bootstrap address
	conns              map[int32]*conn // by broker
}

// New returns a client that begins at an address, and names at most so many
// groups or partitions in one request. It connects to nothing yet.
func New(seed string, groups, partitions int) *Client {
	return &Client{seed: seed, groups: groups, partitions: partitions, conns: map[int32]*conn{}}
}

// Close closes all connections.
func (c *Client) Close() {
	if c.first != nil {
		c.first.close()
	}
	for _, n := range c.conns {
		n.close()
	}
}

// Poll reads metadata, then groups and commits, then end offsets, each broker at
// the same time.
func (c *Client) Poll() error {
	leaders, err := c.metadata()
	if err != nil {
		return fmt.Errorf("reading metadata: %w", err)
	}
	if err := c.each(func(n *conn) error { return n.readGroups(c.groups) }); err != nil {
		return fmt.Errorf("reading groups: %w", err)
	}
	if err := c.each(func(n *conn) error { return n.readEnds(leaders[n.broker], c.partitions) }); err != nil {
		return fmt.Errorf("reading end offsets: %w", err)
	}
	return nil
}

func (c *Client) each(f func(*conn) error) error {
	var g errgroup.Group
	for _, n := range c.conns {
		g.Go(func() error { return f(n) })
	}
	return g.Wait()
}

// metadata asks for all topics, connects to brokers that are new, and returns
// what each leads, in the shape of the request that asks for it.
func (c *Client) metadata() (map[int32][]kmsg.ListOffsetsRequestTopic, error) {
	if c.first == nil {
		var err error
		if c.first, err = dial(-1, c.seed); err != nil {
			return nil, err
		}
	}
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = nil
	resp := kmsg.NewPtrMetadataResponse()
	if err := c.first.ask(req, resp); err != nil {
		return nil, err
	}
	for _, b := range resp.Brokers {
		if c.conns[b.NodeID] == nil {
			n, err := dial(b.NodeID, net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port))))
			if err != nil {
				return nil, err
			}
			c.conns[b.NodeID] = n
		}
	}
	return byLeader(resp.Topics), nil
}

func byLeader(topics []kmsg.MetadataResponseTopic) map[int32][]kmsg.ListOffsetsRequestTopic {
	leaders := map[int32][]kmsg.ListOffsetsRequestTopic{}
	for i := range topics {
		for _, p := range topics[i].Partitions {
			list := leaders[p.Leader]
			if n := len(list); n == 0 || list[n-1].Topic != *topics[i].Topic {
				list = append(list, kmsg.ListOffsetsRequestTopic{Topic: *topics[i].Topic})
			}
			t := &list[len(list)-1]
			t.Partitions = append(t.Partitions, kmsg.ListOffsetsRequestTopicPartition{
				Partition: p.Partition, CurrentLeaderEpoch: -1, Timestamp: -1,
			})
			leaders[p.Leader] = list
		}
	}
	return leaders
}
