// Command build writes the dashboards, as Grafana's JSON, from the Go code in
// this folder: make dashboards. It is a module of its own, so that lagwatch does
// not depend on Grafana's SDK.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := write(dir); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// all are the dashboards in the order of their links.
func all() []dashboard.Dashboard {
	return []dashboard.Dashboard{overview(), group(), topic(), ownership(), self()}
}

// write writes each dashboard into dir, as UID.json.
func write(dir string) error {
	for _, d := range all() {
		text, err := encode(d)
		if err != nil {
			return fmt.Errorf("dashboard %s: %w", *d.Uid, err)
		}
		if err := os.WriteFile(filepath.Join(dir, *d.Uid+".json"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// encode is the JSON that is committed: keys in order and no \u003e for a >, so
// that a change of an expression is read in a diff.
func encode(d dashboard.Dashboard) ([]byte, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var plain any
	numbers := json.NewDecoder(bytes.NewReader(raw))
	numbers.UseNumber()
	if err := numbers.Decode(&plain); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(plain); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
