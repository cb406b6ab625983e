// Package command runs a program's command line: what it returned becomes one line
// on stderr and an exit status.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	OK    = 0
	Error = 1 // it was understood, and could not be done
	Usage = 2 // it was not understood
	Holds = 3 // it was done, and what was looked for is there
)

// found is what a command returns that was done and has [Holds] to tell.
type found struct{}

func (found) Error() string { return "found" }

// Found makes [Holds] the exit status of a command that returns it. Nothing is printed.
func Found() error { return found{} }

// failure is an error of a command that was called rightly.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// Failed marks an error as that of a command that was called rightly; nil stays nil.
// An error that is not marked says that the call was not understood.
func Failed(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// Run executes root with these arguments and returns the exit status. An error is one
// line on stderr that begins with the program's name; one of the call itself ends with
// where help is. root must silence cobra's own errors and usage.
func Run(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil:
		return OK
	case errors.As(err, new(found)):
		return Holds
	}
	line := strings.Join(strings.Fields(err.Error()), " ")
	if errors.As(err, new(failure)) {
		fmt.Fprintf(stderr, "%s: %s\n", root.Name(), line)
		return Error
	}
	fmt.Fprintf(stderr, "%s: %s; see '%s --help'\n", root.Name(), line, cmd.CommandPath())
	return Usage
}
