// Command accuracy measures how far what lagwatch estimates is from the truth, on
// simulated groups, beside what is done without lagwatch; and shows what it estimates
// on recorded polls.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/lagwatch/lagwatch/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// execute is the whole program but for the process around it: exit status 1 when
// something could not be done or a target is missed, 2 when the call was not
// understood.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return command.Run(ctx, newRoot(), args, stdout, stderr)
}
