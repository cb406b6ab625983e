package configs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFileSize is far above any real config, and keeps a wrong path (a device, a
// log) from being read for long.
const maxFileSize = 1 << 20

// file adds the config file, if one is named.
func (l *loader) file(name, namedBy string) {
	if name == "" {
		return
	}
	l.fileName = name
	data, err := readFile(name)
	if err != nil {
		l.bad.add(namedBy+plain(name), err)
		return
	}
	if err := l.merge(name, data); err != nil {
		l.bad.add(plain(name), err)
	}
}

var errLarge = errors.New("is larger than 1 MiB; name a lagwatch config file")

// readFile returns the content; errors do not repeat the name.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(data) > maxFileSize {
		return nil, errLarge
	}
	return data, nil
}

// unreadable drops the path of a file error, which would stand there unquoted.
func unreadable(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("cannot be read: %w; name one that can be", err)
}

// merge checks the file against the schema and adds its values as a layer.
// Problems with a place inside the file are noted, the error is about the
// whole.
func (l *loader) merge(name string, data []byte) error {
	root, err := parseYAML(data)
	if err != nil {
		return err
	}
	w := walker{keys: l.keys, file: name, from: l.from, bad: &l.bad}
	if w.checkKeys(root, ""); len(l.bad) > 0 {
		return nil
	}
	if err := checkAliases(root); err != nil {
		return err
	}
	return l.v.MergeConfigMap(w.mapping(root, "", ""))
}

// parseYAML returns the mapping of a file that holds just one document.
func parseYAML(data []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, errEmptyFile
	}
	if err != nil {
		return nil, syntaxError(err, data)
	}
	if err := d.Decode(new(yaml.Node)); err == nil {
		return nil, errors.New("has several YAML documents; keep one and remove the --- lines")
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(err, data)
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return nil, errEmptyFile
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("is %s, not a mapping; write keys like clusters:", describe(root))
	}
	return root, nil
}

var errEmptyFile = errors.New("is empty; name clusters in it, or leave the file out")

// syntaxError makes one line of a parser's error, and names the most common
// cause, which the parser describes in its own terms.
func syntaxError(err error, data []byte) error {
	if line, ok := tabLine(data); ok {
		return fmt.Errorf("line %d is indented with a tab; use spaces", line)
	}
	return fmt.Errorf("is not YAML (%s); correct that place", yamlText(err))
}

func yamlText(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.Contains(text, "unknown anchor") {
		// The name may be a password that was written without quotes.
		return "an alias that has no anchor; text that begins with * needs quotes"
	}
	if plain(text) != text {
		return quote(text)
	}
	return text
}

// tabLine finds the first line with a tab in its indentation.
func tabLine(data []byte) (int, bool) {
	for i, line := range bytes.Split(data, []byte("\n")) {
		rest := bytes.TrimLeft(line, " \t")
		if len(bytes.TrimSpace(rest)) > 0 && bytes.ContainsRune(line[:len(line)-len(rest)], '\t') {
			return i + 1, true
		}
	}
	return 0, false
}

// checkAliases decodes the document once for the parser's guards: an anchor
// that contains itself, and aliases of aliases that expand without end. Past
// this, following aliases ends. Wrong types are left to the walker, which
// knows their paths.
func checkAliases(root *yaml.Node) error {
	var ignored any
	err := root.Decode(&ignored)
	if _, ok := errors.AsType[*yaml.TypeError](err); err == nil || ok {
		return nil
	}
	return fmt.Errorf("is not sound YAML (%s); correct that place", yamlText(err))
}
