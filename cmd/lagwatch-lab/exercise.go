package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/lagwatch/lagwatch/internal/command"
	"github.com/lagwatch/lagwatch/internal/daemon"
	"github.com/lagwatch/lagwatch/internal/exercise"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// The session timeouts: of the embedded cluster, which is fast, and of a real one,
// whose least is 6 s unless somebody changed it.
const (
	embeddedSession = 3 * time.Second
	kafkaSession    = 6 * time.Second
)

type exerciseOptions struct {
	session time.Duration
	yes     bool
	json    bool
	rule    exercise.Rule
}

// check finds what the flags alone show to be wrong.
func (o *exerciseOptions) check(f *pflag.FlagSet) error {
	if err := checkConnect(f); err != nil {
		return err
	}
	if o.session < 0 {
		return fmt.Errorf("--session-timeout %s is below zero; leave it out for %s", o.session, kafkaSession)
	}
	if o.session == 0 {
		o.session = embeddedSession
		if elsewhere(f) {
			o.session = kafkaSession
		}
	}
	return nil
}

// newExercise is the command; its consumers commit by a rule, which is the right one
// but in tests.
func newExercise(rule exercise.Rule, environ []string) *cobra.Command {
	o := exerciseOptions{rule: rule}
	cmd := &cobra.Command{
		Use:   "exercise",
		Short: "Watch records while partitions change hands and a consumer crashes",
		Long: `exercise writes the events of a few orders, has two consumers and then a third
read them, lets workers finish out of order, stops a consumer after its effects
and before its commit, and checks that no event was lost, that each order's
effects came in their order, and that nothing was done twice but what lay
between an effect and its commit. Beside each step it shows what lagwatch saw.
It takes seconds.

It runs on an embedded cluster, or with --brokers or --config on a Kafka, which
it reaches by lagwatch's own settings for TLS and SASL. There it asks first. It
creates one topic and one group with names that nobody has, and removes them at
the end, also after Ctrl-C, a failure, or when its terminal or the reader of its
output has gone; a second Ctrl-C leaves them there. Kafka forgets the
transactional id by itself, after a week.

The exit status is 0 when everything held, 1 otherwise.`,
		Example: `  lagwatch-lab exercise
  lagwatch-lab exercise --brokers kafka1:9092,kafka2:9092
  lagwatch-lab exercise --brokers kafka1:9094 --tls-ca-file ca.pem \
    --sasl-mechanism scram-sha-512 --sasl-username orders \
    --sasl-password-file /run/secrets/kafka-password
  lagwatch-lab exercise --config lagwatch.yaml --cluster east
  lagwatch-lab exercise --brokers kafka1:9092 --yes --json | jq '.checks[]'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			return command.Failed(doExercise(cmd, o, environ))
		},
	}
	f := cmd.Flags()
	addConnectFlags(f)
	f.DurationVar(&o.session, "session-timeout", 0, fmt.Sprintf("the group waits this `duration` for a consumer that crashed (default %s, with --brokers %s)", embeddedSession, kafkaSession))
	f.BoolVar(&o.yes, "yes", false, "don't ask before writing to a Kafka")
	f.BoolVar(&o.json, "json", false, "print one JSON document at the end instead of the text")
	return cmd
}

// doExercise runs it where the options say. Its error says which checks failed.
func doExercise(cmd *cobra.Command, o exerciseOptions, environ []string) error {
	ctx, out, end := outputOf(cmd.Context(), cmd.OutOrStdout())
	defer end()
	notes := cmd.ErrOrStderr()
	x := exercise.Options{Name: exercise.NewName(), SessionTimeout: o.session, Rule: o.rule}
	if !elsewhere(cmd.Flags()) {
		cluster, err := lab.Start(lab.Options{})
		if err != nil {
			return err
		}
		defer cluster.Close()
		x.Brokers = cluster.Addrs()
	} else {
		if err := reach(&x, cmd.Flags(), environ, notes); err != nil {
			return err
		}
		if err := agree(ctx, o, &x, cmd.InOrStdin(), notes); err != nil {
			return err
		}
	}
	if o.json {
		x.Begin = func(heading string) { fmt.Fprintln(notes, heading) }
	} else {
		fmt.Fprintf(out, "topic and group %s on %s\n\n", x.Name, strings.Join(x.Brokers, ","))
		x.Begin = func(heading string) { fmt.Fprintln(out, heading+"\n") }
		x.Show = func(s *exercise.Step) { fmt.Fprintln(out, s.Text(columns(out))) }
	}
	report, err := exercise.Run(ctx, x)
	if err != nil && ctx.Err() != nil {
		err = stopped(err, out.failed())
	}
	if err == nil && !report.Held {
		err = fmt.Errorf("it did not hold: %s", failed(report))
	}
	if o.json {
		_ = printJSON(out, report) // out knows what is wrong
	} else {
		fmt.Fprint(out, report.Text(columns(out)))
	}
	return told(err, out.failed())
}

// reach says where the Kafka is and how it is reached, with what is to be said of that.
func reach(x *exercise.Options, f *pflag.FlagSet, environ []string, notes io.Writer) error {
	c, err := target(f, environ)
	if err != nil {
		return err
	}
	x.Brokers = c.Brokers
	if x.TLS, x.SASL, err = daemon.Security(c); err != nil {
		return err
	}
	for _, text := range c.Warnings() {
		fmt.Fprintf(notes, "cluster %s: %s\n", c.Name, text)
	}
	return nil
}

// stopped is the error of a run that was stopped: by a signal, or as its output could not
// be written. Of the run's own error it says what was left behind.
func stopped(err, written error) error {
	why := "stopped before the end"
	if written != nil {
		why += ", as " + written.Error()
	}
	if left := leftBehind(err); len(left) > 0 {
		return fmt.Errorf("%s; %s", why, strings.Join(left, "; "))
	}
	return errors.New(why + "; topic and group are gone")
}

// leftBehind says of everything in an error that was left behind what removes it.
func leftBehind(err error) (all []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, leftBehind(e)...)
		}
		return all
	}
	if left := (*exercise.LeftBehindError)(nil); errors.As(err, &left) {
		all = append(all, left.Error())
	}
	return all
}

// told is the error of a run whose report was written, or could not be.
func told(err, written error) error {
	switch {
	case err == nil:
		return written
	case written == nil || strings.Contains(err.Error(), written.Error()):
		return err
	}
	return fmt.Errorf("%w; %w", err, written)
}

// columns is how wide a terminal is; anything else has room for a step's two columns.
func columns(out *output) int {
	if fd, ok := out.terminal(); ok {
		if width, _, err := term.GetSize(fd); err == nil && width > 0 {
			return width
		}
	}
	return exercise.Width
}

func printJSON(out io.Writer, r *exercise.Report) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// failed names the checks that did not hold.
func failed(r *exercise.Report) string {
	var names []string
	for _, c := range r.Checks {
		if !c.Held {
			names = append(names, c.Name+": "+c.Detail)
		}
	}
	return strings.Join(names, "; ")
}

// agree says what will be created and waits for a yes.
func agree(ctx context.Context, o exerciseOptions, x *exercise.Options, in io.Reader, out io.Writer) error {
	if o.yes {
		return nil
	}
	fmt.Fprintf(out, `The exercise will write to the Kafka at %s. It creates
  topic             %s, some 60 small records
  group             %[2]s
  transactional id  %[2]s, of which Kafka keeps a trace for a week
and removes topic and group at the end. Go on? [y/N] `, strings.Join(x.Brokers, ","), x.Name)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(out)
		return errors.New("stopped; nothing was created")
	case a := <-answer:
		if a != "y" && a != "yes" {
			return errors.New("nothing was created, as the answer was not yes; --yes leaves the question out")
		}
		return nil
	}
}
