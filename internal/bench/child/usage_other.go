//go:build !linux

package child

import (
	"errors"
	"time"
)

var errNotLinux = errors.New("CPU time and memory of a process are read as Linux tells them; run this on Linux")

func cpuTime() (time.Duration, error) { return 0, errNotLinux }

func peak() (uint64, error) { return 0, errNotLinux }

func resetPeak() (uint64, error) { return 0, errNotLinux }
