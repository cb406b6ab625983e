package configs

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// sources is the input of one Load, as a user gives it.
type sources struct {
	yaml  string // content of the file; empty for no file
	env   []string
	flags []string
}

// options writes the file to a directory and changes into it, so that messages
// name it lagwatch.yaml.
func (s sources) options(t *testing.T) Options {
	t.Helper()
	t.Chdir(t.TempDir())
	o := Options{Environ: s.env, Flags: pflag.NewFlagSet("lagwatch", pflag.ContinueOnError)}
	if s.yaml != "" {
		o.File = "lagwatch.yaml"
		if err := os.WriteFile(o.File, []byte(s.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	AddFlags(o.Flags)
	if err := o.Flags.Parse(s.flags); err != nil {
		t.Fatal(err)
	}
	return o
}

// config returns the defaults with one cluster, changed by edit.
func config(edit func(*Config)) *Config {
	c := &Config{
		Listen:     ":9742",
		Log:        Log{Level: "info", Format: "text"},
		Clusters:   []Cluster{cluster("default", "a:9092")},
		Objectives: []Objective{},
		Conditions: []Conditions{},
	}
	if edit != nil {
		edit(c)
	}
	return c
}

func cluster(name string, brokers ...string) Cluster {
	return Cluster{
		Name:                    name,
		Brokers:                 brokers,
		Interval:                10 * time.Second,
		History:                 30 * time.Minute,
		Seed:                    "on",
		StaleAfter:              30 * time.Second,
		StartOffsetInterval:     time.Minute,
		RequestTimeout:          2500 * time.Millisecond,
		MaxGroupsPerRequest:     500,
		MaxPartitionsPerRequest: 5000,
		ClientID:                "lagwatch",
		Metrics:                 Metrics{Detail: "partition", MaxSeries: 1_000_000},
	}
}

func (c Cluster) withHistory(history time.Duration, seed string) Cluster {
	c.History, c.Seed = history, seed
	return c
}

// withInterval is the cluster with all that follows from its interval.
func (c Cluster) withInterval(interval, stale, timeout time.Duration) Cluster {
	c.Interval, c.StaleAfter, c.RequestTimeout = interval, stale, timeout
	return c
}

func TestLoad(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   sources
		want *Config
	}{
		{
			name: "brokers flag alone",
			in:   sources{flags: []string{"--brokers=a:9092"}},
			want: config(nil),
		},
		{
			name: "every flag",
			in: sources{flags: []string{
				"--brokers=a:9092", "--cluster=prod", "--interval=1m", "--listen=127.0.0.1:0",
				"--web-config-file=web.yaml", "--log-level=debug", "--log-format=json", "--pprof",
			}},
			want: config(func(c *Config) {
				*c = Config{
					Listen: "127.0.0.1:0", WebConfigFile: "web.yaml", Pprof: true,
					Log:        Log{Level: "debug", Format: "json"},
					Clusters:   []Cluster{cluster("prod", "a:9092").withInterval(time.Minute, 3*time.Minute, 10*time.Second)},
					Objectives: []Objective{},
					Conditions: []Conditions{},
				}
			}),
		},
		{
			name: "every variable",
			in: sources{env: []string{
				"LAGWATCH_BROKERS=a:9092", "LAGWATCH_CLUSTER=prod", "LAGWATCH_INTERVAL=1s", "LAGWATCH_LISTEN=[::1]:80",
				"LAGWATCH_WEB_CONFIG_FILE=web.yaml", "LAGWATCH_LOG_LEVEL=error", "LAGWATCH_LOG_FORMAT=json", "LAGWATCH_PPROF=true",
				"LAGWATCH_HISTORY=24h", "LAGWATCH_SEED=off",
			}},
			want: config(func(c *Config) {
				*c = Config{
					Listen: "[::1]:80", WebConfigFile: "web.yaml", Pprof: true,
					Log:        Log{Level: "error", Format: "json"},
					Clusters:   []Cluster{cluster("prod", "a:9092").withInterval(time.Second, 3*time.Second, 500*time.Millisecond).withHistory(24*time.Hour, "off")},
					Objectives: []Objective{},
					Conditions: []Conditions{},
				}
			}),
		},
		{
			name: "every key of the file",
			in: sources{yaml: `
listen: localhost:80
web_config_file: web.yaml
pprof: true
log: {level: warn, format: json}
interval: 20s
clusters:
  - name: one
    brokers: [b:1, "c:2"]
    interval: 30s
    history: 1h
    seed: off
    stale_after: 40s
    start_offset_interval: 5m
    request_timeout: 1s
    max_groups_per_request: 1
    max_partitions_per_request: 1_000
    client_id: me
    expected_groups: ["Pay, ments", b]
    metrics: {detail: topic, max_series: 7}
  - {name: two, brokers: "d:3"}
objectives:
  - {groups: "pay.*", age: 1m, target: 0.5, team: "Pay, ments"}
  - {groups: batch, mode: batch}
conditions: [{groups: audit, behind: 1m, hot: 3, leave: 5}]
`},
			want: &Config{
				Listen: "localhost:80", WebConfigFile: "web.yaml", Pprof: true,
				Log: Log{Level: "warn", Format: "json"},
				Clusters: []Cluster{
					{
						Name: "one", Brokers: []string{"b:1", "c:2"}, Interval: 30 * time.Second, StaleAfter: 40 * time.Second,
						History: time.Hour, Seed: "off",
						StartOffsetInterval: 5 * time.Minute, RequestTimeout: time.Second,
						MaxGroupsPerRequest: 1, MaxPartitionsPerRequest: 1000, ClientID: "me",
						ExpectedGroups: []string{"Pay, ments", "b"},
						Metrics:        Metrics{Detail: "topic", MaxSeries: 7},
					},
					cluster("two", "d:3").withInterval(20*time.Second, time.Minute, 5*time.Second),
				},
				Objectives: []Objective{
					{Groups: "pay.*", Age: time.Minute, Target: 0.5, Mode: "continuous", Team: "Pay, ments"},
					{Groups: "batch", Age: 5 * time.Minute, Target: 0.99, Mode: "batch"},
				},
				Conditions: []Conditions{{Groups: "audit", Thresholds: thresholds(map[string]any{"behind": time.Minute, "hot": 3.0, "leave": 5})}},
			},
		},
		{
			name: "flag over environment over file over default",
			in: sources{
				yaml:  "listen: ':1'\npprof: true\nlog: {level: warn, format: json}\nclusters: [{brokers: a:9092}]",
				env:   []string{"LAGWATCH_LISTEN=:2", "LAGWATCH_LOG_LEVEL=error"},
				flags: []string{"--listen=:3", "--pprof=false"},
			},
			want: config(func(c *Config) { c.Listen, c.Log = ":3", Log{Level: "error", Format: "json"} }),
		},
		{
			// Kubernetes sets these beside a Service named lagwatch, or lagwatch-web.
			name: "variables of others are ignored",
			in: sources{
				env: []string{
					"LAGWATCH_PORT=tcp://10.0.0.7:9742", "LAGWATCH_SERVICE_HOST=10.0.0.7", "LAGWATCH_SERVICE_PORT=9742", "LAGWATCH_SERVICE_PORT_HTTP=9742",
					"LAGWATCH_PORT_9742_TCP=tcp://10.0.0.7:9742", "LAGWATCH_PORT_9742_TCP_PROTO=tcp", "LAGWATCH_PORT_9742_TCP_PORT=9742",
					"LAGWATCH_PORT_9742_TCP_ADDR=10.0.0.7", "LAGWATCH_WEB_SERVICE_HOST=10.0.0.7", "LAGWATCH_WEB_PORT=udp://10.0.0.7:9742",
					"LAGWATCH_NONSENSE=", "lagwatch_listen=x", "junk",
				},
				flags: []string{"--brokers=a:9092"},
			},
			want: config(nil),
		},
		{
			name: "empty variables count as unset",
			in: sources{
				env:   []string{"LAGWATCH_CONFIG=", "LAGWATCH_INTERVAL=", "LAGWATCH_LISTEN=", "LAGWATCH_PPROF=", "LAGWATCH_BROKERS="},
				flags: []string{"--brokers=a:9092"},
			},
			want: config(nil),
		},
		{
			name: "the last of a repeated variable counts",
			in:   sources{env: []string{"LAGWATCH_BROKERS=b:1", "LAGWATCH_BROKERS=a:9092"}},
			want: config(nil),
		},
		{
			name: "keys without a value count as not given",
			in:   sources{yaml: "listen:\nlog:\n  level: ~\nobjectives:\nclusters: [{name: null, brokers: a:9092, interval: }]"},
			want: config(nil),
		},
		{
			name: "anchors, aliases and merges",
			in: sources{yaml: `
clusters:
  - &base
    name: one
    brokers: &brokers [a:9092]
    max_groups_per_request: 7
  - <<: *base
    name: two
  - {name: three, brokers: *brokers}
`},
			want: config(func(c *Config) {
				one, two := cluster("one", "a:9092"), cluster("two", "a:9092")
				one.MaxGroupsPerRequest, two.MaxGroupsPerRequest = 7, 7
				c.Clusters = []Cluster{one, two, cluster("three", "a:9092")}
			}),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := tt.in.options(t)
			got, err := Load(o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			again, err := Load(o)
			if diff := cmp.Diff(got, again); diff != "" || err != nil {
				t.Errorf("second Load: error %v, -first +second:\n%s", err, diff)
			}
		})
	}
}

func TestLoadDoesNotLookAtTheProcess(t *testing.T) {
	t.Setenv("LAGWATCH_LISTEN", ":1")
	t.Setenv("LAGWATCH_LOG_LEVEL", "debug")
	got, err := Load(sources{flags: []string{"--brokers=a:9092"}}.options(t))
	if diff := cmp.Diff(config(nil), got); diff != "" || err != nil {
		t.Errorf("error %v, -want +got:\n%s", err, diff)
	}
}

func TestLoadWithoutFlagSet(t *testing.T) {
	got, err := Load(Options{Environ: []string{"LAGWATCH_BROKERS=a:9092"}})
	if diff := cmp.Diff(config(nil), got); diff != "" || err != nil {
		t.Errorf("error %v, -want +got:\n%s", err, diff)
	}
}

func TestLoadChoosesTheFile(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("clusters: [{name: "+name+", brokers: a:9092}]"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	byOption, byEnv, byFlag := file("option"), file("env"), file("flag")

	for _, tt := range []struct {
		name string
		file string
		in   sources
		want string
	}{
		{name: "environment", in: sources{env: []string{"LAGWATCH_CONFIG=" + byEnv}}, want: "env"},
		{name: "flag over environment", in: sources{env: []string{"LAGWATCH_CONFIG=" + byEnv}, flags: []string{"--config=" + byFlag}}, want: "flag"},
		{name: "option over both", file: byOption, in: sources{env: []string{"LAGWATCH_CONFIG=" + byEnv}, flags: []string{"--config=" + byFlag}}, want: "option"},
		{name: "empty flag means no file", in: sources{env: []string{"LAGWATCH_CONFIG=" + byEnv}, flags: []string{"--config=", "--brokers=a:1"}}, want: "default"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := tt.in.options(t)
			o.File = tt.file
			got, err := Load(o)
			if err != nil {
				t.Fatal(err)
			}
			if name := got.Clusters[0].Name; name != tt.want {
				t.Errorf("read the cluster %q, want %q", name, tt.want)
			}
		})
	}
}
