package kafka

import (
	"encoding/binary"
	"io"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// ownRequest tells what a connection needs from what a poll asks: metadata of
// no topic, which says whose broker it is.
func ownRequest(req kmsg.Request) bool {
	r, ok := req.(*kmsg.MetadataRequest)
	return ok && r.Topics != nil && len(r.Topics) == 0
}

// readRequest decodes a request frame, of any header version.
func readRequest(frame []byte) kmsg.Request {
	req := kmsg.RequestForKey(int16(binary.BigEndian.Uint16(frame[4:])))
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
	return req
}

// appendAnswer appends an answer as it is on the wire.
func appendAnswer(dst []byte, correlation int32, resp kmsg.Response) []byte {
	body := binary.BigEndian.AppendUint32(nil, uint32(correlation))
	if resp.IsFlexible() && resp.Key() != int16(kmsg.ApiVersions) {
		body = append(body, 0)
	}
	body = resp.AppendTo(body)
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(body))), body...)
}

func readWhole(r io.Reader) ([]byte, error) {
	frame := make([]byte, 4)
	if _, err := io.ReadFull(r, frame); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(frame))
	_, err := io.ReadFull(r, body)
	return append(frame, body...), err
}

// correlationOf is the correlation id of a whole answer.
func correlationOf(frame []byte) int32 { return int32(binary.BigEndian.Uint32(frame[4:])) }
