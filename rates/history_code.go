package rates

// A history is a string of numbers, of which the newest is read first. A number is
// written in groups of seven bits, the low one last, and the high bit of a byte
// says that another one stands before it. So it can be read from the end, where
// every estimate begins, and can be cut off at its old end without being rewritten.
//
// What a number means is in its low bits: xxx0 is a reading that is xxx offsets
// above the one before, and what stands before that, if anything, is what lies
// between the two.
const (
	codeRun    = 0b001 // so many further readings that saw no change
	codeMissed = 0b011 // so many polls without a reading
	codeLate   = 0b101 // from here on readings are so many milliseconds later, zigzag
)

// A reading is at most this long: a step and the three that may stand before it.
const maxCode = 4 * 10

// appendCode writes a number to the end.
func appendCode(code []byte, v uint64) []byte {
	groups := 1
	for rest := v >> 7; rest != 0; rest >>= 7 {
		groups++
	}
	for i := groups - 1; i >= 0; i-- {
		b := byte(v>>(7*i)) & 0x7f
		if i < groups-1 {
			b |= 0x80
		}
		code = append(code, b)
	}
	return code
}

// lastCode reads the number that ends before a byte, which is not the first, and
// returns how many bytes stand before it.
func lastCode(code []byte, end int) (v uint64, rest int) {
	rest = end - 1
	b := code[rest]
	if b < 0x80 {
		return uint64(b), rest
	}
	v = uint64(b & 0x7f)
	for shift := 7; b >= 0x80 && rest > 0; shift += 7 {
		rest--
		b = code[rest]
		v |= uint64(b&0x7f) << shift
	}
	return v, rest
}

func zigzag(v int32) uint64   { return uint64(uint32(v<<1) ^ uint32(v>>31)) }
func unzigzag(v uint64) int32 { return int32(uint32(v)>>1) ^ -int32(v&1) }
