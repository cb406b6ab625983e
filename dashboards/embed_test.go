package dashboards

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What is embedded is every file that is committed, byte for byte.
func TestAll(t *testing.T) {
	paths, err := filepath.Glob("*.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 || len(list) != len(paths) {
		t.Fatalf("%d dashboards of %d files", len(list), len(paths))
	}
	for i, d := range list {
		text, err := os.ReadFile(d.UID + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, d.JSON) {
			t.Errorf("%s is not as it is committed", d.UID)
		}
		if d.Title == "" {
			t.Errorf("%s has no title", d.UID)
		}
		if i > 0 && list[i-1].UID >= d.UID {
			t.Errorf("%s comes after %s", d.UID, list[i-1].UID)
		}
	}
}
