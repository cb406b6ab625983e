package testkafka

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"text/template"
)

// Distribution is one Kafka version, fetched: a folder of jars that must not be
// changed, because other test processes use it too.
type Distribution struct {
	// Version is MAJOR.MINOR.PATCH.
	Version string
	// Dir is the folder that holds the jars.
	Dir string
}

// Classpath is the value for java -cp: every jar of the distribution. The logger
// that the package configures comes first, since Kafka 3.x brings another.
func (d Distribution) Classpath() string {
	logger := filepath.Join(d.Dir, "slf4j-simple-"+slf4jVersion+".jar")
	return logger + string(os.PathListSeparator) + filepath.Join(d.Dir, "*")
}

const slf4jVersion = "1.7.36"

// Ensure returns the jars of a Kafka version, resolving them with Maven into
// the cache unless they are there. The cache is the folder that
// TESTKAFKA_CACHE names, or lagwatch-test in the user's cache folder.
//
// It may be called by several processes and goroutines at once: one resolves,
// the others wait. A missing java, javac or mvn is a [*MissingToolError]; mvn is
// needed only to resolve.
func Ensure(ctx context.Context, version string) (Distribution, error) {
	rel, err := parseRelease(version)
	if err != nil {
		return Distribution{}, err
	}
	if err := needTools("java", "javac"); err != nil {
		return Distribution{}, fmt.Errorf("running Kafka %s: %w", version, err)
	}
	cache, err := cacheDir()
	if err != nil {
		return Distribution{}, err
	}
	dist := Distribution{Version: version, Dir: filepath.Join(cache, "kafka-"+version)}
	err = buildOnce(ctx, dist.Dir, func(tmp string) error { return resolve(ctx, rel, version, tmp) })
	if err != nil {
		return Distribution{}, fmt.Errorf("fetching Kafka %s: %w", version, err)
	}
	return dist, nil
}

// cacheDir returns the cache folder, which it creates.
func cacheDir() (string, error) {
	dir := os.Getenv("TESTKAFKA_CACHE")
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("finding a cache folder (TESTKAFKA_CACHE names one): %w", err)
		}
		dir = filepath.Join(user, "lagwatch-test")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("resolving cache folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("creating cache folder: %w", err)
	}
	return dir, nil
}

// buildOnce makes the folder dir by having build fill an empty folder beside
// it, which is renamed only when build succeeded. A folder that exists is
// complete, and build is not called.
func buildOnce(ctx context.Context, dir string, build func(tmp string) error) error {
	if done, err := exists(dir); done || err != nil {
		return err
	}
	unlock, err := lockFile(ctx, dir+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	if done, err := exists(dir); done || err != nil {
		return err
	}
	// The lock is ours, so a left-over belongs to a process that died.
	tmp := dir + ".tmp"
	if err := os.RemoveAll(tmp); err != nil {
		return fmt.Errorf("removing a left-over: %w", err)
	}
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return fmt.Errorf("creating: %w", err)
	}
	defer os.RemoveAll(tmp)
	if err := build(tmp); err != nil {
		return err
	}
	return os.Rename(tmp, dir)
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// resolve copies the jars of a version into dir.
func resolve(ctx context.Context, rel release, version, dir string) error {
	if err := needTools("mvn"); err != nil {
		return err
	}
	pom := filepath.Join(dir, "pom.xml")
	f, err := os.Create(pom)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := writePOM(f, rel, version); err != nil {
		return fmt.Errorf("writing pom: %w", err)
	}
	cmd := exec.Command("mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", "-DoutputDirectory="+dir)
	if _, err := run(ctx, cmd); err != nil {
		return err
	}
	if ok, err := exists(filepath.Join(dir, "kafka_2.13-"+version+".jar")); !ok || err != nil {
		return errors.Join(errors.New("mvn succeeded but left no broker jar"), err)
	}
	return nil
}

//go:embed pom.xml.tmpl
var pomText string

// artifact is one Maven dependency.
type artifact struct{ Group, Name, Version string }

// artifacts lists what a version needs to run brokers, clients and tools.
func artifacts(rel release, version string) []artifact {
	const kafka = "org.apache.kafka"
	list := []artifact{{kafka, "kafka_2.13", version}, {kafka, "kafka-streams", version}}
	if rel.atLeast(3, 0) {
		list = append(list, artifact{kafka, "kafka-tools", version})
	}
	return append(list, artifact{"org.slf4j", "slf4j-simple", slf4jVersion})
}

func writePOM(w io.Writer, rel release, version string) error {
	t, err := template.New("pom").Parse(pomText)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		Version   string
		Artifacts []artifact
	}{version, artifacts(rel, version)})
}
