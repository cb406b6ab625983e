package configs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// walker goes through a YAML document along the schema. It works on nodes, for
// their lines and for keys as they were written: viper lowercases them.
type walker struct {
	keys schema
	file string
	from map[string]origin
	bad  *problems
}

// where names a place in the file.
func (w *walker) where(n *yaml.Node, path string) string {
	return fmt.Sprintf("%s:%d: %s", plain(w.file), n.Line, path)
}

// checkKeys notes keys that stand twice in one mapping, and those that are no
// plain words. It follows no aliases, so it ends on any document.
func (w *walker) checkKeys(n *yaml.Node, path string) {
	switch n.Kind {
	case yaml.MappingNode:
		w.checkMappingKeys(n, path)
	case yaml.SequenceNode:
		for i, item := range n.Content {
			w.checkKeys(item, index(path, i))
		}
	}
}

func (w *walker) checkMappingKeys(n *yaml.Node, path string) {
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			w.bad.add(w.where(key, join(path, "?")), errors.New("the key is "+describe(key)+"; write a plain word"))
			continue
		}
		at := join(path, key.Value)
		if line, ok := lines[key.Value]; ok {
			w.bad.add(w.where(key, at), fmt.Errorf("stands in line %d already; keep one of the two", line))
		}
		lines[key.Value] = key.Line
		w.checkKeys(value, at)
	}
}

// mapping returns the known keys of a mapping with their values parsed, and
// notes the unknown ones. A key without a value counts as not given, so that a
// section may stay when all its lines are commented out.
func (w *walker) mapping(n *yaml.Node, level, path string) map[string]any {
	out := map[string]any{}
	for _, e := range entries(n) {
		name, _, glued := strings.Cut(e.key.Value, ":")
		if glued { // password:secret without a blank is a key: it is not repeated
			w.bad.add(w.where(e.key, join(path, name)), errors.New("has no blank after its colon; write one"))
			continue
		}
		at := join(path, name)
		k, ok := w.keys.child(level, name)
		if !ok {
			w.bad.add(w.where(e.key, at), unknownKey(e.key.Value, w.keys.children(level)))
			continue
		}
		if isNull(e.value) {
			continue
		}
		w.from[at] = origin{fromFile, w.where(e.key, at)}
		value, err := w.value(k, e.value, at)
		if err != nil {
			w.bad.add(w.from[at].text, err)
			continue
		}
		out[e.key.Value] = value
	}
	return out
}

// value parses one value; what is wrong inside a mapping or list is noted, not
// returned.
func (w *walker) value(k Key, n *yaml.Node, path string) (any, error) {
	switch {
	case k.Type == TypeMapping && n.Kind == yaml.MappingNode:
		return w.mapping(n, k.Path, path), nil
	case k.Type == TypeMapping:
		return nil, fmt.Errorf("is %s, not a mapping; write its keys below it, indented", describe(n))
	case k.Type == TypeList && n.Kind == yaml.SequenceNode:
		return w.list(n, k.Path+"[]", path), nil
	case k.Type == TypeList:
		return nil, fmt.Errorf("is %s, not a list; start each item with a dash", describe(n))
	case (k.Type == TypeAddresses || k.Type == TypePatterns || k.Type == TypeNames) && n.Kind == yaml.SequenceNode:
		return several(k, n)
	}
	text, err := scalarText(k, n)
	if err != nil {
		return nil, err
	}
	return k.parse(text)
}

func (w *walker) list(n *yaml.Node, level, path string) []any {
	out := make([]any, 0, len(n.Content))
	for i, item := range n.Content {
		item, at := target(item), index(path, i)
		w.from[at] = origin{fromFile, w.where(item, at)}
		if item.Kind != yaml.MappingNode {
			w.bad.add(w.from[at].text, fmt.Errorf("is %s, not a mapping; write keys like %s: after the dash",
				describe(item), w.keys.children(level)[0].name()))
			continue
		}
		out = append(out, w.mapping(item, level, at))
	}
	return out
}

// several reads a list of texts. Each of a list of addresses may hold several,
// as a string may.
func several(k Key, n *yaml.Node) (any, error) {
	texts := []string{}
	for i, item := range n.Content {
		item = target(item)
		if isNull(item) {
			continue
		}
		text, err := scalarText(k, item)
		if err == nil && k.Type == TypePatterns {
			_, err = k.parse(text)
		}
		if err != nil {
			return nil, fmt.Errorf("item %d %w", i, err)
		}
		texts = append(texts, text)
	}
	return k.parseAll(texts)
}

// entry is one key of a mapping with its value, aliases followed.
type entry struct{ key, value *yaml.Node }

// entries returns the pairs of a mapping, with those that << merges into it
// where the mapping does not have the key itself.
func entries(n *yaml.Node) []entry {
	var own, merged []entry
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], target(n.Content[i+1])
		if key.ShortTag() == "!!merge" {
			merged = append(merged, mergedEntries(value)...)
			continue
		}
		own = append(own, entry{key, value})
		seen[key.Value] = true
	}
	for _, e := range merged {
		if !seen[e.key.Value] {
			own = append(own, e)
			seen[e.key.Value] = true
		}
	}
	return own
}

// mergedEntries returns what the value of a << stands for: a mapping, or a list of
// them of which the first wins.
func mergedEntries(n *yaml.Node) []entry {
	if n.Kind == yaml.MappingNode {
		return entries(n)
	}
	var out []entry
	for _, item := range n.Content {
		out = append(out, entries(target(item))...)
	}
	return out
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
