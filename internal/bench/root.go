package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lagwatch/lagwatch/internal/bench/report"
	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
	"github.com/lagwatch/lagwatch/internal/command"
)

// options are the flags.
type options struct {
	sizes    []string
	families []string
	rounds   int
	json     bool
	write    string
	profile  string
}

func newRoot() *cobra.Command {
	var o options
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure a poll and a scrape of lagwatch beside the least possible work",
		Example: `  go run ./internal/bench
  go run ./internal/bench --sizes small --rounds 20
  go run ./internal/bench --sizes small,large,huge --write docs/performance.md
  go run ./internal/bench --sizes large --families default --profile /tmp/profiles
  go tool pprof -top /tmp/profiles/large-default-cpu.pprof`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	f := root.Flags()
	f.StringSliceVar(&o.sizes, "sizes", []string{"small", "large"}, "of clusters: "+strings.Join(names(), ", "))
	f.StringSliceVar(&o.families, "families", choices(), "of metrics, each choice on its own")
	f.IntVar(&o.rounds, "rounds", 5, "how often")
	f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	f.StringVar(&o.write, "write", "", "a document to put the tables into as well, such as docs/performance.md")
	f.StringVar(&o.profile, "profile", "", "a folder for profiles of lagwatch: of CPU time over polls and pages in gzip,\n"+
		"of all that was allocated until then, and of the heap after that, as\nSIZE-FAMILIES-cpu.pprof, -allocs.pprof and -heap.pprof")
	root.AddCommand(newChild())
	return root
}

func names() []string {
	var list []string
	for _, s := range synthetic.Shapes() {
		list = append(list, s.Name)
	}
	return list
}

func choices() []string {
	var list []string
	for _, f := range families {
		list = append(list, f.name)
	}
	return list
}

func (o *options) run(cmd *cobra.Command) error {
	shapes, err := o.shapes()
	if err != nil {
		return err
	}
	for _, f := range o.families {
		if !slices.Contains(choices(), f) {
			return fmt.Errorf("no choice of families is named %q; there are %s", f, strings.Join(choices(), ", "))
		}
	}
	if o.rounds < 1 {
		return fmt.Errorf("--rounds %d measures nothing; give 1 or more", o.rounds)
	}
	if o.profile != "" && o.write != "" {
		return errors.New("--profile costs time itself, which a document must not show; give --write without it")
	}
	if err := o.makeProfiles(); err != nil {
		return command.Failed(err)
	}
	machine := report.ThisMachine()
	var results []report.Result
	for _, s := range shapes {
		for _, f := range o.families {
			r, err := measure(cmd.Context(), cmd.ErrOrStderr(), s, f, o.rounds, o.profile)
			if cmd.Context().Err() != nil {
				return command.Failed(errors.New("interrupted"))
			}
			if err != nil {
				return command.Failed(fmt.Errorf("%s, %s families: %w", s.Name, f, err))
			}
			results = append(results, r)
		}
	}
	return command.Failed(o.print(cmd.OutOrStdout(), machine, results))
}

// makeProfiles makes the folder for profiles.
func (o *options) makeProfiles() error {
	if o.profile == "" {
		return nil
	}
	if err := os.MkdirAll(o.profile, 0o755); err != nil {
		return fmt.Errorf("%w; name a folder that can be written to with --profile", err)
	}
	return nil
}

func measure(ctx context.Context, progress io.Writer, s synthetic.Shape, families string, rounds int, profiles string) (report.Result, error) {
	b := &bench{shape: s, families: families, rounds: rounds}
	if profiles != "" {
		b.profiles = filepath.Join(profiles, s.Name+"-"+families)
	}
	b.step = steps(progress, fmt.Sprintf("bench: %s, %s families", s.Name, families), b.steps())
	return b.run(ctx)
}

// print shows the results, and then writes them into the document if there is one,
// so that a document which cannot be written does not cost the measurement.
func (o *options) print(w io.Writer, m report.Machine, results []report.Result) error {
	text := report.Markdown(m, results)
	if err := o.show(w, text, m, results); err != nil || o.write == "" {
		return err
	}
	return report.WriteDocument(o.write, text)
}

func (o *options) show(w io.Writer, text string, m report.Machine, results []report.Result) error {
	if !o.json {
		_, err := io.WriteString(w, text)
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Machine report.Machine  `json:"machine"`
		Results []report.Result `json:"results"`
	}{m, results})
}

func (o *options) shapes() ([]synthetic.Shape, error) {
	var list []synthetic.Shape
	for _, name := range o.sizes {
		i := slices.Index(names(), name)
		if i < 0 {
			return nil, fmt.Errorf("no size is named %q; there are %s", name, strings.Join(names(), ", "))
		}
		list = append(list, synthetic.Shapes()[i])
	}
	return list, nil
}

// steps returns a function that tells each step of so many, and about how long
// the rest takes.
func steps(w io.Writer, of string, total int) func(string) {
	began, done := time.Now(), 0
	return func(what string) {
		left := ""
		if done > 1 {
			left = fmt.Sprintf(", about %s left", (time.Since(began) / time.Duration(done) * time.Duration(total-done)).Round(time.Second))
		}
		done++
		fmt.Fprintf(w, "%s: %s%s\n", of, what, left)
	}
}
