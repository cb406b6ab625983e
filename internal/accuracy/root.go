package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/lagwatch/lagwatch/internal/simulate"
)

// options are the flags.
type options struct {
	seeds, seed uint64
	scenario    string
	check, draw bool
}

func newRoot() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "accuracy",
		Short: "How far lagwatch's estimates are from the truth",
		Long: `Simulates groups of which all is known, estimates on what polls see of them, and
prints how far off the estimates are, beside what PromQL makes of the same polls.`,
		Example: `  accuracy                              all scenarios, 20 seeds each
  accuracy --seeds 100 --scenario wave  one scenario`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.Uint64Var(&o.seeds, "seeds", 20, "how many seeds of each scenario")
	f.Uint64Var(&o.seed, "seed", 0, "this seed only")
	f.StringVar(&o.scenario, "scenario", "", "this scenario only")
	f.BoolVar(&o.draw, "draw", false, "draw one run as text; wants --scenario and --seed")
	f.BoolVar(&o.check, "check", false, "exit with status 1 if a target is missed")
	return cmd
}

func (o options) run(cmd *cobra.Command) error {
	scenarios, err := o.scenarios()
	if err != nil {
		return err
	}
	if o.draw {
		if len(scenarios) > 1 || o.seed == 0 {
			return errors.New("--draw is of one run; name it with --scenario and --seed")
		}
		return o.drawn(cmd.OutOrStdout(), scenarios[0])
	}
	first, n := cmp.Or(o.seed, 1), o.seeds
	if o.seed > 0 {
		n = 1
	}
	if n == 0 {
		return fmt.Errorf("--seeds is 0: there is nothing to measure; give 1 or more")
	}
	scores, err := measure(cmd.Context(), scenarios, first, n, progress(cmd.ErrOrStderr()))
	if err != nil {
		return failure{err}
	}
	r := report{scenarios, scores, merged(scores), first, n}
	r.write(cmd.OutOrStdout())
	if missed := r.missed(); o.check && len(missed) > 0 {
		return failure{fmt.Errorf("%d targets are missed, the first is %q: %s, %s", len(missed), missed[0].name, missed[0].value, missed[0].target.text)}
	}
	return nil
}

// drawn draws every pair of a run.
func (o options) drawn(w io.Writer, s simulate.Scenario) error {
	all, _ := samples(s, o.seed)
	for _, p := range inOrder(all) {
		text(w, fmt.Sprintf("%s, seed %d, partition %d: %s", s.Name, o.seed, p.partition, s.About), panels(all[p]))
	}
	return nil
}

func (o options) scenarios() ([]simulate.Scenario, error) {
	all := simulate.Scenarios()
	if o.scenario == "" {
		return all, nil
	}
	i := slices.IndexFunc(all, func(s simulate.Scenario) bool { return s.Name == o.scenario })
	if i < 0 {
		names := make([]string, len(all))
		for i, s := range all {
			names[i] = s.Name
		}
		return nil, fmt.Errorf("no scenario is named %q; there are %v", o.scenario, names)
	}
	return all[i : i+1], nil
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
