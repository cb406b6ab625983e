package report

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Machine is where something was measured. A text is "" where the system does
// not tell it.
type Machine struct {
	CPU    string    `json:"cpu"`
	Cores  int       `json:"cores"` // that Go may use
	System string    `json:"system"`
	Kernel string    `json:"kernel"`
	Go     string    `json:"go"`
	Load   string    `json:"load"` // of the last minute, before it began
	Date   time.Time `json:"date"`
}

// ThisMachine describes this machine, now.
func ThisMachine() Machine {
	m := Machine{
		Cores: runtime.GOMAXPROCS(0), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Date: time.Now().UTC(),
	}
	m.Kernel = strings.TrimSpace(textOf("/proc/sys/kernel/osrelease"))
	m.Load, _, _ = strings.Cut(textOf("/proc/loadavg"), " ")
	for line := range strings.Lines(textOf("/proc/cpuinfo")) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	return m
}

// textOf is what a file says, "" where there is none.
func textOf(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}

// String is one line.
func (m Machine) String() string {
	parts := []string{fmt.Sprintf("%d cores", m.Cores)}
	if m.CPU != "" {
		parts[0] += " of " + m.CPU
	}
	system := m.System
	if m.Kernel != "" {
		system += " " + m.Kernel
	}
	parts = append(parts, system, m.Go)
	if m.Load != "" {
		parts = append(parts, "load "+m.Load+" before it began")
	}
	return strings.Join(append(parts, m.Date.Format(time.DateOnly)), "; ") + "."
}
