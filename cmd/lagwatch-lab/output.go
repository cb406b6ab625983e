package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// output is where a command writes. When a write fails, as when the reader of a pipe has
// gone, nobody sees what is done any more: the command's context ends, with the error as
// its cause. Its methods may be called concurrently.
type output struct {
	to   io.Writer
	stop context.CancelCauseFunc

	mu  sync.Mutex
	err error
}

// outputOf returns an output and a context that ends with it. The caller calls end.
func outputOf(ctx context.Context, to io.Writer) (_ context.Context, o *output, end func()) {
	ctx, stop := context.WithCancelCause(ctx)
	return ctx, &output{to: to, stop: stop}, func() { stop(nil) }
}

// Write implements [io.Writer]. Nothing follows what could not be written.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(p)
	if err != nil {
		o.err = fmt.Errorf("the output could not be written: %w", err)
		o.stop(o.err)
	}
	return n, err
}

// failed is the error of the first write that failed, nil if none did.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// terminal is the file descriptor of the terminal that is written to.
func (o *output) terminal() (fd int, ok bool) {
	f, ok := o.to.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return -1, false
	}
	return int(f.Fd()), true
}
