package synthetic

import (
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// Cluster answers for a shape. What does not change is prepared when it
// starts, so that little is left to do for an answer but to encode it.
// Safe for concurrent use.
type Cluster struct {
	shape   Shape
	lab     *lab.Cluster
	counter *lab.Counter
	tick    atomic.Int64
	began   time.Time // of tick 0

	topics, groups map[string]int
	metadata       []kmsg.MetadataResponseTopic
	brokers        []kmsg.MetadataResponseBroker
	listed         [Brokers][]kmsg.ListGroupsResponseGroup
	described      []kmsg.DescribeGroupsResponseGroup
}

const clusterID = "lagwatch-bench"

// Start starts a cluster. The caller closes it.
func Start(s Shape) (*Cluster, error) {
	base, err := lab.Start(lab.Options{Brokers: Brokers, ClusterID: clusterID})
	if err != nil {
		return nil, err
	}
	c := &Cluster{shape: s, lab: base, began: time.Now(), topics: map[string]int{}, groups: map[string]int{}}
	if err := c.prepareBrokers(); err != nil {
		base.Close()
		return nil, err
	}
	c.prepareTopics()
	c.prepareGroups()
	for key, answer := range map[kmsg.Key]func(lab.Request) kmsg.Response{
		kmsg.Metadata:        c.answerMetadata,
		kmsg.ListGroups:      c.answerListGroups,
		kmsg.DescribeGroups:  c.answerDescribeGroups,
		kmsg.OffsetFetch:     c.answerOffsetFetch,
		kmsg.ListOffsets:     c.answerListOffsets,
		kmsg.DescribeConfigs: c.answerDescribeConfigs,
	} {
		base.OnRequest(key, func(r lab.Request) lab.Action {
			return lab.Reply(func(kmsg.Request) kmsg.Response { return answer(r) })
		})
	}
	c.counter = base.CountRequests()
	return c, nil
}

// Addrs are the brokers' host:port pairs, by id.
func (c *Cluster) Addrs() []string { return c.lab.Addrs() }

// Tick is the moment that the answers are of. Each request for the metadata of
// all topics moves it on, so all answers of one poll are of one tick.
func (c *Cluster) Tick() int64 { return c.tick.Load() }

// Counter counts the requests that arrive.
func (c *Cluster) Counter() *lab.Counter { return c.counter }

// Close stops the cluster.
func (c *Cluster) Close() { c.lab.Close() }

func (c *Cluster) prepareBrokers() error {
	for id, addr := range c.lab.Addrs() {
		host, text, err := net.SplitHostPort(addr)
		if err != nil {
			return err
		}
		port, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("port of broker %d: %w", id, err)
		}
		b := kmsg.NewMetadataResponseBroker()
		b.NodeID, b.Host, b.Port = int32(id), host, int32(port)
		c.brokers = append(c.brokers, b)
	}
	return nil
}
