// Command bench measures what one poll and one scrape of lagwatch cost, beside
// the least that they could.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/lagwatch/lagwatch/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program but for the process around it: exit status 1 when
// something could not be done, 2 when the call was not understood.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetIn(stdin)
	return command.Run(ctx, root, args, stdout, stderr)
}

func newChild() *cobra.Command {
	return &cobra.Command{
		Use:    "child ROLE JOB",
		Short:  "One process of a measurement; bench itself starts it",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.Failed(serve(cmd.Context(), args[0], args[1], cmd.InOrStdin(), cmd.OutOrStdout()))
		},
	}
}
