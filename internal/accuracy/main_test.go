package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func call(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = execute(context.Background(), args, &out, &err)
	return code, out.String(), err.String()
}

func TestBadInputIsOneLine(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"unknown scenario", []string{"--scenario", "waves"}, 2, []string{`"waves"`, "wave, ", "accuracy --help"}},
		{"no seeds", []string{"--seeds", "0"}, 2, []string{"--seeds is 0", "1 or more"}},
		{"a picture of everything", []string{"--draw"}, 2, []string{"one run", "--scenario and --seed"}},
		{"a picture of all seeds", []string{"--svg", dir, "--scenario", "wave"}, 2, []string{"one run", "--scenario and --seed"}},
		{"a trace of a scenario", []string{"--trace", bad, "--scenario", "wave"}, 2, []string{"leave out --scenario"}},
		// These flags were without effect.
		{"a trace that is checked", []string{"--trace", bad, "--check", "--seeds", "3"}, 2, []string{"--trace is a run already", "--check, --seeds"}},
		{"a trace that is written down", []string{"--trace", bad, "--write", bad}, 2, []string{"leave out --write"}},
		{"a trace that is dumped", []string{"--trace", bad, "--dump", bad}, 2, []string{"leave out --dump"}},
		{"seeds of one seed", []string{"--seeds", "2", "--seed", "3"}, 2, []string{"leave out either"}},
		{"a picture that is checked", []string{"--draw", "--scenario", "wave", "--seed", "1", "--check"}, 2, []string{"measure nothing", "leave out --check"}},
		{"a picture of many seeds", []string{"--draw", "--scenario", "wave", "--seed", "1", "--seeds", "3"}, 2, []string{"leave out --seeds"}},
		{"a recording that is drawn", []string{"--record", "http://localhost:1/", "--dump", bad, "--draw"}, 2, []string{"no more; leave out --draw"}},
		{"a recording into nothing", []string{"--record", "http://localhost:1/"}, 2, []string{"give --dump"}},
		{"seed 0", []string{"--seed", "0"}, 2, []string{"seeds begin at 1"}},
		{"seed 0 of a picture", []string{"--draw", "--scenario", "wave", "--seed", "0"}, 2, []string{"seeds begin at 1"}},
		{"a trace without a name", []string{"--trace", ""}, 2, []string{"--trace is empty"}},
		{"a scenario without a name", []string{"--scenario", "", "--write", bad}, 2, []string{"--scenario is empty"}},
		// The report of one scenario replaced that of all.
		{"a document of a scenario", []string{"--write", bad, "--scenario", "idle"}, 2, []string{"all scenarios", "leave out --scenario and --seed"}},
		{"a document of a seed", []string{"--write", bad, "--seed", "4"}, 2, []string{"leave out --scenario and --seed"}},
		{"too many seeds", []string{"--seeds", "18446744073709551615"}, 2, []string{"at most 1000"}},
		// Messages had Go in them.
		{"a seed that is no number", []string{"--seed", "x"}, 2, []string{`--seed is "x": give a whole number from 1 on`}},
		{"a seed below 0", []string{"--seeds", "-1"}, 2, []string{`--seeds is "-1": give a whole number`}},
		{"check what", []string{"--check=perhaps"}, 2, []string{`--check is "perhaps": give true or false`}},
		{"an address without a scheme", []string{"--record", "localhost:9742/metrics", "--dump", bad}, 2, []string{"try http://localhost:9742/metrics"}},
		{"an address of another scheme", []string{"--record", "ftp://localhost/", "--dump", bad}, 2, []string{"give it like http://"}},
		{"an address that is none", []string{"--record", "http://a b/", "--dump", bad}, 2, []string{"give it like http://"}},
		// What had been recorded was lost.
		{"a dump onto a file", []string{"--scenario", "idle", "--seed", "1", "--dump", bad}, 1, []string{"bad.jsonl exists; remove it or name another"}},
		{"a recording onto a file", []string{"--record", "http://127.0.0.1:1/", "--dump", bad}, 1, []string{"bad.jsonl exists; remove it or name another"}},
		{"nobody to record", []string{"--record", "http://127.0.0.1:1/metrics", "--dump", filepath.Join(dir, "new")}, 1, []string{"no page at http://127.0.0.1:1/metrics", "is a lagwatch running there?"}},
		{"stray argument", []string{"wave"}, 2, []string{"wave", "accuracy --help"}},
		{"no such trace", []string{"--trace", filepath.Join(dir, "none")}, 1, []string{"reading the trace", "none", "no such file"}},
		{"a bad trace", []string{"--trace", bad}, 1, []string{"bad.jsonl:1: there is no header"}},
		{"no such folder", []string{"--svg", filepath.Join(dir, "none"), "--scenario", "idle", "--seed", "1"}, 1, []string{"none", "no such file"}},
		{"a document without markers", []string{"--write", bad, "--seeds", "1"}, 1, []string{"lacks the lines", begin}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, _, stderr := call(tt.args...)
			if code != tt.code || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit status %d, want %d, and one line:\n%s", code, tt.code, stderr)
			}
			for _, s := range tt.says {
				if !strings.Contains(stderr, s) {
					t.Errorf("it does not say %q:\n%s", s, stderr)
				}
			}
		})
	}
}

