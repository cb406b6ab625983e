// Command bench measures what one poll and one scrape of lagwatch cost, beside
// the least that they could.
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
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// failure is an error of a command that was called rightly.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// run is the whole program but for the process around it: exit status 1 when
// something could not be done, 2 when the call was not understood.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	line := strings.Join(strings.Fields(err.Error()), " ")
	if f := (failure{}); errors.As(err, &f) {
		fmt.Fprintf(stderr, "bench: %s\n", line)
		return 1
	}
	fmt.Fprintf(stderr, "bench: %s; see 'bench --help'\n", line)
	return 2
}

func newChild() *cobra.Command {
	return &cobra.Command{
		Use:    "child ROLE JOB",
		Short:  "One process of a measurement; bench itself starts it",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := serve(cmd.Context(), args[0], args[1], cmd.InOrStdin(), cmd.OutOrStdout()); err != nil {
				return failure{err}
			}
			return nil
		},
	}
}
