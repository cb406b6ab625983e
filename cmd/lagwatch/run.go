package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lagwatch/lagwatch/internal/buildinfo"
	"github.com/lagwatch/lagwatch/internal/command"
)

// run is the whole program but for the process around it. Errors are one line
// on stderr.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	return command.Run(ctx, newRoot(environ, stderr), args, stdout, stderr)
}

func newRoot(environ []string, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "lagwatch",
		Short: "Watch Kafka consumer groups: how far behind, who owns what",
		Long: `lagwatch polls Kafka for end offsets, commits, members and assignments, and
publishes lag per group and partition for Prometheus. It only reads: it joins no
group, commits nothing and creates nothing.`,
		Example:       "  lagwatch serve --brokers kafka1:9092,kafka2:9092\n  curl http://localhost:9742/metrics",
		Version:       buildinfo.Read().String(),
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(newServe(environ, stderr), newExplain(environ, stderr), newRules(), newDashboards(), newVersion())
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print which lagwatch this is",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintln(cmd.OutOrStdout(), buildinfo.Read())
			return nil
		},
	}
}
