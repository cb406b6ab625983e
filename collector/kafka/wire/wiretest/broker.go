package wiretest

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Newest is every request that lagwatch may send, with the highest version that
// it understands: written down once more, so that none is added unseen.
var Newest = map[kmsg.Key]int16{
	kmsg.ApiVersions:               3,
	kmsg.Metadata:                  13,
	kmsg.ListGroups:                5,
	kmsg.DescribeGroups:            6,
	kmsg.ConsumerGroupDescribe:     1,
	kmsg.ShareGroupDescribe:        1,
	kmsg.StreamsGroupDescribe:      1,
	kmsg.DescribeShareGroupOffsets: 1,
	kmsg.OffsetFetch:               9,
	kmsg.ListOffsets:               9,
	kmsg.DescribeConfigs:           4,
}

// Broker is a broker of few words: a cluster of one, with one topic "t", one
// partition that ends at 7, and no groups. What it writes can be replaced by
// any bytes.
type Broker struct {
	*Listener

	mu      sync.Mutex
	replace func(q Question) Reply
}

// Question is one request and the right answer to it.
type Question struct {
	kmsg.Request
	Right kmsg.Response // the test's to change
	Good  []byte        // the same as a whole frame

	correlation int32
}

// Answer is resp in answer to the question.
func (q Question) Answer(resp kmsg.Response) Reply {
	return Reply{Bytes: AppendAnswer(nil, q.correlation, resp)}
}

// Reply is what is written instead of an answer.
type Reply struct {
	Bytes []byte
	Hold  <-chan struct{} // waited for before
	Pause time.Duration   // before each byte
	Close bool            // the connection, after
}

// Start starts a broker that answers truly.
func Start(t *testing.T) *Broker {
	t.Helper()
	b := &Broker{}
	b.Listener = Listen(t, b.serve)
	return b
}

// Answer replaces answers from now on; nil restores the right ones.
func (b *Broker) Answer(f func(Question) Reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replace = f
}

// AnswerAPI replaces the answers to one API from now on; the others stay as
// they are.
func (b *Broker) AnswerAPI(key kmsg.Key, f func(Question) Reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.replace
	b.replace = func(q Question) Reply {
		r := Reply{Bytes: q.Good}
		if before != nil {
			r = before(q)
		}
		if q.Key() != int16(key) {
			return r
		}
		q.Good = r.Bytes
		return f(q)
	}
}

func (b *Broker) serve(conn net.Conn) {
	for {
		frame, err := ReadFrame(conn)
		if err != nil {
			return
		}
		req, correlation := Request(frame)
		right := answer(req, conn.LocalAddr().(*net.TCPAddr))
		q := Question{req, right, AppendAnswer(nil, correlation, right), correlation}
		b.mu.Lock()
		replace := b.replace
		b.mu.Unlock()
		r := Reply{Bytes: q.Good}
		if replace != nil {
			r = replace(q)
		}
		if r.Hold != nil {
			<-r.Hold
		}
		if err := r.write(conn); err != nil || r.Close {
			return
		}
	}
}

func (r Reply) write(w io.Writer) error {
	if r.Pause == 0 {
		_, err := w.Write(r.Bytes)
		return err
	}
	tick := time.NewTicker(r.Pause)
	defer tick.Stop()
	for i := range r.Bytes {
		<-tick.C
		if _, err := w.Write(r.Bytes[i : i+1]); err != nil {
			return err
		}
	}
	return nil
}

// answer is the right one of a broker that listens at addr.
func answer(req kmsg.Request, addr *net.TCPAddr) kmsg.Response {
	resp := req.ResponseKind()
	switch r := resp.(type) {
	case *kmsg.ApiVersionsResponse:
		r.ApiKeys = Keys()
	case *kmsg.MetadataResponse:
		metadata(r, addr, req.(*kmsg.MetadataRequest).Topics == nil)
	case *kmsg.ListOffsetsResponse:
		p := kmsg.NewListOffsetsResponseTopicPartition()
		if p.Offset = 0; req.(*kmsg.ListOffsetsRequest).Topics[0].Partitions[0].Timestamp == -1 {
			p.Offset = 7
		}
		r.Topics = []kmsg.ListOffsetsResponseTopic{{Topic: "t", Partitions: []kmsg.ListOffsetsResponseTopicPartition{p}}}
	}
	return resp
}

// Keys is what an ApiVersions answer lists of lagwatch's requests.
func Keys() (list []kmsg.ApiVersionsResponseApiKey) {
	for key, newest := range Newest {
		k := kmsg.NewApiVersionsResponseApiKey()
		k.ApiKey, k.MinVersion, k.MaxVersion = int16(key), 0, newest
		list = append(list, k)
	}
	return list
}

func metadata(r *kmsg.MetadataResponse, addr *net.TCPAddr, topics bool) {
	broker := kmsg.NewMetadataResponseBroker()
	broker.Host, broker.Port = addr.IP.String(), int32(addr.Port)
	r.Brokers = append(r.Brokers, broker)
	r.ClusterID = kmsg.StringPtr("handmade")
	if topics {
		topic := kmsg.NewMetadataResponseTopic()
		topic.Topic, topic.Partitions = kmsg.StringPtr("t"), []kmsg.MetadataResponseTopicPartition{kmsg.NewMetadataResponseTopicPartition()}
		r.Topics = append(r.Topics, topic)
	}
}
