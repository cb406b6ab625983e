package configs

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLoadClusters(t *testing.T) {
	const two = "clusters: [{name: one, brokers: a:1}, {name: two, brokers: b:2, interval: 20s}]"
	for _, tt := range []struct {
		name string
		in   sources
		want []Cluster
	}{
		{
			name: "cluster names what brokers makes",
			in:   sources{env: []string{"LAGWATCH_BROKERS=a:1"}, flags: []string{"--cluster=prod"}},
			want: []Cluster{cluster("prod", "a:1")},
		},
		{
			name: "brokers, cluster and interval at the top of the file",
			in:   sources{yaml: "brokers: a:1\ncluster: prod\ninterval: 20s"},
			want: []Cluster{cluster("prod", "a:1").withInterval(20*time.Second, time.Minute, 5*time.Second)},
		},
		{
			name: "an empty list is no list",
			in:   sources{yaml: "brokers: a:1\nclusters: []"},
			want: []Cluster{cluster("default", "a:1")},
		},
		{
			name: "brokers replaces those of the only cluster and keeps its name",
			in:   sources{yaml: "clusters: [{name: one, brokers: [x:1, y:2], client_id: me}]", flags: []string{"--brokers=a:1"}},
			want: func() []Cluster {
				c := cluster("one", "a:1")
				c.ClientID = "me"
				return []Cluster{c}
			}(),
		},
		{
			name: "brokers gives the only cluster what it lacks",
			in:   sources{yaml: "clusters: [{name: one}]", env: []string{"LAGWATCH_BROKERS=a:1"}},
			want: []Cluster{cluster("one", "a:1")},
		},
		{
			name: "brokers and cluster replace both",
			in:   sources{yaml: "clusters: [{name: one, brokers: x:1}]", flags: []string{"--brokers=a:1", "--cluster=prod"}},
			want: []Cluster{cluster("prod", "a:1")},
		},
		{
			name: "cluster alone renames the only one",
			in:   sources{yaml: "clusters: [{name: one, brokers: a:1}]", env: []string{"LAGWATCH_CLUSTER=prod"}},
			want: []Cluster{cluster("prod", "a:1")},
		},
		{
			name: "cluster in the file names the only one",
			in:   sources{yaml: "cluster: prod\nclusters: [{brokers: a:1}]"},
			want: []Cluster{cluster("prod", "a:1")},
		},
		{
			name: "a flag settles what the file says twice",
			in:   sources{yaml: "cluster: two\nbrokers: b:1\nclusters: [{name: one, brokers: c:1}]", flags: []string{"--cluster=prod", "--brokers=a:1"}},
			want: []Cluster{cluster("prod", "a:1")},
		},
		{
			name: "each cluster has its own interval or the default",
			in:   sources{yaml: two},
			want: []Cluster{cluster("one", "a:1"), cluster("two", "b:2").withInterval(20*time.Second, time.Minute, 5*time.Second)},
		},
		{
			name: "interval in the file is for clusters without their own",
			in:   sources{yaml: two + "\ninterval: 2s"},
			want: []Cluster{
				cluster("one", "a:1").withInterval(2*time.Second, 6*time.Second, 500*time.Millisecond),
				cluster("two", "b:2").withInterval(20*time.Second, time.Minute, 5*time.Second),
			},
		},
		{
			name: "interval in the environment is for every cluster",
			in:   sources{yaml: two, env: []string{"LAGWATCH_INTERVAL=1h"}},
			want: []Cluster{
				cluster("one", "a:1").withInterval(time.Hour, 3*time.Hour, 10*time.Second),
				cluster("two", "b:2").withInterval(time.Hour, 3*time.Hour, 10*time.Second),
			},
		},
		{
			name: "history and seed at the top are for clusters without their own",
			in:   sources{yaml: "clusters: [{name: one, brokers: a:1}, {name: two, brokers: b:2, history: 5m, seed: on}]\nhistory: 1h\nseed: off"},
			want: []Cluster{cluster("one", "a:1").withHistory(time.Hour, "off"), cluster("two", "b:2").withHistory(5*time.Minute, "on")},
		},
		{
			name: "history and seed in the environment and in flags are for every cluster",
			in: sources{
				yaml:  "clusters: [{name: one, brokers: a:1}, {name: two, brokers: b:2, history: 5m, seed: on}]",
				env:   []string{"LAGWATCH_HISTORY=10m"},
				flags: []string{"--seed=off"},
			},
			want: []Cluster{cluster("one", "a:1").withHistory(10*time.Minute, "off"), cluster("two", "b:2").withHistory(10*time.Minute, "off")},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Load(tt.in.options(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Clusters); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestLoadRefusesCombinations(t *testing.T) {
	const two = "clusters: [{name: one, brokers: a:1}, {name: two, brokers: b:2}]"
	checkFailures(t, []failure{
		{
			name: "nothing at all",
			want: "no brokers: give --brokers host:9092, set LAGWATCH_BROKERS, or name clusters in --config FILE",
		},
		{
			name: "a cluster's name only",
			in:   sources{flags: []string{"--cluster=prod"}},
			want: "no brokers: give --brokers host:9092, set LAGWATCH_BROKERS, or name clusters in --config FILE",
		},
		{
			name: "a file without clusters",
			in:   sources{yaml: "interval: 10s\nclusters: []"},
			want: "no brokers: give --brokers host:9092, set LAGWATCH_BROKERS, or name clusters in lagwatch.yaml",
		},
		{
			name: "a cluster without brokers",
			in:   sources{yaml: "clusters:\n- {name: one, brokers: a:1}\n- {name: two}"},
			want: "lagwatch.yaml:3: clusters[1]: has no brokers; add brokers: [kafka1:9092]",
		},
		{
			name: "brokers for several clusters",
			in:   sources{yaml: two, flags: []string{"--brokers=c:1"}},
			want: "flag --brokers: fits a single cluster, but lagwatch.yaml lists 2; change clusters[].brokers there, or leave one cluster in it",
		},
		{
			name: "a name for several clusters",
			in:   sources{yaml: two, env: []string{"LAGWATCH_CLUSTER=prod"}},
			want: "env LAGWATCH_CLUSTER: fits a single cluster, but lagwatch.yaml lists 2; change clusters[].name there, or leave one cluster in it",
		},
		{
			name: "brokers beside a list",
			in:   sources{yaml: "clusters: [{name: one, brokers: a:1}]\nbrokers: b:1"},
			want: "lagwatch.yaml:2: brokers: says again what clusters[0] says; leave one of the two out",
		},
		{
			name: "a name beside a name",
			in:   sources{yaml: "cluster: two\nclusters: [{name: one, brokers: a:1}]"},
			want: "lagwatch.yaml:1: cluster: says again what clusters[0] says; leave one of the two out",
		},
		{
			name: "names that are equal",
			in:   sources{yaml: "clusters:\n- {name: prod, brokers: a:1}\n- {name: x, brokers: a:1}\n- {name: prod, brokers: b:1}"},
			want: `lagwatch.yaml:4: clusters[2]: has the name "prod", as clusters[0] has; give each cluster a name of its own`,
		},
		{
			name: "names that are left out",
			in:   sources{yaml: "clusters:\n- brokers: a:1\n- brokers: b:1"},
			want: `lagwatch.yaml:3: clusters[1]: has the name "default", as clusters[0] has; give each cluster a name of its own`,
		},
		{
			name: "stale before the next poll",
			in:   sources{yaml: "clusters:\n- brokers: a:1\n  stale_after: 5s"},
			want: "lagwatch.yaml:3: clusters[0].stale_after: 5s is below the interval, 10s (the default); write 10s or more",
		},
		{
			name: "stale before the next poll, because of a flag",
			in:   sources{yaml: "clusters:\n- brokers: a:1\n  interval: 1s\n  stale_after: 5s", flags: []string{"--interval=1m"}},
			want: "lagwatch.yaml:4: clusters[0].stale_after: 5s is below the interval, 1m0s (flag --interval); write 1m0s or more",
		},
		{
			name: "a timeout as long as the interval",
			in:   sources{yaml: "interval: 20s\nclusters:\n- brokers: a:1\n  interval: 2s\n  request_timeout: 2s"},
			want: "lagwatch.yaml:5: clusters[0].request_timeout: 2s is not below the interval, 2s (lagwatch.yaml:4: clusters[0].interval); write less than that",
		},
	})
}

func TestObjectiveFor(t *testing.T) {
	loaded, err := Load(sources{yaml: `
brokers: a:1
objectives:
  - {groups: pay|refund, age: 1m}
  - {groups: "pay.*", age: 2m, target: 0.999, team: payments}
  - {groups: "(?i)BATCH-\\d+", mode: batch}
`}.options(t))
	if err != nil {
		t.Fatal(err)
	}
	byHand := &Config{Objectives: []Objective{
		{Groups: "a)|(b", Age: time.Second},
		{Groups: "pay|refund", Age: time.Minute, Target: 0.99, Mode: "continuous"},
		{Groups: "pay.*", Age: 2 * time.Minute, Target: 0.999, Mode: "continuous", Team: "payments"},
		{Groups: `(?i)BATCH-\d+`, Age: 5 * time.Minute, Target: 0.99, Mode: "batch"},
	}}
	usual := Objective{Age: 5 * time.Minute, Target: 0.99, Mode: "continuous"}
	refunds := Objective{Groups: "pay|refund", Age: time.Minute, Target: 0.99, Mode: "continuous"}
	for _, tt := range []struct {
		group string
		want  Objective
		found bool
	}{
		{group: "pay", want: refunds, found: true},
		{group: "refund", want: refunds, found: true},
		{group: "refunds", want: usual},
		{group: "payments", want: Objective{Groups: "pay.*", Age: 2 * time.Minute, Target: 0.999, Mode: "continuous", Team: "payments"}, found: true},
		{group: "my-payments", want: usual},
		{group: "batch-12", want: Objective{Groups: `(?i)BATCH-\d+`, Age: 5 * time.Minute, Target: 0.99, Mode: "batch"}, found: true},
		{group: "batch-12\n", want: usual},
		{group: "", want: usual},
	} {
		t.Run(tt.group, func(t *testing.T) {
			for name, c := range map[string]*Config{"loaded": loaded, "by hand": byHand} {
				if got, found := c.ObjectiveFor(tt.group); !got.Equal(tt.want) || found != tt.found {
					t.Errorf("%s: ObjectiveFor(%q) = %+v, %t, want %+v, %t", name, tt.group, got, found, tt.want, tt.found)
				}
			}
		})
	}
}
