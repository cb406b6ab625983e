package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/lagwatch/lagwatch/alerts"
	"github.com/lagwatch/lagwatch/internal/command"
)

// rulesFlags are what lagwatch rules is given, before it is understood.
type rulesFlags struct {
	options    alerts.Options
	format     string
	labels     []string
	manifest   []string
	severities []string
	thresholds []string
	waits      []string
	list, json bool
}

func newRules() *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Print alert and recording rules for Prometheus",
		Long: `rules prints the alert and recording rules that go with lagwatch's metrics, for
Prometheus 2.42 and later, as a rules file or as a manifest for the Prometheus operator.
Without options it prints what is shipped as alerts/lagwatch.rules.yaml. It asks nobody:
neither Kafka nor a running lagwatch.

When a condition holds is set in the config of lagwatch (conditions, objectives); what
rules make of it is set here. docs/alerts.md tells more.

` + thresholdHelp(),
		Example: `  lagwatch rules > lagwatch.rules.yaml && promtool check rules lagwatch.rules.yaml
  lagwatch rules --format prometheusrule --namespace monitoring \
    --manifest-label release=kube-prometheus-stack | kubectl apply -f -
  lagwatch rules --runbook-base-url https://wiki.example.com/runbooks --grafana-base-url https://grafana.example.com
  lagwatch rules --severity critical=page --severity KafkaGroupHotPartition=page --for KafkaGroupNoConsumers=10m
  lagwatch rules --list`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.OutOrStdout()) },
	}
	f.add(cmd)
	return cmd
}

func (f *rulesFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.format, "format", string(alerts.RulesFile), "`what` to print: rules, or prometheusrule for the operator")
	fs.StringVar(&f.options.Name, "name", "lagwatch", "`name` of the manifest")
	fs.StringVar(&f.options.Namespace, "namespace", "", "`namespace` of the manifest")
	fs.StringArrayVar(&f.manifest, "manifest-label", nil, "`key=value`, a label of the manifest; may be repeated")
	fs.StringArrayVar(&f.labels, "label", nil, "`key=value`, a label of every alert; may be repeated")
	fs.StringVar(&f.options.Job, "job", alerts.DefaultJob, "`job` under which Prometheus scrapes lagwatch")
	fs.StringVar(&f.options.Selector, "selector", "", "`matchers` for every series, such as env=\"prod\"")
	fs.StringArrayVar(&f.severities, "severity", nil, "`from=to`, another name for a severity (critical, warning, info), or another severity for an alert; may be repeated")
	fs.StringArrayVar(&f.thresholds, "threshold", nil, "`name=number`; may be repeated")
	fs.StringArrayVar(&f.waits, "for", nil, "`alert=duration`, how long it must hold; may be repeated")
	fs.StringArrayVar(&f.options.Without, "without", nil, "`alert` to leave out; may be repeated")
	fs.StringVar(&f.options.RunbookURL, "runbook-base-url", "", "`URL` that has AlertName.md for each alert; no runbook_url without")
	fs.StringVar(&f.options.GrafanaURL, "grafana-base-url", "", "`URL` of Grafana with the dashboards of lagwatch; no dashboard_url without")
	fs.Float64Var(&f.options.TimeScale, "time-scale", 1, "divide every duration by this `number`, to try the rules out")
	fs.BoolVar(&f.list, "list", false, "list the alerts instead")
	fs.BoolVar(&f.json, "json", false, "with --list: as JSON")
}

func (f *rulesFlags) run(w io.Writer) error {
	if f.json && !f.list {
		return fmt.Errorf("--json is for --list: give both, or --format for the rules")
	}
	if err := f.parse(); err != nil {
		return err
	}
	var b bytes.Buffer
	// The options are checked for the list too: who sees a list takes them for good.
	if err := alerts.Print(&b, f.options); err != nil {
		return err
	}
	if f.list {
		b.Reset()
		if err := listAlerts(&b, alerts.List(f.options), f.json); err != nil {
			return command.Failed(err)
		}
	}
	_, err := w.Write(b.Bytes())
	return command.Failed(err)
}

func (f *rulesFlags) parse() (err error) {
	f.options.Format = alerts.Format(f.format)
	if f.options.Labels, err = pairs("--label", f.labels); err != nil {
		return err
	}
	if f.options.ManifestLabels, err = pairs("--manifest-label", f.manifest); err != nil {
		return err
	}
	if f.options.Severities, err = pairs("--severity", f.severities); err != nil {
		return err
	}
	if f.options.Thresholds, err = parsed("--threshold", "a number", f.thresholds, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }); err != nil {
		return err
	}
	f.options.For, err = parsed("--for", "a duration, such as 10m", f.waits, time.ParseDuration)
	return err
}

// pairs reads key=value; a key that is given twice is a mistake.
func pairs(flag string, list []string) (map[string]string, error) {
	return parsed(flag, "", list, func(s string) (string, error) { return s, nil })
}

func parsed[V any](flag, what string, list []string, parse func(string) (V, error)) (map[string]V, error) {
	m := make(map[string]V)
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%s %q: give it as KEY=VALUE", flag, text)
		}
		if _, twice := m[key]; twice {
			return nil, fmt.Errorf("%s names %s twice: leave one out", flag, key)
		}
		v, err := parse(value)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %q is not %s", flag, key, value, what)
		}
		m[key] = v
	}
	return m, nil
}

func listAlerts(w io.Writer, list []alerts.Alert, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(list)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ALERT\tSEVERITY\tFOR\tWHEN")
	for _, a := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", a.Name, a.Severity, waits(a.For), a.When)
	}
	return t.Flush()
}

func waits(d time.Duration) string {
	if d == 0 {
		return "at once"
	}
	return alerts.FormatDuration(d)
}

func thresholdHelp() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "Thresholds:")
	for _, th := range alerts.Thresholds() {
		fmt.Fprintf(t, "  %s\t%g %s\t%s\n", th.Name, th.Default, th.Unit, th.Help)
	}
	t.Flush()
	return strings.TrimRight(b.String(), "\n")
}
