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
		fs.Var(&repeated{}, k.Flag, help)
	default:
		fs.String(k.Flag, k.Default, help)
	}
}

// repeated is a string flag that may be given several times; the texts are
// joined by commas.
type repeated struct{ texts []string }

func (r *repeated) Set(text string) error {
	r.texts = append(r.texts, text)
	return nil
}

func (r *repeated) String() string { return strings.Join(r.texts, ",") }

func (r *repeated) Type() string { return "string" }

// given returns the text of a flag that was set.
func given(fs *pflag.FlagSet, name string) (string, bool) {
	if fs == nil || name == "" {
		return "", false
	}
	f := fs.Lookup(name)
	if f == nil || !f.Changed {
		return "", false
	}
	return f.Value.String(), true
}
