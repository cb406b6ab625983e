package configs

import "strings"

// schema is the table with the look-ups that the loader needs. A level is the
// path of a mapping: "" for the whole file, "log", "clusters[]".
type schema []Key

// children returns the keys of one level.
func (s schema) children(level string) []Key {
	var out []Key
	for _, k := range s {
		if k.Path != "" && k.level() == level {
			out = append(out, k)
		}
	}
	return out
}

// child returns the key of that name at a level.
func (s schema) child(level, name string) (Key, bool) {
	for _, k := range s.children(level) {
		if k.name() == name {
			return k, true
		}
	}
	return Key{}, false
}

func (k Key) level() string {
	if i := strings.LastIndexByte(k.Path, '.'); i >= 0 {
		return k.Path[:i]
	}
	return ""
}

func (k Key) name() string {
	return k.Path[strings.LastIndexByte(k.Path, '.')+1:]
}

// hasDefault reports whether Default is a value that can be parsed.
func (k Key) hasDefault() bool {
	return k.Default != "" && !k.Derived
}
