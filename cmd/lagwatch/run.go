package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lagwatch/lagwatch/internal/buildinfo"
)

// Exit statuses.
const (
	exitOK    = 0
	exitError = 1 // it was understood, and could not be done
	exitUsage = 2 // it was not understood
)

// failure is an error of a command that was called rightly.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// run is the whole program but for the process around it. Errors are one line
// on stderr.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	root := newRoot(environ, stderr)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	line := strings.Join(strings.Fields(err.Error()), " ")
	var f failure
	if errors.As(err, &f) {
		fmt.Fprintf(stderr, "lagwatch: %s\n", line)
		return exitError
	}
	fmt.Fprintf(stderr, "lagwatch: %s; see '%s --help'\n", line, cmd.CommandPath())
	return exitUsage
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
	root.AddCommand(newServe(environ, stderr), newVersion())
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
