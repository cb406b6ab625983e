//go:build linux

package child

import (
	"syscall"
	"testing"
)

// Memory counts that was taken meanwhile, also where it was given back again.
// It is taken from the system and not from the heap: the race detector gives back its
// shadow of an allocation's addresses, and so hid the growth of what used them again.
func TestCrowd(t *testing.T) {
	const much = 64 << 20
	for name, took := range map[string]bool{"nothing": false, "much": true} {
		c, err := BeginCrowd()
		if err != nil {
			t.Fatal(err)
		}
		if took {
			takeAndReturn(t, much)
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

func takeAndReturn(t *testing.T, size int) {
	t.Helper()
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < size; i += 4096 { // memory counts once it is touched
		memory[i] = 1
	}
	if err := syscall.Munmap(memory); err != nil {
		t.Fatal(err)
	}
}
