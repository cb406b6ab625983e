package kafka

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// handmade is a broker of few words: a cluster of one, with one topic, one
// partition that ends at 7, and no groups. What it writes can be replaced by
// any bytes.
type handmade struct {
	addr string

	mu      sync.Mutex
	replace func(req kmsg.Request, good []byte) reply
	accepts int
	conns   map[net.Conn]bool
	wg      sync.WaitGroup
}

// reply is what is written instead of an answer.
type reply struct {
	bytes []byte
	hold  <-chan struct{} // waited for before
	pause time.Duration   // before each byte
	close bool            // the connection, after
}

func startHandmade(t *testing.T) *handmade {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	b := &handmade{addr: l.Addr().String(), conns: map[net.Conn]bool{}}
	b.wg.Go(func() {
		for {
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue
			}
			b.mu.Lock()
			b.accepts++
			b.conns[conn] = true
			b.mu.Unlock()
			b.wg.Go(func() { b.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		b.closeAll()
		b.wg.Wait()
	})
	return b
}

// answer replaces answers from now on. f gets the whole frame of the right
// answer; nil restores it.
func (b *handmade) answer(f func(req kmsg.Request, good []byte) reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replace = f
}

// answerAPI replaces the answers to one API of lagwatch's.
func (b *handmade) answerAPI(key kmsg.Key, f func(good []byte) reply) {
	b.answer(func(req kmsg.Request, good []byte) reply {
		if req.Key() != int16(key) {
			return reply{bytes: good}
		}
		return f(good)
	})
}

func (b *handmade) closeAll() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.conns {
		_ = c.Close()
	}
	return len(b.conns)
}

func (b *handmade) accepted() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.accepts
}

func (b *handmade) serve(conn net.Conn) {
	defer func() {
		b.mu.Lock()
		delete(b.conns, conn)
		b.mu.Unlock()
		_ = conn.Close()
	}()
	for {
		frame, err := readWhole(conn)
		if err != nil {
			return
		}
		req := readRequest(frame)
		b.mu.Lock()
		replace := b.replace
		b.mu.Unlock()
		r := reply{bytes: appendAnswer(nil, int32(binary.BigEndian.Uint32(frame[8:])), b.handle(req))}
		if replace != nil {
			r = replace(req, r.bytes)
		}
		if r.hold != nil {
			<-r.hold
		}
		if err := r.write(conn); err != nil || r.close {
			return
		}
	}
}

func (r reply) write(w io.Writer) error {
	if r.pause == 0 {
		_, err := w.Write(r.bytes)
		return err
	}
	tick := time.NewTicker(r.pause)
	defer tick.Stop()
	for i := range r.bytes {
		<-tick.C
		if _, err := w.Write(r.bytes[i : i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (b *handmade) handle(req kmsg.Request) kmsg.Response {
	resp := req.ResponseKind()
	switch r := resp.(type) {
	case *kmsg.ApiVersionsResponse:
		r.ApiKeys = handmadeKeys()
	case *kmsg.MetadataResponse:
		b.metadata(r, req.(*kmsg.MetadataRequest).Topics == nil)
	case *kmsg.ListOffsetsResponse:
		p := kmsg.NewListOffsetsResponseTopicPartition()
		if p.Offset = 0; req.(*kmsg.ListOffsetsRequest).Topics[0].Partitions[0].Timestamp == -1 {
			p.Offset = 7
		}
		r.Topics = []kmsg.ListOffsetsResponseTopic{{Topic: "t", Partitions: []kmsg.ListOffsetsResponseTopicPartition{p}}}
	}
	return resp
}

func handmadeKeys() (list []kmsg.ApiVersionsResponseApiKey) {
	for key, s := range spoken {
		k := kmsg.NewApiVersionsResponseApiKey()
		k.ApiKey, k.MinVersion, k.MaxVersion = int16(key), 0, s.max
		list = append(list, k)
	}
	return list
}

func (b *handmade) metadata(r *kmsg.MetadataResponse, topics bool) {
	addr, _ := net.ResolveTCPAddr("tcp", b.addr)
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
