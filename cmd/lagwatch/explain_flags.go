package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	// servingFlags are those of serve that mean nothing to explain.
	servingFlags = []string{
		"listen", "web-config-file", "pprof", "log-level", "log-format", "metrics-include", "metrics-exclude", "metrics-detail", "metrics-max-series", "history",
	}
	// askingFlags are of asking a running lagwatch, and alwaysFlags mean something in any
	// case. All others are of reading Kafka.
	askingFlags = []string{"url", "url-ca-file", "url-password-file"}
	alwaysFlags = []string{"cluster", "json", "help"}
)

// readsKafka tells whether explain is to read Kafka itself.
func readsKafka(flags *pflag.FlagSet) bool {
	return flags.Changed("brokers") || flags.Changed("config")
}

// meaningful says which flag that was given would have no effect: who gives it expects one.
func meaningful(flags *pflag.FlagSet) (err error) {
	reads := readsKafka(flags)
	flags.Visit(func(f *pflag.Flag) {
		switch {
		case err != nil:
		case slices.Contains(servingFlags, f.Name):
			err = fmt.Errorf("--%s is of lagwatch serve: leave it out", f.Name)
		case reads && slices.Contains(askingFlags, f.Name):
			err = fmt.Errorf("--%s asks a running lagwatch, and --brokers or --config reads Kafka: leave one of them out", f.Name)
		case !reads && !slices.Contains(askingFlags, f.Name) && !slices.Contains(alwaysFlags, f.Name):
			err = fmt.Errorf("--%s reads Kafka: give --brokers or --config with it", f.Name)
		}
	})
	return err
}

// explainUsage says which flags are for what.
func explainUsage(cmd *cobra.Command) error {
	always, asking, reading := pflag.NewFlagSet("", 0), pflag.NewFlagSet("", 0), pflag.NewFlagSet("", 0)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case slices.Contains(alwaysFlags, f.Name):
			always.AddFlag(f)
		case slices.Contains(askingFlags, f.Name):
			asking.AddFlag(f)
		default:
			reading.AddFlag(f)
		}
	})
	_, err := fmt.Fprintf(cmd.OutOrStderr(), "Usage:\n  %s\n\nExamples:\n%s\n\nFlags:\n%s\nTo ask a running lagwatch, as it does without --brokers and --config:\n%s\nTo read Kafka, with --brokers or --config:\n%s",
		cmd.UseLine(), strings.TrimRight(cmd.Example, "\n"), always.FlagUsages(), asking.FlagUsages(), reading.FlagUsages())
	return err
}
