package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// maxFrameBytes bounds one answer. The largest honest one, metadata of 200,000
// partitions, is about 20 MB.
const maxFrameBytes = 64 << 20

// ErrMalformed marks an answer that cannot be decoded. The connection that
// brought it is not used again.
var ErrMalformed = errors.New("malformed answer")

// exchange is one request of kmsg's on a connection of kafka-go's Transport:
// the Transport finds, opens and authenticates the connection, the exchange
// writes and reads its own bytes. It is built for one use and never changed,
// since kafka-go may still be working on it after its caller has given up.
type exchange struct {
	api         int16
	correlation int32
	frame       []byte
	body        kmsg.Response // empty, of the right version; filled by the one exchange
	buffers     *buffers      // to read the answer into; nil for new ones
}

// Answer is what came back.
type Answer struct {
	Body kmsg.Response // in the version that was asked in
	At   time.Time     // when it had been read
}

// message is an Answer as kafka-go passes it on.
type message struct{ Answer }

func newExchange(f *kmsg.RequestFormatter, req kmsg.Request, correlation int32, b *buffers) *exchange {
	body := req.ResponseKind()
	body.SetVersion(req.GetVersion())
	if shapeOf(body).aliases {
		b = nil // the answer goes on using it
	}
	return &exchange{
		api:         req.Key(),
		correlation: correlation,
		frame:       f.AppendRequest(nil, req, correlation),
		body:        body,
		buffers:     b,
	}
}

// ApiKey and Required make it a message that does its own exchange.
func (e *exchange) ApiKey() protocol.ApiKey                 { return protocol.ApiKey(e.api) }
func (e *exchange) Required(map[protocol.ApiKey]int16) bool { return true }

// ApiKey makes an answer a message.
func (m *message) ApiKey() protocol.ApiKey { return protocol.ApiKey(m.Body.Key()) }

// RawExchange writes the request and reads its answer. Any error makes
// kafka-go close the connection.
func (e *exchange) RawExchange(rw io.ReadWriter) (_ protocol.Message, err error) {
	if _, err := rw.Write(e.frame); err != nil {
		return nil, err
	}
	frame, err := readFrame(rw, e.buffers)
	if err != nil {
		return nil, err
	}
	at := time.Now()
	body, err := e.decode(frame)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrMalformed, err)
	}
	e.buffers.put(frame)
	return &message{Answer{Body: body, At: at}}, nil
}

// readFrame reads one size-prefixed frame. Beyond the first MiB it allocates
// as bytes arrive, so that a size that is a lie costs little. It uses a buffer
// of b that is large enough, if there is one.
func readFrame(r io.Reader, b *buffers) ([]byte, error) {
	var prefix [4]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(prefix[:]))
	if size < 4 || size > maxFrameBytes {
		return nil, fmt.Errorf("%w: a frame of %d bytes (4 to %d are possible)", ErrMalformed, size, maxFrameBytes)
	}
	const step = 1 << 20
	frame := b.get(int(size))
	if frame == nil {
		frame = make([]byte, 0, min(size, step))
	}
	for int64(len(frame)) < size {
		if len(frame) == cap(frame) {
			frame = append(make([]byte, 0, min(size, int64(4*cap(frame)))), frame...)
		}
		n, err := io.ReadFull(r, frame[len(frame):min(int64(cap(frame)), size)])
		frame = frame[:len(frame)+n]
		if err != nil {
			return nil, fmt.Errorf("reading an answer of %d bytes: %w", size, err)
		}
	}
	return frame, nil
}

// decode reads the response header and body, which it changes. What a frame can
// make it allocate is bounded (see unfold), and tagged fields are left out:
// lagwatch reads none. A panic would end the process from a goroutine of
// kafka-go's, so it is caught.
func (e *exchange) decode(frame []byte) (body kmsg.Response, err error) {
	defer func() {
		if r := recover(); r != nil {
			body, err = nil, fmt.Errorf("decoding %s: %v", kmsg.NameForKey(e.api), r)
		}
	}()
	if got := int32(binary.BigEndian.Uint32(frame)); got != e.correlation {
		return nil, fmt.Errorf("correlation id %d in answer to %d", got, e.correlation)
	}
	frame, body = frame[4:], e.body
	// An ApiVersions answer has the old header in every version (KIP-511), so
	// that a client can read it before it knows what the broker speaks.
	if body.IsFlexible() && e.api != int16(kmsg.ApiVersions) {
		if frame, err = skipTags(frame); err != nil {
			return nil, err
		}
	}
	if frame, err = shapeOf(body).strip(frame); err == nil {
		err = body.ReadFrom(frame)
	}
	if err != nil {
		return nil, fmt.Errorf("decoding %s v%d: %w", kmsg.NameForKey(e.api), body.GetVersion(), err)
	}
	return body, nil
}

// skipTags passes over the tagged fields of a response header (KIP-482).
func skipTags(b []byte) ([]byte, error) {
	w := walk{b: b}
	if err := w.tags(); err != nil {
		return nil, fmt.Errorf("response header: %w", err)
	}
	return b[w.at:], nil
}
