package configs

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Key describes one key of the config file, or one flag that is no key.
type Key struct {
	// Path names the key: "log.level", "clusters[].brokers". It is empty for
	// --config, which cannot stand in the file that it names.
	Path string
	// Type says which values are accepted.
	Type Type
	// Default is the value where none is given, as the file would write it.
	// Empty means none.
	Default string
	// Derived says that Default is a rule in words, because the value follows
	// from another key.
	Derived bool
	// Min and Max bound a TypeInt, a TypeNumber or a TypeDuration, both included, in the
	// notation of Default. Empty means unbounded.
	Min, Max string
	// MaxLen is how many bytes a TypeString may have; 0 means unbounded.
	MaxLen int
	// Values are the words that a TypeChoice accepts, and AnyCase says that
	// upper case will do; the value is lower case then.
	Values  []string
	AnyCase bool
	// Env and Flag name the environment variable and the flag (without dashes)
	// that set this key, empty where there is none. A secret has no flag.
	Env, Flag string
	// Help says in one line what the key does. A word in back quotes names the
	// value, which is how pflag wants it.
	Help string
}

// Type is the kind of value that a key takes.
type Type uint8

// The types. Zero is no type, so that a forgotten one is noticed.
const (
	TypeString    Type = iota + 1 // text, without control characters
	TypeBool                      // true or false
	TypeInt                       // a whole number
	TypeDuration                  // a Go duration with unit, like 1m30s
	TypeAddress                   // host:port to listen on; host may be empty, port 0
	TypeAddresses                 // a list of host:port, or one text with commas
	TypeChoice                    // one of Key.Values
	TypePattern                   // an RE2 regular expression, not empty, no comma outside of [] and {}
	TypePatterns                  // a list of them, or one text that is one
	TypeNames                     // a list of texts, each taken as it is, or one of them
	TypeNumber                    // a number, with a fraction or without
	TypeSecret                    // text that is never shown
	TypeMapping                   // a mapping whose keys have rows of their own
	TypeList                      // a list of mappings whose keys have rows of their own
)

