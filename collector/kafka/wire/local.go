package wire

import "encoding/binary"

// transportID is the client id under which kafka-go sends requests of its own:
// ApiVersions when a connection opens, and Metadata from time to time. They are
// answered here and never sent. lagwatch asks for versions and metadata itself,
// and kafka-go's decoder trusts what it reads: a size or a count that is no
// Kafka broker's ends the process there, or takes all its memory.
const transportID = "lagwatch-transport"

// Offsets in a request frame (Kafka protocol guide, "Request Header").
const (
	frameKey      = 4
	frameID       = 8 // correlation id
	frameClient   = 12
	frameClientID = 14
)

// localAnswer returns the answer to a request of kafka-go's own, and whether
// frame is one.
func localAnswer(frame []byte) ([]byte, bool) {
	if len(frame) < frameClientID+len(transportID) ||
		int(binary.BigEndian.Uint16(frame[frameClient:])) != len(transportID) ||
		string(frame[frameClientID:frameClientID+len(transportID)]) != transportID {
		return nil, false
	}
	var body []byte
	switch binary.BigEndian.Uint16(frame[frameKey:]) {
	case 18: // ApiVersions v0: no error; one API, Metadata, in versions 1 to 1
		body = []byte{0, 0, 0, 0, 0, 1, 0, 3, 0, 1, 0, 1}
	case 3: // Metadata v1: no brokers, no controller, no topics
		body = []byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}
	default:
		return nil, false
	}
	answer := binary.BigEndian.AppendUint32(nil, uint32(4+len(body)))
	answer = append(answer, frame[frameID:frameID+4]...)
	return append(answer, body...), true
}
