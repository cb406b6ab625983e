// Package dashboards holds the Grafana dashboards that are shipped, as the JSON that
// Grafana loads. The Go code in build/ makes them: make dashboards.
package dashboards

import (
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed *.json
var files embed.FS

// A Dashboard is one of them.
type Dashboard struct {
	UID   string
	Title string
	JSON  []byte `json:"-"` // as it is committed; the caller must not change it
}

// All returns the dashboards, sorted by uid.
func All() ([]Dashboard, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var list []Dashboard
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		d := Dashboard{JSON: text}
		if err := json.Unmarshal(text, &d); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		if d.UID == "" || e.Name() != d.UID+".json" {
			return nil, fmt.Errorf("%s: its uid is %q", e.Name(), d.UID)
		}
		list = append(list, d)
	}
	return list, nil
}
