package child

import "testing"

var kept []byte

// Memory counts that was taken meanwhile, also where it was given back again.
func TestCrowd(t *testing.T) {
	const much = 64 << 20
	for name, took := range map[string]bool{"nothing": false, "much": true} {
		c, err := BeginCrowd()
		if err != nil {
			t.Fatal(err)
		}
		if took {
			kept = make([]byte, much)
			for i := 0; i < much; i += 4096 {
				kept[i] = 1
			}
			kept = nil
		}
		grown, err := c.End()
		if err != nil {
			t.Fatal(err)
		}
		if took != (grown >= much/2) {
			t.Errorf("%s: grown by %d bytes", name, grown)
		}
	}
}
