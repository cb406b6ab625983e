package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/command"
	"github.com/lagwatch/lagwatch/internal/explain"
)

// explainOptions are the flags of explain that serve has not.
type explainOptions struct {
	url, caFile, passwordFile string
	watch                     time.Duration
	json                      bool
}

func newExplain(environ []string, stderr io.Writer) *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain [GROUP]",
		Short: "Say why a group lags, what proves it, and what to do next",
		Long: `explain asks a running lagwatch why a group lags: the headline, the numbers that prove
it, the partitions that matter with their owners, the latest rebalances, and what to do
next. Without a group it lists all that have a condition, the worst first.

By default it asks the lagwatch of this machine or container (--url), and so answers at
once, with its history, and needs no credentials for Kafka. With --brokers or --config on
the command line it reads Kafka itself for a while, with the settings that serve has; the
variables that serve reads count then, and alone change nothing.

Exit status:
  0  no condition holds, and of those because of which a group does not read or does not
     keep up each could be evaluated
  3  one does: each of docs/conditions.md counts, also catching_up, idle_members,
     abandoned_topic, rewound and standalone
  1  it could not be done, also where there is no such group; or it is not known whether one
     holds, because the cluster could not be read or was not watched for long enough
  2  the call was not understood`,
		Example: `  lagwatch explain order-fulfilment
  kubectl exec deploy/lagwatch -- lagwatch explain order-fulfilment
  lagwatch explain --url https://ops@lagwatch.example:9742 --url-ca-file ca.pem --cluster east orders
  lagwatch explain --brokers kafka1:9092 order-fulfilment
  lagwatch explain --json order-fulfilment`,
		Args: cobra.MaximumNArgs(1),
	}
	f := cmd.Flags()
	configs.AddFlags(f)
	for _, name := range servingFlags {
		_ = f.MarkHidden(name) // they mean nothing here
	}
	f.Lookup("interval").DefValue, f.Lookup("interval").Usage = watchInterval, "poll every `duration`"
	f.Lookup("cluster").DefValue, f.Lookup("cluster").Usage = "", "`name` of the cluster to look in, where several are watched"
	f.StringVar(&o.url, "url", "", "ask the lagwatch at this `address` (env LAGWATCH_URL; default http://127.0.0.1:9742)")
	f.StringVar(&o.caFile, "url-ca-file", "", "trust the authorities in this PEM `file` for https (env LAGWATCH_URL_CA_FILE)")
	f.StringVar(&o.passwordFile, "url-password-file", "", "`file` with the password for the user in the address (env LAGWATCH_URL_PASSWORD_FILE; LAGWATCH_URL_PASSWORD may hold it instead)")
	f.DurationVar(&o.watch, "for", 30*time.Second, "read Kafka for this `duration`; less where that is of no use")
	f.BoolVar(&o.json, "json", false, "print what the JSON API answers, as it is")
	cmd.SetUsageFunc(explainUsage)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := meaningful(cmd.Flags()); err != nil {
			return err
		}
		return runExplain(cmd.Context(), cmd.Flags(), &o, environ, args, cmd.OutOrStdout(), stderr)
	}
	return cmd
}

func runExplain(ctx context.Context, flags *pflag.FlagSet, o *explainOptions, environ, args []string, stdout, stderr io.Writer) error {
	cluster, _ := flags.GetString("cluster")
	if !flags.Changed("cluster") {
		cluster = ""
	}
	var client *explain.Client
	var err error
	if readsKafka(flags) {
		if o.watch <= 0 {
			return fmt.Errorf("--for %v: give a duration above zero, like 30s", o.watch)
		}
		client, err = watchFor(ctx, flags, o.watch, cluster, environ, args, stderr)
	} else {
		client, err = remote(o, environ)
	}
	if err != nil {
		return command.Failed(err)
	}
	verdict, err := tell(ctx, client, cluster, args, o.json, stdout)
	switch {
	case err != nil:
		return command.Failed(err)
	case verdict.holds:
		return command.Found()
	case verdict.doubt != "":
		return command.Failed(errors.New(verdict.doubt + "; " + longer(flags, o, verdict.silent)))
	}
	return nil
}

// longer is what to do where something is not known yet.
func longer(flags *pflag.FlagSet, o *explainOptions, silent bool) string {
	switch {
	case readsKafka(flags) && silent:
		return fmt.Sprintf("watch for longer, as with --for %v", max(4*o.watch, 13*time.Minute))
	case readsKafka(flags):
		return fmt.Sprintf("watch for longer, as with --for %v", 4*o.watch)
	}
	return "ask again later, or see the log of this lagwatch"
}

// verdict is whether a condition holds, or why that is not known; "" where it is.
type verdict struct {
	holds bool
	doubt string
	// silent says that nothing was seen to be committed, which takes longest.
	silent bool
}

// tell prints what the lagwatch says of a group, or of all.
func tell(ctx context.Context, c *explain.Client, cluster string, args []string, json bool, w io.Writer) (v verdict, err error) {
	page := explain.Page{Columns: columns(w), ReadKafka: c.Elsewhere == ""}
	var text string
	var raw []byte
	if len(args) == 0 {
		d, all, err := c.Groups(ctx, cluster)
		if err != nil {
			return v, err
		}
		raw, text, v.holds = all, page.List(d), explain.AnyHolds(d)
		if v.doubt, err = c.Doubts(ctx, d, cluster, page.ReadKafka); err != nil {
			return v, err
		}
	} else {
		d, all, err := c.Group(ctx, args[0], cluster)
		if err != nil {
			return v, err
		}
		raw, text, v = all, page.Group(d), verdict{explain.Holds(&d.Group), explain.Doubt(&d.Group), explain.Silent(d)}
	}
	if json {
		text = string(raw)
	}
	if _, err := io.WriteString(w, text); err != nil {
		return v, fmt.Errorf("writing the answer: %w", err)
	}
	return v, nil
}

// columns is how wide a terminal is, as far as lines are good to read; 0 for anything else.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return min(width, 100)
		}
	}
	return 0
}

// answerTime is how long a lagwatch may take to answer.
const answerTime = 20 * time.Second

// newClient asks through a transport, and follows nobody who says to ask elsewhere.
func newClient(base *url.URL, transport http.RoundTripper, elsewhere string) *explain.Client {
	return &explain.Client{
		Base: base, Elsewhere: elsewhere,
		HTTP: &http.Client{
			Transport: transport, Timeout: answerTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}
