package configs

import (
	"errors"
	"fmt"
	"maps"
	"strings"
)

// applyOnly moves the keys that need a single cluster into its item, and with
// them where they came from.
func (l *loader) applyOnly(clusters []any) []any {
	var paths []string
	for _, k := range onlyKeys() {
		if k.Type != TypeMapping && !strings.Contains(k.Path, "[]") && l.isSet(k.Path) {
			paths = append(paths, k.Path)
		}
	}
	for _, path := range paths {
		if err := l.checkOnly(path, len(clusters)); err != nil {
			l.bad.add(l.from[path].text, err)
			return clusters
		}
	}
	if len(paths) == 0 {
		return clusters
	}
	written, _ := clusters[0].(map[string]any)
	item := maps.Clone(written)
	for _, path := range paths {
		l.from["clusters[0]."+inItem(path)] = l.from[path]
		setPath(item, strings.Split(inItem(path), "."), l.v.Get(path))
	}
	return []any{item}
}

// inItem is the path of a key for a single cluster inside a list item.
func inItem(path string) string {
	if path == "cluster" {
		return "name"
	}
	return path
}

// setPath sets a value in nested mappings, of which it changes copies.
func setPath(m map[string]any, path []string, value any) {
	if len(path) == 1 {
		m[path[0]] = value
		return
	}
	inner, _ := m[path[0]].(map[string]any)
	if inner = maps.Clone(inner); inner == nil {
		inner = map[string]any{}
	}
	m[path[0]] = inner
	setPath(inner, path[1:], value)
}

// checkOnly says why a key for a single cluster cannot be applied.
func (l *loader) checkOnly(path string, clusters int) error {
	switch {
	case clusters > 1:
		return fmt.Errorf("fits a single cluster, but %s lists %d; change clusters[].%s there, or leave one cluster in it",
			plain(l.fileName), clusters, inItem(path))
	case l.from[path].source == fromFile && l.contradicts(path):
		return errors.New("says again what clusters[0] says; leave one of the two out")
	}
	return nil
}

// contradicts reports whether the file itself says both: no order of sources
// decides then.
func (l *loader) contradicts(path string) bool {
	if path == "brokers" {
		return l.isSet("clusters[0]")
	}
	return l.isSet("clusters[0]." + inItem(path))
}
