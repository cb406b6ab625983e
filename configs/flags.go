package configs

import (
	"strings"

	"github.com/spf13/pflag"
)

// AddFlags defines the flags of all keys that have one. [Load] reads them;
// only a flag that was given counts, never its default. Durations and choices
// are strings to pflag, so that Load explains what is wrong with them.
func AddFlags(fs *pflag.FlagSet) {
	for _, k := range Describe() {
		if k.Flag != "" {
			addFlag(fs, k)
		}
	}
}

func addFlag(fs *pflag.FlagSet, k Key) {
	help := k.Help + " (env " + k.Env + ")"
	switch k.Type {
	case TypeBool:
		fs.Bool(k.Flag, k.Default == "true", help)
	case TypeAddresses:
		fs.Var(&repeated{typeName: "string"}, k.Flag, help)
	case TypePatterns:
		fs.Var(&repeated{typeName: "pattern"}, k.Flag, help)
	default:
		fs.String(k.Flag, k.Default, help)
	}
}

// repeated is a flag that may be given several times.
type repeated struct {
	texts    []string
	typeName string
}

func (r *repeated) Set(text string) error {
	r.texts = append(r.texts, text)
	return nil
}

func (r *repeated) String() string { return strings.Join(r.texts, ",") }

func (r *repeated) Type() string { return r.typeName }

// given returns the texts of a flag that was set: one, unless it is repeated.
func given(fs *pflag.FlagSet, name string) ([]string, bool) {
	if fs == nil || name == "" {
		return nil, false
	}
	f := fs.Lookup(name)
	if f == nil || !f.Changed {
		return nil, false
	}
	if r, ok := f.Value.(*repeated); ok {
		return r.texts, true
	}
	return []string{f.Value.String()}, true
}
