package configs

import (
	"fmt"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// Options says where [Load] looks. The zero value has no source at all.
type Options struct {
	// File, where not empty, is read instead of the file that --config or
	// LAGWATCH_CONFIG names.
	File string
	// Flags is a parsed set with the flags of [AddFlags], or nil. Flags that it
	// lacks count as not given.
	Flags *pflag.FlagSet
	// Environ holds "NAME=value" as os.Environ returns it. Load does not look
	// at the environment of the process.
	Environ []string
}

// Load puts together defaults, file, environment and flags; the later wins.
// Every source is checked, also where a later one overrides it.
//
// The error is one line of printable text that names where the value came
// from (FILE:LINE: key path, env NAME, flag --name), what is wrong, and what to
// write instead. It tells the first problem and counts the others. An error
// from reading the file is wrapped. The same Options give the same result as
// long as the file stays what it is.
func Load(o Options) (*Config, error) {
	env := environment(o.Environ)
	l := newLoader()
	l.file(fileName(o, env))
	l.environment(env)
	l.flags(o.Flags)
	if err := l.bad.err(); err != nil {
		return nil, err
	}
	return l.config()
}

// source tells the layers apart, in the order in which they win.
type source uint8

const (
	fromDefault source = iota
	fromFile
	fromEnv
	fromFlag
)

// origin is where a value was given, and how messages name that place.
type origin struct {
	source source
	text   string
}

// loader collects the layers in a viper of its own, with values parsed already
// and so never left to viper's casts, and remembers who set what.
type loader struct {
	keys schema
	v    *viper.Viper
	from map[string]origin // by path with indices, like clusters[0].name
	bad  problems

	fileName string // empty where none was read
}

func newLoader() *loader {
	l := &loader{keys: Describe(), v: viper.New(), from: map[string]origin{}}
	for _, k := range l.keys {
		if k.Path == "" || !k.hasDefault() || strings.Contains(k.Path, "[]") {
			continue
		}
		if value, ok := l.parse(k, k.Default, "default of "+k.Path); ok {
			l.v.SetDefault(k.Path, value)
		}
	}
	return l
}

// fileName returns the file to read, empty for none, and who named it.
func fileName(o Options, env map[string]string) (name, namedBy string) {
	if o.File != "" {
		return o.File, ""
	}
	if name, ok := given(o.Flags, "config"); ok {
		return name[0], "flag --config: "
	}
	return env["LAGWATCH_CONFIG"], "env LAGWATCH_CONFIG: "
}

// environment returns "NAME=value" entries as a map. The last of a name counts.
func environment(environ []string) map[string]string {
	env := map[string]string{}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	return env
}

func (l *loader) flags(fs *pflag.FlagSet) {
	for _, k := range l.keys {
		if texts, ok := given(fs, k.Flag); ok && k.Path != "" {
			l.override(k, texts, origin{fromFlag, "flag --" + k.Flag})
		}
	}
}

// override sets a key above the file. viper's own bindings are not used: they
// read the process's environment, and cast strings as they like.
func (l *loader) override(k Key, texts []string, o origin) {
	value, err := k.parseAll(texts)
	if err != nil {
		l.bad.add(o.text, err)
		return
	}
	l.v.Set(k.Path, value)
	l.from[k.Path] = o
}

// parse is Key.parse that notes the problem.
func (l *loader) parse(k Key, text, where string) (any, bool) {
	value, err := k.parse(text)
	if err != nil {
		l.bad.add(where, err)
	}
	return value, err == nil
}

// merged is what all layers together say, before the shorthand keys for a
// single cluster are applied.
type merged struct {
	Config `mapstructure:",squash"`
	only   `mapstructure:",squash"`
}

// decode turns the layers into a struct. Values have their types by now, so
// viper's hooks and weak typing, which split and cast, are off; an error here
// is a row of the table that no field fits.
func (l *loader) decode() (merged, error) {
	var m merged
	err := l.v.Unmarshal(&m, func(c *mapstructure.DecoderConfig) {
		c.DecodeHook = nil
		c.WeaklyTypedInput = false
		c.ErrorUnused = true
	})
	if err != nil {
		return merged{}, fmt.Errorf("settings do not fit the schema: %s", quote(err.Error()))
	}
	return m, nil
}
