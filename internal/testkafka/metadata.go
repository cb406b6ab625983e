package testkafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// One request is spoken by hand, so that readiness doesn't depend on the client
// libraries under test: Metadata version 1 with an empty topic list, which names
// the brokers and no topic. All Kafka versions up to 4.x have it.

const (
	metadataKey     = 3
	metadataVersion = 1
	correlationID   = 7
)

// metadataRequest is the framed request.
func metadataRequest(clientID string) []byte {
	var b []byte
	b = binary.BigEndian.AppendUint16(b, metadataKey)
	b = binary.BigEndian.AppendUint16(b, metadataVersion)
	b = binary.BigEndian.AppendUint32(b, correlationID)
	b = binary.BigEndian.AppendUint16(b, uint16(len(clientID)))
	b = append(b, clientID...)
	b = binary.BigEndian.AppendUint32(b, 0) // no topics
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// exchange sends a framed request on a connection of its own and returns the
// answer without its length.
func exchange(ctx context.Context, addr string, request []byte) ([]byte, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if _, err := conn.Write(request); err != nil {
		return nil, fmt.Errorf("asking %s: %w", addr, err)
	}
	var size uint32
	if err := binary.Read(conn, binary.BigEndian, &size); err != nil {
		return nil, fmt.Errorf("hearing from %s: %w", addr, err)
	}
	if size > 1<<20 {
		return nil, fmt.Errorf("hearing from %s: an answer of %d bytes", addr, size)
	}
	frame := make([]byte, size)
	if _, err := io.ReadFull(conn, frame); err != nil {
		return nil, fmt.Errorf("hearing from %s: %w", addr, err)
	}
	return frame, nil
}

// parseMetadata returns the broker ids of a response:
// correlation int32, brokers [id int32, host string, port int32, rack string?].
func parseMetadata(frame []byte) ([]int, error) {
	r := wireReader{rest: frame}
	if got := r.int32(); r.err == nil && got != correlationID {
		return nil, fmt.Errorf("metadata answer: correlation id %d, want %d", got, correlationID)
	}
	count := r.int32()
	var ids []int
	for i := int32(0); i < count && r.err == nil; i++ {
		id := r.int32()
		r.string()
		r.int32()
		r.string()
		ids = append(ids, int(id))
	}
	if r.err != nil {
		return nil, fmt.Errorf("metadata answer: %w", r.err)
	}
	return ids, nil
}

// wireReader reads Kafka's fixed-width encoding. After an error it returns
// zeros.
type wireReader struct {
	rest []byte
	err  error
}

var errShort = errors.New("the answer is too short")

func (r *wireReader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.rest, r.err = nil, errShort
	}
	if r.err != nil {
		return make([]byte, max(n, 8))
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *wireReader) int32() int32 { return int32(binary.BigEndian.Uint32(r.take(4))) }

// string skips a string, which may be null.
func (r *wireReader) string() {
	if n := int16(binary.BigEndian.Uint16(r.take(2))); n > 0 {
		r.take(int(n))
	}
}
