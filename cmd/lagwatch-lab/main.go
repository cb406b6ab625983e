// Command lagwatch-lab holds what writes to Kafka: a demo with an embedded
// cluster, and an exercise. lagwatch itself only reads.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/lagwatch/lagwatch/internal/command"
	"github.com/lagwatch/lagwatch/internal/exercise"
)

func main() {
	// A reader of the output who goes away is an error of the next write: what was
	// created has to be removed.
	signal.Ignore(syscall.SIGPIPE)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	context.AfterFunc(ctx, func() {
		signal.Ignore(syscall.SIGHUP) // a terminal that closes sends it twice: the shell, then the kernel
		stop()                        // a second signal of another kind ends it at once
	})
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program but for the process around it: exit status 1 when
// something could not be done, 2 when the call was not understood.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return command.Run(ctx, newRoot(exercise.Contiguous, os.Environ()), args, stdout, stderr)
}

// newRoot is the command line. The rule is what the exercise's consumers commit by.
func newRoot(rule exercise.Rule, environ []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "lagwatch-lab",
		Short: "Try lagwatch on a cluster that exists for that",
		Long: `lagwatch-lab tries lagwatch on a cluster that exists for that. While the demo
runs, lagwatch explain GROUP answers for it from another terminal.`,
		Example:       "  lagwatch-lab demo\n  lagwatch explain click-attribution\n  lagwatch-lab demo --scenario hot-partition,stopped\n  lagwatch-lab exercise",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(newDemo(), newExercise(rule, environ))
	return root
}