// String returns the name that messages and the reference page use.
func (t Type) String() string {
	switch t {
	case TypeString:
		return "string"
	case TypeBool:
		return "boolean"
	case TypeInt:
		return "integer"
	case TypeDuration:
		return "duration"
	case TypeAddress:
		return "address"
	case TypeAddresses:
		return "addresses"
	case TypeChoice:
		return "choice"
	case TypePattern:
		return "pattern"
	case TypePatterns:
		return "patterns"
	case TypeNames:
		return "names"
	case TypeNumber:
		return "number"
	case TypeSecret:
		return "secret"
	case TypeMapping:
		return "mapping"
	case TypeList:
		return "list"
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// The defaults that follow from the interval, and the one that code outside
// the loader needs. All others are in the table of [Describe].
const (
	// DefaultObjective is the lag age objective of groups that no pattern
	// matches: a few polls and one restart of a consumer fit into it.
	DefaultObjective = 5 * time.Minute

	// What is left of a day with this target is a quarter of an hour: an incident.
	defaultTarget = 0.99

	// Two polls may fail before values vanish.
	staleIntervals = 3

	// A poll is a chain of four exchanges or so, and should end before the
	// next begins; a broker that needs more than ten seconds is not answering.
	timeoutDivisor = 4
	minTimeout     = 500 * time.Millisecond
	maxTimeout     = 10 * time.Second
)

// Describe returns all keys in the order of the reference config file. It is
// the one source for the loader's checks and defaults, the flags and their
// help, and whatever documents them. The caller owns the slice.
//
// Keys are written in lower case, everywhere: a key in another case is an
// unknown key, in list items as well.
func Describe() []Key {
	return slices.Concat(processKeys(), onlyKeys(), clusterKeys(), objectiveKeys(), conditionKeys())
}

func processKeys() []Key {
	return []Key{
		{Type: TypeString, Env: "LAGWATCH_CONFIG", Flag: "config",
			Help: "read settings from this YAML `file`"},

		{Path: "listen", Type: TypeAddress, Default: ":9742", Env: "LAGWATCH_LISTEN", Flag: "listen",
			Help: "serve HTTP on this `host:port`; an empty host is every interface, port 0 any free port"},
		{Path: "web_config_file", Type: TypeString, Env: "LAGWATCH_WEB_CONFIG_FILE", Flag: "web-config-file",
			Help: "serve with TLS or basic auth as this Prometheus exporter-toolkit `file` says"},
		// Off, because profiles show more of a process than metrics do.
		{Path: "pprof", Type: TypeBool, Default: "false", Env: "LAGWATCH_PPROF", Flag: "pprof",
			Help: "serve /debug/pprof"},

		{Path: "log", Type: TypeMapping, Help: "what is logged, and how"},
		{Path: "log.level", Type: TypeChoice, Default: "info", Values: []string{"debug", "info", "warn", "error"},
			Env: "LAGWATCH_LOG_LEVEL", Flag: "log-level",
			Help: "log from this `level` up: debug, info, warn or error"},
		{Path: "log.format", Type: TypeChoice, Default: "text", Values: []string{"text", "json"},
			Env: "LAGWATCH_LOG_FORMAT", Flag: "log-format",
			Help: "log in this `format`: text or json"},

		// Below the usual scrape intervals of 15s and 30s, so that no two scrapes
		// see the same poll.
		{Path: "interval", Type: TypeDuration, Default: "10s", Min: "1s", Max: "1h", Env: "LAGWATCH_INTERVAL", Flag: "interval",
			Help: "poll every `duration`; flag and environment set it for every cluster, the file for clusters without their own"},
		// Long enough to see the rates of a group that commits every few minutes.
		{Path: "history", Type: TypeDuration, Default: "30m", Min: "1m", Max: "24h", Env: "LAGWATCH_HISTORY", Flag: "history",
			Help: "remember polls for this `duration`, for rates and ages; set for clusters like the interval"},
		{Path: "seed", Type: TypeChoice, Default: "on", Values: []string{"on", "off"}, Env: "LAGWATCH_SEED", Flag: "seed",
			Help: "`on` or off: ask brokers when records arrived that are older than the history; set for clusters like the interval"},
	}
}

// onlyKeys describe a single cluster without a list, one level up.
func onlyKeys() []Key {
	return append([]Key{
		{Path: "cluster", Type: TypeString, Default: "default", Env: "LAGWATCH_CLUSTER", Flag: "cluster",
			Help: "`name` of the only cluster, which becomes the label kafka_cluster"},
		{Path: "brokers", Type: TypeAddresses, Env: "LAGWATCH_BROKERS", Flag: "brokers",
			Help: "addresses of the only cluster, as `host:port,...`; the flag may be repeated"},
	}, eachKeys("")...)
}

func clusterKeys() []Key {
	return append([]Key{
		{Path: "clusters", Type: TypeList, Help: "the clusters to watch"},
		{Path: "clusters[].name", Type: TypeString, Default: "default",
			Help: "becomes the label kafka_cluster; unique"},
		{Path: "clusters[].brokers", Type: TypeAddresses,
			Help: "bootstrap addresses; any that answers is enough"},
		{Path: "clusters[].interval", Type: TypeDuration, Default: "interval", Derived: true, Min: "1s", Max: "1h",
			Help: "time between two polls"},
		{Path: "clusters[].history", Type: TypeDuration, Default: "history", Derived: true, Min: "1m", Max: "24h",
			Help: "how long polls are remembered"},
		{Path: "clusters[].seed", Type: TypeChoice, Default: "seed", Derived: true, Values: []string{"on", "off"},
			Help: "whether brokers are asked when records arrived"},
		{Path: "clusters[].stale_after", Type: TypeDuration, Default: "3 × interval", Derived: true, Min: "1s",
			Help: "how long values that could not be renewed are shown; at least interval"},
		// Brokers look for expired segments every five minutes by default
		// (log.retention.check.interval.ms), so start offsets move rarely.
		{Path: "clusters[].start_offset_interval", Type: TypeDuration, Default: "60s", Min: "1s",
			Help: "how often log start offsets are read again"},
		{Path: "clusters[].request_timeout", Type: TypeDuration, Derived: true, Min: "1ms",
			Default: "interval / 4, at least 500ms, at most 10s",
			Help:    "one exchange with one broker; below interval"},
		// Both bound the size of one answer, and so the memory of both sides.
		{Path: "clusters[].max_groups_per_request", Type: TypeInt, Default: "500", Min: "1",
			Help: "most groups that one request names"},
		{Path: "clusters[].max_partitions_per_request", Type: TypeInt, Default: "5000", Min: "1",
			Help: "most partitions that one request names"},
		{Path: "clusters[].client_id", Type: TypeString, Default: "lagwatch",
			Help: "what brokers see in their logs and quotas"},
	}, eachKeys("clusters[].")...)
}

func objectiveKeys() []Key {
	return []Key{
		{Path: "objectives", Type: TypeList, Help: "lag age objectives; the first that matches a group counts"},
		{Path: "objectives[].groups", Type: TypePattern,
			Help: "RE2 pattern that matches the whole group id"},
		{Path: "objectives[].age", Type: TypeDuration, Default: DefaultObjective.String(), Min: "1s",
			Help: "highest lag age that is still all right"},
		{Path: "objectives[].target", Type: TypeNumber, Default: strconv.FormatFloat(defaultTarget, 'g', -1, 64), Min: "0.5", Max: "0.9999",
			Help: "share of the time in which the lag age has to be so"},
		{Path: "objectives[].mode", Type: TypeChoice, Default: "continuous", Values: []string{"continuous", "batch"},
			Help: "batch for groups that have members now and then, on purpose"},
		// It is in every notification of the team, and in matchers that people type.
		{Path: "objectives[].team", Type: TypeString, MaxLen: 100,
			Help: "who is told of these groups: the label team of their alerts"},
	}
}
