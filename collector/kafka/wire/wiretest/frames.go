// Package wiretest has Kafka's frames as the other side sees them, for tests.
package wiretest

import (
	"encoding/binary"
	"io"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// ReadFrame reads one whole frame, its size included.
func ReadFrame(r io.Reader) ([]byte, error) {
	frame := make([]byte, 4)
	if _, err := io.ReadFull(r, frame); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(frame))
	_, err := io.ReadFull(r, body)
	return append(frame, body...), err
}

// Request decodes the frame of a request of any header version, and panics
// where it is none.
func Request(frame []byte) (req kmsg.Request, correlation int32) {
	req = kmsg.RequestForKey(int16(binary.BigEndian.Uint16(frame[4:])))
	req.SetVersion(int16(binary.BigEndian.Uint16(frame[6:])))
	b := frame[12:]
	client := int(int16(binary.BigEndian.Uint16(b)))
	b = b[2+max(0, client):]
	if req.IsFlexible() {
		b = b[1:] // no tags: none of the clients here sends any
	}
	if err := req.ReadFrom(b); err != nil {
		panic(err)
	}
	return req, int32(binary.BigEndian.Uint32(frame[8:]))
}

// AppendAnswer appends an answer as it is on the wire.
func AppendAnswer(dst []byte, correlation int32, resp kmsg.Response) []byte {
	body := binary.BigEndian.AppendUint32(nil, uint32(correlation))
	if resp.IsFlexible() && resp.Key() != int16(kmsg.ApiVersions) {
		body = append(body, 0)
	}
	return AppendFrame(dst, resp.AppendTo(body))
}

// AppendFrame appends a body of any bytes, and its size before it.
func AppendFrame(dst, body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(body))), body...)
}
