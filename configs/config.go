// Package configs holds the settings of lagwatch: their schema, the strict
// loader that puts together defaults, file, environment and flags, and the
// reference config file lagwatch.yaml.
//
// Every key, its type, default, environment variable and flag stand in one
// table; see [Describe].
package configs

import (
	"regexp"
	"time"
)

// Config is what a lagwatch process runs with. One that [Load] returned is
// complete and valid: no field waits for a default, and every bound in
// [Describe] holds. It is not changed after that, so any number of goroutines
// may read it.
type Config struct {
	// Listen is the host:port of the HTTP server. An empty host means all
	// interfaces, port 0 lets the system pick one.
	Listen string `mapstructure:"listen"`
	// WebConfigFile names a web config file of the Prometheus exporter-toolkit
	// (TLS, basic auth), relative to the working directory. Empty means plain
	// HTTP. Load does not open it.
	WebConfigFile string `mapstructure:"web_config_file"`
	// Pprof says whether /debug/pprof is served.
	Pprof bool `mapstructure:"pprof"`
	// Log says what is logged and how.
	Log Log `mapstructure:"log"`
	// Clusters has at least one element, in the order of the file. Names are
	// unique.
	Clusters []Cluster `mapstructure:"clusters"`
	// Objectives are tried in order; see [Config.ObjectiveFor]. Empty means
	// that the default objective applies to every group.
	Objectives []Objective `mapstructure:"objectives"`
	// Conditions are tried in order; see [Config.ConditionsFor]. Empty means that
	// every threshold has its default for every group.
	Conditions []Conditions `mapstructure:"conditions"`
}

// Log configures logging.
type Log struct {
	// Level is debug, info, warn or error.
	Level string `mapstructure:"level"`
	// Format is text or json.
	Format string `mapstructure:"format"`
}

// Cluster is one Kafka cluster to watch.
type Cluster struct {
	// Name becomes the label kafka_cluster: not empty, unique among the
	// clusters, without control characters.
	Name string `mapstructure:"name"`
	// Brokers are the bootstrap addresses as host:port, at least one, none
	// twice. An IPv6 host stands in brackets.
	Brokers []string `mapstructure:"brokers"`
	// Interval is the time from the start of one poll to the start of the
	// next, 1s to 1h.
	Interval time.Duration `mapstructure:"interval"`
	// History is how long polls are remembered, for what is estimated from them,
	// 1m to 24h.
	History time.Duration `mapstructure:"history"`
	// Seed is on or off; see [Cluster.Seeds].
	Seed string `mapstructure:"seed"`
	// StaleAfter is how long a value that could not be renewed is still shown,
	// at least Interval.
	StaleAfter time.Duration `mapstructure:"stale_after"`
	// StartOffsetInterval is how often log start offsets are read again, 1s or
	// more. Below Interval it means with every poll.
	StartOffsetInterval time.Duration `mapstructure:"start_offset_interval"`
	// RequestTimeout bounds one exchange with one broker: above zero and below
	// Interval.
	RequestTimeout time.Duration `mapstructure:"request_timeout"`
	// MaxGroupsPerRequest is the most groups that one request names, 1 or more.
	MaxGroupsPerRequest int `mapstructure:"max_groups_per_request"`
	// MaxPartitionsPerRequest is the most partitions that one request names,
	// 1 or more.
	MaxPartitionsPerRequest int `mapstructure:"max_partitions_per_request"`
	// ClientID is what the brokers see in their logs and quotas, never empty.
	ClientID string `mapstructure:"client_id"`
	// TLS and SASL say how connections are encrypted and authenticate. What
	// could not work together is not in them.
	TLS  TLS  `mapstructure:"tls"`
	SASL SASL `mapstructure:"sasl"`
	// Groups and Topics say which of them are watched; see
	// [Cluster.KeepGroup] and [Cluster.KeepTopic].
	Groups Filter `mapstructure:"groups"`
	Topics Filter `mapstructure:"topics"`
	// ExpectedGroups are the ids of groups whose absence is a fault, each as it is:
	// no patterns. None is empty, or left out by Groups.
	ExpectedGroups []string `mapstructure:"expected_groups"`
	// Isolation entries are tried in order; see [Cluster.ReadCommitted].
	Isolation []Isolation `mapstructure:"isolation"`
	// Metrics says what is published; see [Cluster.Publishes] and
	// [Cluster.DetailFor].
	Metrics Metrics `mapstructure:"metrics"`
}

// Seeds tells whether brokers are asked when records arrived that are older than
// the history, which reads their indexes by time.
func (c *Cluster) Seeds() bool { return c.Seed == "on" }

// Objective says how old the lag of some groups may grow.
type Objective struct {
	// Groups is an RE2 pattern that has to match the whole group id.
	Groups string `mapstructure:"groups"`
	// Age is the highest lag age that is still all right, 1s or more.
	Age time.Duration `mapstructure:"age"`
	// Target is in which share of the time the lag age has to be so, 0.5 to 0.9999.
	Target float64 `mapstructure:"target"`
	// Mode is continuous or batch; see [Objective.Batch].
	Mode string `mapstructure:"mode"`
	// Team is who is told of these groups, the label team of their alerts: no control
	// characters, 100 bytes at most. Empty means that nobody in particular is.
	Team string `mapstructure:"team"`

	pattern *regexp.Regexp // Groups compiled by Load, nil in one built by hand
}

// Batch says that these groups have members now and then, on purpose: that one has none
// is no outage. How old its lag may grow is still its objective.
func (o *Objective) Batch() bool { return o.Mode == "batch" }

// Equal reports whether o and p say the same. How they were made plays no part.
func (o Objective) Equal(p Objective) bool {
	o.pattern, p.pattern = nil, nil
	return o == p
}

// ObjectiveFor returns the objective of a group, the first whose pattern matches the
// whole group id, and true. Where none matches it returns one with the defaults of
// [Describe], and false.
//
// It works on a Config built by hand as well, but compiles the patterns at
// every call then; a pattern that does not compile matches nothing.
func (c *Config) ObjectiveFor(group string) (Objective, bool) {
	for _, o := range c.Objectives {
		if o.matches(group) {
			return o, true
		}
	}
	return Objective{Age: DefaultObjective, Target: defaultTarget, Mode: "continuous"}, false
}

func (o Objective) matches(group string) bool { return matchesWhole(o.pattern, o.Groups, group) }

// wholePattern compiles a pattern that matches whole strings only. The pattern
// is compiled by itself first: wrapping would turn "a)|(b" into a valid one. A
// dot is any character, since group ids may have newlines.
func wholePattern(pattern string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(pattern); err != nil {
		return nil, err
	}
	return regexp.Compile(`(?s)\A(?:` + pattern + `)\z`)
}
