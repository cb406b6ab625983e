// Command lagwatch-lab holds what writes to Kafka: a demo with an embedded
// cluster. lagwatch itself only reads.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// failure is an error of a command that was called rightly.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// run is the whole program but for the process around it: exit status 1 when
// something could not be done, 2 when the call was not understood.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "lagwatch-lab",
		Short:         "Try lagwatch on a cluster that exists for that",
		Example:       "  lagwatch-lab demo\n  lagwatch-lab demo --scenario hot-partition,stopped",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(newDemo())
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	line := strings.Join(strings.Fields(err.Error()), " ")
	if f := (failure{}); errors.As(err, &f) {
		fmt.Fprintf(stderr, "lagwatch-lab: %s\n", line)
		return 1
	}
	fmt.Fprintf(stderr, "lagwatch-lab: %s; see '%s --help'\n", line, cmd.CommandPath())
	return 2
}
