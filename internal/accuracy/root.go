package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lagwatch/lagwatch/internal/command"
	"github.com/lagwatch/lagwatch/internal/simulate"
)

// options are the flags.
type options struct {
	seeds, seed uint64
	scenario    string
	check, draw bool
	svg, dump   string
	trace       string
	write       string
	record      string
}

func newRoot() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "accuracy",
		Short: "How far lagwatch's estimates are from the truth",
		Long: `Simulates groups of which all is known, estimates on what polls see of them, and
prints how far off the estimates are, beside what PromQL makes of the same polls.`,
		Example: `  accuracy                                     all scenarios, 20 seeds each
  accuracy --seeds 100 --scenario wave         one scenario
  accuracy --scenario wave --seed 7 --draw     one run, as text
  accuracy --scenario wave --seed 7 --svg .    the same as SVG
  accuracy --record http://localhost:9742/metrics --dump polls.jsonl
                                               record what a lagwatch sees
  accuracy --trace polls.jsonl                 estimate on it, see docs/traces.md`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return plain(err) })
	f := cmd.Flags()
	f.Uint64Var(&o.seeds, "seeds", 20, "how many seeds of each scenario, from 1 on")
	f.StringVar(&o.scenario, "scenario", "", "this scenario only")
	f.Uint64Var(&o.seed, "seed", 0, "this seed only, from 1 on")
	f.BoolVar(&o.draw, "draw", false, "draw one run as text; wants --scenario and --seed, or --trace")
	f.StringVar(&o.svg, "svg", "", "draw one run as SVG, a file for each partition, into this `folder`; wants the same")
	f.StringVar(&o.dump, "dump", "", "write the trace of one run into this new `file`; wants --scenario and --seed, or --record")
	f.StringVar(&o.record, "record", "", "record what the lagwatch with this `address` of metrics sees, until Ctrl-C; wants --dump")
	f.StringVar(&o.trace, "trace", "", "estimate on the trace in this `file` instead")
	f.StringVar(&o.write, "write", "", "put tables and pictures of all scenarios into this `document` too, between its markers")
	f.BoolVar(&o.check, "check", false, "exit with status 1 if a target is missed")
	return cmd
}

func (o options) run(cmd *cobra.Command) error {
	kind, err := o.call(cmd.Flags())
	if err != nil {
		return err
	}
	scenarios, err := o.scenarios()
	if err != nil {
		return err
	}
	switch out := cmd.OutOrStdout(); kind {
	case recording:
		err = record(cmd.Context(), o.record, o.dump, cmd.ErrOrStderr())
	case replaying:
		err = o.recorded(out)
	case showing:
		err = o.single(out, scenarios[0])
	case measuring:
		err = o.measured(cmd, scenarios)
	}
	return command.Failed(err)
}

func (o options) measured(cmd *cobra.Command, scenarios []simulate.Scenario) error {
	first, n := uint64(1), o.seeds
	if o.seed > 0 {
		first, n = o.seed, 1
	}
	if o.write != "" { // what is wrong with it shows before the measuring
		if _, _, err := written(o.write); err != nil {
			return err
		}
	}
	scores, err := measure(cmd.Context(), scenarios, first, n, progress(cmd.ErrOrStderr()))
	if err != nil {
		return err
	}
	r := report{scenarios, scores, merged(scores), first, n}
	fmt.Fprint(cmd.OutOrStdout(), r)
	if o.write != "" {
		if err := writeDocument(o.write, r); err != nil {
			return err
		}
	}
	if o.check {
		return r.check()
	}
	return nil
}

// single shows one run.
func (o options) single(w io.Writer, s simulate.Scenario) error {
	made := s.Make(o.seed)
	if o.dump != "" {
		if err := writeTrace(o.dump, made.Trace); err != nil {
			return err
		}
		fmt.Fprintf(w, "wrote %s: %d polls\n", o.dump, len(made.Trace.Polls))
	}
	return o.pictures(w, fmt.Sprintf("%s, seed %d", s.Name, o.seed), made.Trace, estimates(made.Trace, brokerOf(made)))
}

// recorded shows a trace of a file.
func (o options) recorded(w io.Writer) error {
	t, err := readTrace(o.trace)
	if err != nil {
		return fmt.Errorf("reading the trace: %w", err)
	}
	r := estimated(o.trace, t)
	if o.draw || o.svg != "" {
		return o.pictures(w, t.Header.Name, t, r.samples)
	}
	r.write(w)
	return nil
}

func (o options) scenarios() ([]simulate.Scenario, error) {
	all := simulate.Scenarios()
	if o.scenario == "" {
		return all, nil
	}
	s, ok := simulate.Find(o.scenario)
	if !ok {
		names := make([]string, len(all))
		for i, s := range all {
			names[i] = s.Name
		}
		return nil, fmt.Errorf("no scenario is named %q; there are %s", o.scenario, strings.Join(names, ", "))
	}
	return []simulate.Scenario{s}, nil
}

// progress says every second how far it is.
func progress(w io.Writer) func(done, of int) {
	last := time.Now()
	return func(done, of int) {
		if now := time.Now(); now.Sub(last) >= time.Second {
			last = now
			fmt.Fprintf(w, "accuracy: %d of %d runs\n", done, of)
		}
	}
}
