package main

import (
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/command"
	"github.com/lagwatch/lagwatch/internal/daemon"
)

func newServe(environ []string, stderr io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Watch clusters and serve what is known of them",
		Long: `serve polls every configured cluster at its interval and serves /metrics,
/-/healthy (the process runs) and /-/ready (a cluster has been read). It stays
up while Kafka cannot be reached, says once per change what is wrong, and is whole
again one interval after Kafka is.

Settings come from the config file, then LAGWATCH_ variables, then flags; the
later wins. A password comes from a file or from LAGWATCH_SASL_PASSWORD; it has no
flag, because others can see the arguments of a process.`,
		Example: `  lagwatch serve --brokers kafka1:9092,kafka2:9092
  lagwatch serve --config lagwatch.yaml
  lagwatch serve --brokers kafka1:9094 --tls-ca-file ca.pem --sasl-mechanism scram-sha-512 \
    --sasl-username lagwatch --sasl-password-file /run/secrets/kafka-password
  LAGWATCH_BROKERS=kafka1:9092 lagwatch serve --listen 127.0.0.1:0`,
		Args: cobra.NoArgs,
	}
	configs.AddFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := configs.Load(configs.Options{Flags: cmd.Flags(), Environ: environ})
		if err != nil {
			return command.Failed(err)
		}
		daemon.PaceGC()
		d, err := daemon.New(c, newLogger(stderr, c.Log))
		if err != nil {
			return command.Failed(err)
		}
		if err := d.Run(cmd.Context()); err != nil {
			return command.Failed(err)
		}
		return nil
	}
	return cmd
}

// newLogger writes to w as the config says; Load has checked its words.
func newLogger(w io.Writer, c configs.Log) *slog.Logger {
	var level slog.Level
	if level.UnmarshalText([]byte(c.Level)) != nil {
		level = slog.LevelInfo
	}
	o := &slog.HandlerOptions{Level: level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
