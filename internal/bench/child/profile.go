package child

import (
	"os"
	"runtime/pprof"
)

// Profiles writes profiles of this process: of CPU time, of what was allocated,
// and of what is live. It makes none where Base is "".
type Profiles struct {
	Base string // of the files' names, with their folder
	cpu  *os.File
}

// Begin begins that of CPU time.
func (p *Profiles) Begin() (err error) {
	if p.Base == "" {
		return nil
	}
	if p.cpu, err = os.Create(p.Base + "-cpu.pprof"); err != nil {
		return err
	}
	return pprof.StartCPUProfile(p.cpu)
}

// End ends it, and writes the others: of all allocations since the process
// began, and of the heap as it was when garbage was last collected.
func (p *Profiles) End() error {
	if p.Base == "" {
		return nil
	}
	pprof.StopCPUProfile()
	if err := p.cpu.Close(); err != nil {
		return err
	}
	for _, name := range []string{"allocs", "heap"} {
		if err := p.write(name); err != nil {
			return err
		}
	}
	return nil
}

func (p *Profiles) write(name string) error {
	f, err := os.Create(p.Base + "-" + name + ".pprof")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.Lookup(name).WriteTo(f, 0); err != nil {
		return err
	}
	return f.Close()
}
