// Command serve starts the settled cluster and the lagwatch that has read it,
// prints the address of its page on a line, and ends when its standard input
// does. It is for tests of other modules.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/lagwatch/lagwatch/internal/promtest/settled"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "serve: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	scene, err := settled.Start(context.Background(), slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	fmt.Println(scene.URL)
	_, err = io.Copy(io.Discard, os.Stdin)
	if closed := scene.Close(); err == nil {
		err = closed
	}
	return err
}
