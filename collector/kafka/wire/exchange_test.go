package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
)

// The header's tags end within the frame, or it is an error.
func FuzzSkipTags(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{1, 0, 2, 'a', 'b', 9})
	f.Add([]byte{1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		rest, err := skipTags(b)
		if err == nil && !bytes.HasSuffix(b, rest) {
			t.Errorf("%x left of %x", rest, b)
		}
	})
}

// A frame is as long as its size says, or an error; and it costs what has
// arrived, not what the size promises.
func FuzzReadFrame(f *testing.F) {
	f.Add([]byte{0, 0, 0, 4, 1, 2, 3, 4})
	f.Add([]byte{0, 0, 0, 3, 1, 2, 3})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{0x04, 0, 0, 0, 1})
	f.Add([]byte{0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		took := wiretest.Allocates(func() {
			frame, err := readFrame(bytes.NewReader(b), nil)
			if err == nil && (len(frame) != int(binary.BigEndian.Uint32(b)) || !bytes.Equal(frame, b[4:4+len(frame)])) {
				t.Errorf("%x of %x", frame, b)
			}
		})
		if took > uint64(2<<20+4*len(b)) {
			t.Errorf("%d bytes for %d", took, len(b))
		}
	})
}

// A frame that comes in pieces, of several growth steps, is put together.
func TestReadFrameInPieces(t *testing.T) {
	body := bytes.Repeat([]byte("lagwatch"), 700_000) // 5.6 MB
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	for name, r := range map[string]io.Reader{
		"at once":           bytes.NewReader(frame),
		"halves":            iotest.HalfReader(bytes.NewReader(frame)),
		"data with the end": iotest.DataErrReader(bytes.NewReader(frame)),
	} {
		got, err := readFrame(r, nil)
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	for size := range byte(4) { // no room for a correlation id
		if _, err := readFrame(bytes.NewReader([]byte{0, 0, 0, size, 1, 2, 3}), nil); !errors.Is(err, ErrMalformed) {
			t.Errorf("a frame of %d bytes: %v", size, err)
		}
	}
	if _, err := readFrame(bytes.NewReader(frame[:len(frame)-1]), nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut short: %v", err)
	}
}
