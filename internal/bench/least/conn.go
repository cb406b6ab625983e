package least

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// newest are the highest versions that lagwatch sends, by API.
var newest = map[int16]int16{
	int16(kmsg.ApiVersions):    3,
	int16(kmsg.Metadata):       13,
	int16(kmsg.ListGroups):     5,
	int16(kmsg.DescribeGroups): 6,
	int16(kmsg.OffsetFetch):    9,
	int16(kmsg.ListOffsets):    9,
}

// conn is one connection, for one goroutine at a time. Its buffers serve every
// exchange.
type conn struct {
	net.Conn
	broker    int32
	formatter *kmsg.RequestFormatter
	versions  map[int16]int16
	id        int32
	out, in   []byte
}

func dial(broker int32, addr string) (*conn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	n := &conn{Conn: c, broker: broker, formatter: kmsg.NewRequestFormatter(kmsg.FormatterClientID(ClientID))}
	if err := n.negotiate(); err != nil {
		n.close()
		return nil, fmt.Errorf("negotiating versions with %s: %w", addr, err)
	}
	return n, nil
}

func (n *conn) close() { _ = n.Close() }

func (n *conn) negotiate() error {
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = ClientID, "1"
	n.versions = newest
	var resp kmsg.ApiVersionsResponse
	if err := n.ask(req, &resp); err != nil {
		return err
	}
	n.versions = map[int16]int16{}
	for _, k := range resp.ApiKeys {
		if ours, ok := newest[k.ApiKey]; ok {
			n.versions[k.ApiKey] = min(ours, k.MaxVersion)
		}
	}
	return nil
}

// ask sends a request and decodes its answer into resp.
func (n *conn) ask(req kmsg.Request, resp kmsg.Response) error {
	version := n.versions[req.Key()]
	req.SetVersion(version)
	resp.SetVersion(version)
	n.id++
	n.out = n.formatter.AppendRequest(n.out[:0], req, n.id)
	if _, err := n.Write(n.out); err != nil {
		return err
	}
	body, err := n.frame()
	if err != nil {
		return err
	}
	if resp.IsFlexible() && resp.Key() != int16(kmsg.ApiVersions) {
		body = body[1:] // the header's tags: the cluster sends none
	}
	if err := resp.ReadFrom(body); err != nil {
		return fmt.Errorf("decoding %s: %w", kmsg.NameForKey(req.Key()), err)
	}
	return nil
}

// frame reads an answer and returns it without size and correlation id, until
// the next call.
func (n *conn) frame() ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(n, head[:]); err != nil {
		return nil, err
	}
	size, id := int(binary.BigEndian.Uint32(head[:]))-4, int32(binary.BigEndian.Uint32(head[4:]))
	if id != n.id || size < 1 {
		return nil, fmt.Errorf("answer %d of %d bytes to request %d", id, size, n.id)
	}
	if cap(n.in) < size {
		n.in = make([]byte, size)
	}
	n.in = n.in[:size]
	_, err := io.ReadFull(n, n.in)
	return n.in, err
}
