package configs

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// A row without a field would be refused by decode, a field without a row could
// never be set.
func TestKeysAndFieldsAgree(t *testing.T) {
	var rows []string
	for _, k := range Describe() {
		if k.Path != "" {
			rows = append(rows, k.Path)
		}
	}
	fields := fieldPaths(reflect.TypeFor[merged](), "")
	slices.Sort(rows)
	slices.Sort(fields)
	if diff := cmp.Diff(rows, fields); diff != "" {
		t.Errorf("-rows +fields:\n%s", diff)
	}
}

func fieldPaths(t reflect.Type, prefix string) []string {
	var out []string
	for f := range t.Fields() {
		tag, ok := f.Tag.Lookup("mapstructure")
		if !ok {
			continue
		}
		if tag == ",squash" {
			out = append(out, fieldPaths(f.Type, prefix)...)
			continue
		}
		if tag == ",remain" { // holds what has a row and no field
			for _, k := range conditionKeys()[2:] {
				out = append(out, k.Path)
			}
			continue
		}
		path := prefix + tag
		out = append(out, path)
		switch {
		case f.Type.Kind() == reflect.Struct:
			out = append(out, fieldPaths(f.Type, path+".")...)
		case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
			out = append(out, fieldPaths(f.Type.Elem(), path+"[].")...)
		}
	}
	return out
}

func TestKeysAreSound(t *testing.T) {
	for _, k := range Describe() {
		t.Run(k.Path+k.Flag, func(t *testing.T) {
			if strings.HasPrefix(k.Type.String(), "Type(") {
				t.Errorf("%s has no name", k.Type)
			}
			if k.Help == "" || strings.HasSuffix(k.Help, ".") {
				t.Errorf("help %q: want one line without a full stop", k.Help)
			}
			secret := k.Type == TypeSecret // arguments are public, so it has no flag
			if (k.Env == "") != (k.Flag == "") && !secret || secret && k.Flag != "" {
				t.Errorf("env %q and flag %q: want both or none", k.Env, k.Flag)
			}
			if want := "LAGWATCH_" + strings.ToUpper(strings.ReplaceAll(k.Flag, "-", "_")); k.Env != "" && !secret && k.Env != want {
				t.Errorf("env %q, want %q", k.Env, want)
			}
			for _, text := range []string{k.Min, k.Max} {
				if text == "" {
					continue
				}
				if _, err := k.parse(text); err != nil {
					t.Errorf("bound: %v", err)
				}
			}
			if !k.hasDefault() {
				return
			}
			if _, err := k.parse(k.Default); err != nil {
				t.Errorf("default: %v", err)
			}
		})
	}
}

func TestAddFlags(t *testing.T) {
	fs := pflag.NewFlagSet("lagwatch", pflag.ContinueOnError)
	fs.SortFlags = false
	AddFlags(fs)
	want := `      --config file                 read settings from this YAML file (env LAGWATCH_CONFIG)
      --listen host:port            serve HTTP on this host:port; an empty host is every interface, port 0 any free port (env LAGWATCH_LISTEN) (default ":9742")
      --web-config-file file        serve with TLS or basic auth as this Prometheus exporter-toolkit file says (env LAGWATCH_WEB_CONFIG_FILE)
      --pprof                       serve /debug/pprof (env LAGWATCH_PPROF)
      --log-level level             log from this level up: debug, info, warn or error (env LAGWATCH_LOG_LEVEL) (default "info")
      --log-format format           log in this format: text or json (env LAGWATCH_LOG_FORMAT) (default "text")
      --interval duration           poll every duration; flag and environment set it for every cluster, the file for clusters without their own (env LAGWATCH_INTERVAL) (default "10s")
      --history duration            remember polls for this duration, for rates and ages; set for clusters like the interval (env LAGWATCH_HISTORY) (default "30m")
      --seed on                     on or off: ask brokers when records arrived that are older than the history; set for clusters like the interval (env LAGWATCH_SEED) (default "on")
      --cluster name                name of the only cluster, which becomes the label kafka_cluster (env LAGWATCH_CLUSTER) (default "default")
      --brokers host:port,...       addresses of the only cluster, as host:port,...; the flag may be repeated (env LAGWATCH_BROKERS)
      --tls                         speak TLS with the brokers; any other tls key says so too (env LAGWATCH_TLS)
      --tls-ca-file file            trust the authorities in this PEM file instead of the system's (env LAGWATCH_TLS_CA_FILE)
      --tls-cert-file file          show the brokers the certificate in this PEM file (env LAGWATCH_TLS_CERT_FILE)
      --tls-key-file file           the key of that certificate, a PEM file (env LAGWATCH_TLS_KEY_FILE)
      --sasl-mechanism mechanism    authenticate by this mechanism: plain, scram-sha-256 or scram-sha-512 (env LAGWATCH_SASL_MECHANISM)
      --sasl-username user          authenticate as this user (env LAGWATCH_SASL_USERNAME)
      --sasl-password-file file     read the password from this file; LAGWATCH_SASL_PASSWORD may hold it instead (env LAGWATCH_SASL_PASSWORD_FILE)
      --groups-include pattern      watch only groups whose id matches this RE2 pattern; the flag may be repeated (env LAGWATCH_GROUPS_INCLUDE)
      --groups-exclude pattern      do not watch groups whose id matches this RE2 pattern, whatever includes them (env LAGWATCH_GROUPS_EXCLUDE)
      --topics-include pattern      watch only topics whose name matches this RE2 pattern; the flag may be repeated (env LAGWATCH_TOPICS_INCLUDE)
      --topics-exclude pattern      do not watch topics whose name matches this RE2 pattern, whatever includes them (env LAGWATCH_TOPICS_EXCLUDE)
      --metrics-include pattern     publish families that match this RE2 pattern beside the default ones; the flag may be repeated (env LAGWATCH_METRICS_INCLUDE)
      --metrics-exclude pattern     do not publish families that match this RE2 pattern, whatever includes them but a pattern by group (env LAGWATCH_METRICS_EXCLUDE)
      --metrics-detail level        publish groups down to this level: group, topic or partition (env LAGWATCH_METRICS_DETAIL) (default "partition")
      --metrics-max-series number   above this number of series show groups with the least lag in less detail; 0 is no limit (env LAGWATCH_METRICS_MAX_SERIES) (default "1000000")
`
	if diff := cmp.Diff(want, fs.FlagUsages()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
