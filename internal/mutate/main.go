// Command mutate breaks the product on purpose, one small change at a time, and
// checks that each break turns a test red. The tree is not touched: every
// change is laid over it for one run of go test.
//
//	go run ./internal/mutate            all breaks
//	go run ./internal/mutate NAME ...   some
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// every is all breaks.
var every = slices.Concat(breaks, estimated, owned, conditioned, diagnosed, told, exercised, alerted)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutate: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string) error {
	chosen := every
	if len(names) > 0 {
		chosen = slices.DeleteFunc(slices.Clone(every), func(b change) bool { return !slices.Contains(names, b.name) })
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no break is named %s", strings.Join(names, ", "))
	}
	dir, err := os.MkdirTemp("", "lagwatch-mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("the tests as they are")
	if out, err := test(ctx, "", "", packagesOf(chosen)...); err != nil {
		return fmt.Errorf("the tests are red before anything is broken:\n%s", out)
	}
	survived := 0
	for _, b := range chosen {
		started := time.Now()
		verdict, err := b.try(ctx, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		if verdict == "" {
			survived++
			verdict = "SURVIVED: no test noticed"
		}
		fmt.Printf("%-34s %4.0f s  %s\n", b.name, time.Since(started).Seconds(), verdict)
	}
	fmt.Printf("%d breaks, %d noticed, %d survived\n", len(chosen), len(chosen)-survived, survived)
	if survived > 0 {
		return fmt.Errorf("%d of %d breaks survived", survived, len(chosen))
	}
	return nil
}

func packagesOf(list []change) []string {
	var packages []string
	for _, b := range list {
		packages = append(packages, b.packages...)
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

// try lays one break over the tree and runs the tests. It returns the name of
// the first test that turned red, "" if none did.
func (b change) try(ctx context.Context, dir string) (string, error) {
	overlay, err := b.overlay(dir)
	if err != nil {
		return "", err
	}
	out, err := test(ctx, overlay, b.run, b.packages...)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		return "", nil
	case strings.Contains(out, "[build failed]"):
		return "", fmt.Errorf("the broken product does not build, so no test has judged it:\n%s", out)
	}
	if verdict := verdict(out); verdict != "" {
		return verdict, nil
	}
	return "", fmt.Errorf("the tests ended without a verdict:\n%s", out)
}

// verdict is how the output of tests that ended red says that they noticed the
// break, "" if it does not. A panic outside a test's own goroutine ends all of
// them before one is called failed.
func verdict(out string) string {
	if m := failed.FindStringSubmatch(out); m != nil {
		return "noticed by " + m[1]
	}
	if strings.Contains(out, "panic: test timed out") {
		return "noticed: the tests hang"
	}
	if at := crashed.FindStringIndex(out); at != nil {
		if m := inTest.FindStringSubmatch(out[at[1]:]); m != nil {
			return "noticed by " + m[1] + ", which crashed"
		}
	}
	return ""
}

var (
	failed  = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	crashed = regexp.MustCompile(`(?m)^(panic|fatal error): `)
	inTest  = regexp.MustCompile(`\.(Test\w+)[.(]`)
)

func test(ctx context.Context, overlay, run string, packages ...string) (string, error) {
	args := []string{"test", "-count=1", "-failfast", "-timeout=5m", "-run=" + run}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	out, err := exec.CommandContext(ctx, "go", append(args, packages...)...).CombinedOutput()
	return string(out), err
}

// overlay writes the broken file and the map that makes go use it.
func (b change) overlay(dir string) (string, error) {
	source, err := os.ReadFile(b.file)
	if err != nil {
		return "", err
	}
	if n := bytes.Count(source, []byte(b.old)); n != 1 {
		return "", fmt.Errorf("%s has the text to break %d times, not once; bring the break up to date", b.file, n)
	}
	broken := filepath.Join(dir, b.name+".go")
	if err := os.WriteFile(broken, bytes.Replace(source, []byte(b.old), []byte(b.new), 1), 0o600); err != nil {
		return "", err
	}
	path, err := filepath.Abs(b.file)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{path: broken}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, b.name+".json")
	return name, os.WriteFile(name, text, 0o600)
}
