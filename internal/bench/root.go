package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lagwatch/lagwatch/internal/bench/report"
	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
)

// options are the flags.
type options struct {
	sizes  []string
	rounds int
	json   bool
	write  bool
}

func newRoot() *cobra.Command {
	var o options
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure a poll and a scrape of lagwatch beside the least possible work",
		Example: `  go run ./internal/bench
  go run ./internal/bench --sizes small --rounds 20
  go run ./internal/bench --sizes small,large,huge --json`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	f := root.Flags()
	f.StringSliceVar(&o.sizes, "sizes", []string{"small", "large"}, "what to measure: "+strings.Join(names(), ", "))
	f.IntVar(&o.rounds, "rounds", 5, "how often")
	f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
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

func (o *options) run(cmd *cobra.Command) error {
	shapes, err := o.shapes()
	if err != nil {
		return err
	}
	var results []report.Result
	for _, s := range shapes {
		for _, f := range families {
			b := &bench{shape: s, families: f.name, rounds: o.rounds, step: progress(cmd.ErrOrStderr(), s, f.name, o.rounds+2)}
			r, err := b.run(cmd.Context())
			if err != nil {
				return failure{err}
			}
			results = append(results, r)
		}
	}
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetIndent("", "  ")
	return enc.Encode(results)
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

// progress tells each step, and how long the rest may take.
func progress(w io.Writer, s synthetic.Shape, families string, steps int) func(string) {
	began, done := time.Now(), 0
	return func(what string) {
		left := ""
		if done > 1 {
			left = fmt.Sprintf(", about %s left", (time.Since(began) / time.Duration(done) * time.Duration(steps-done)).Round(time.Second))
		}
		done++
		fmt.Fprintf(w, "bench: %s, %s families: %s%s\n", s.Name, families, what, left)
	}
}
