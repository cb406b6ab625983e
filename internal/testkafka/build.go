package testkafka

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

//go:embed driver/*.java driver/v28/*.java driver/v33/*.java driver/v41/*.java driver/v44/*.java
var driverSource embed.FS

// driverFolders are the source folders that compile against a version. Of v28
// and v33 it is one: they have the same class.
func driverFolders(rel release) []string {
	folders := []string{"driver"}
	if rel.atLeast(3, 3) {
		folders = append(folders, "driver/v33")
	} else {
		folders = append(folders, "driver/v28")
	}
	if rel.atLeast(4, 1) {
		folders = append(folders, "driver/v41")
	}
	if rel.atLeast(4, 4) {
		folders = append(folders, "driver/v44")
	}
	return folders
}

// source is one file of the driver.
type source struct {
	name string
	text []byte
}

// driverFiles reads the sources for a version, in a fixed order.
func driverFiles(rel release) ([]source, error) {
	var files []source
	for _, folder := range driverFolders(rel) {
		names, err := fs.Glob(driverSource, path.Join(folder, "*.java"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := driverSource.ReadFile(name)
			if err != nil {
				return nil, err
			}
			files = append(files, source{path.Base(name), text})
		}
	}
	return files, nil
}

// buildDriver compiles the driver against a distribution, once for each state
// of its source, and returns the folder with its classes.
func buildDriver(ctx context.Context, dist Distribution) (string, error) {
	rel, err := parseRelease(dist.Version)
	if err != nil {
		return "", err
	}
	files, err := driverFiles(rel)
	if err != nil {
		return "", fmt.Errorf("reading the driver's source: %w", err)
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "driver-"+dist.Version+"-"+sourceHash(files))
	err = buildOnce(ctx, dir, func(tmp string) error { return compile(ctx, dist, files, tmp) })
	if err != nil {
		return "", fmt.Errorf("building the driver: %w", err)
	}
	return dir, nil
}

// sourceHash is short, but long enough for the few states a source goes through.
func sourceHash(files []source) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s %d\n%s", f.name, len(f.text), f.text)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func compile(ctx context.Context, dist Distribution, files []source, dir string) error {
	args := []string{"-nowarn", "-encoding", "UTF-8", "-d", dir, "-cp", dist.Classpath()}
	for _, f := range files {
		name := filepath.Join(dir, f.name)
		if err := os.WriteFile(name, f.text, 0o644); err != nil {
			return err
		}
		args = append(args, name)
	}
	_, err := run(ctx, exec.Command("javac", args...))
	return err
}
