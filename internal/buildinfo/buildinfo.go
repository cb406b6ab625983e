// Package buildinfo tells which lagwatch this is.
package buildinfo

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker for releases (-X); empty otherwise.
var version string

// Info names a build.
type Info struct {
	Version  string // "devel" where it is no release
	Revision string // of the source, "unknown" where the build does not say
	Go       string // the Go release that built it
}

// Read returns what the binary says of itself.
func Read() Info {
	i := Info{Version: version, Revision: "unknown", Go: runtime.Version()}
	b, ok := debug.ReadBuildInfo()
	if !ok {
		b = &debug.BuildInfo{}
	}
	if i.Version == "" && b.Main.Version != "(devel)" {
		i.Version = b.Main.Version
	}
	if i.Version == "" {
		i.Version = "devel"
	}
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" {
			i.Revision = s.Value
		}
	}
	return i
}

func (i Info) String() string {
	return fmt.Sprintf("lagwatch %s (revision %s, %s)", i.Version, i.Revision, i.Go)
}