// A trace that was written is estimated on as the run itself is, and what is known of
// the truth in it is used.
func TestATraceIsReplayed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.jsonl")
	if code, _, stderr := call("--scenario", "worked-example", "--seed", "1", "--dump", file); code != 0 {
		t.Fatal(stderr)
	}
	code, stdout, stderr := call("--trace", file)
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{": 240 polls.", "| group | topic | 0 | 240 |", "The truth is known of 240 positions", "| arrival rate: error p90 | 0.0 % | at most 5.0 %: met |"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name  string
		total score
		want  string // "" for no error
	}{
		{"nothing was measured", score{}, ""},
		{"all is well", score{drain: measured{errors: figures{0.04}}, bounds: ratio{9, 10}, finite: 3}, ""},
		{"a rate", score{drain: measured{errors: figures{0.06}}}, `1, the first by "drain rate: error p90": 6.0 %, at most 5.0 %`},
		{"bounds", score{bounds: ratio{8, 10}}, "80.0 %, at least 90.0 %"},
		{"finite for long", score{finite: 4}, "4, at most 3"},
		{"an age", score{age: measured{errors: figures{0.2, 1.2}}}, "1.2, at most 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := report{total: &tt.total}.check()
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTheDocumentGetsTheTables(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "d.md")
	if err := os.WriteFile(file, []byte("before\n"+begin+"\nwhat was there\n"+end+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := report{nil, nil, &score{}, 1, 1}
	if err := writeDocument(file, r); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	if !strings.HasPrefix(text, "before\n"+begin+"\n\n"+how+r.String()) || !strings.HasSuffix(text, end+"\nafter\n") || strings.Contains(text, "what was there") {
		t.Errorf("got\n%s", text)
	}
	for _, d := range depicted {
		name := d.run.scenario + ".svg"
		if _, err := os.Stat(filepath.Join(dir, "d", name)); err != nil || !strings.Contains(text, "(d/"+name+")") {
			t.Errorf("picture %s: %v", name, err)
		}
	}
}

func TestDrawnAsText(t *testing.T) {
	code, stdout, stderr := call("--scenario", "stuck-record", "--seed", "1", "--draw")
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{"stuck-record, seed 1, group on topic/3", "\ndrain time, s, on a logarithmic scale\n", "(a poll every 10 s)", "─ truth, • estimate, ● both", string(markTruth), "∞ │"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, line := range strings.Split(stdout, "\n") {
		if n := len([]rune(line)); n > 120 {
			t.Errorf("a line has %d characters: %s", n, line)
		}
	}
}

func TestDrawnAsSVG(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := call("--scenario", "stuck-record", "--seed", "1", "--svg", dir)
	if code != 0 || strings.Count(stdout, "wrote ") != 4 {
		t.Fatal(stdout, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "stuck-record-seed-1-group-on-topic-0.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>stuck-record", ">drain time, s, on a logarithmic scale<", "(a poll every 10 s)<", ">+Inf<", ">truth<", ">minutes<"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(string(text), "NaN") {
		t.Error("a coordinate is NaN")
	}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
