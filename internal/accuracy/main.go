// Command accuracy measures how far what lagwatch estimates is from the truth, on
// simulated groups, beside what is done without lagwatch; and shows what it estimates
// on recorded polls.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// failure is an error of a command that was called rightly.
type failure struct{ error }

// execute is the whole program but for the process around it: exit status 1 when
// something could not be done or a target is missed, 2 when the call was not
// understood.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	line := strings.Join(strings.Fields(err.Error()), " ")
	if f := (failure{}); errors.As(err, &f) {
		fmt.Fprintf(stderr, "accuracy: %s\n", line)
		return 1
	}
	fmt.Fprintf(stderr, "accuracy: %s; see 'accuracy --help'\n", line)
	return 2
}
