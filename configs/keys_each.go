package configs

// eachKeys are the keys that a cluster has at prefix "clusters[]." and the only
// cluster also at the top of the file, where some have a variable and a flag.
func eachKeys(prefix string) []Key {
	details := []string{"group", "topic", "partition"}
	keys := []Key{
		{Path: "tls", Type: TypeMapping, Help: "encrypted connections"},
		{Path: "tls.enabled", Type: TypeBool, Derived: true, Default: "true where another tls key is set", Env: "LAGWATCH_TLS", Flag: "tls",
			Help: "speak TLS with the brokers; any other tls key says so too"},
		{Path: "tls.ca_file", Type: TypeString, Env: "LAGWATCH_TLS_CA_FILE", Flag: "tls-ca-file",
			Help: "trust the authorities in this PEM `file` instead of the system's"},
		{Path: "tls.cert_file", Type: TypeString, Env: "LAGWATCH_TLS_CERT_FILE", Flag: "tls-cert-file",
			Help: "show the brokers the certificate in this PEM `file`"},
		{Path: "tls.key_file", Type: TypeString, Env: "LAGWATCH_TLS_KEY_FILE", Flag: "tls-key-file",
			Help: "the key of that certificate, a PEM `file`"},
		{Path: "tls.server_name", Type: TypeString,
			Help: "the name that brokers' certificates have, where it is not the address"},
		{Path: "tls.insecure_skip_verify", Type: TypeBool, Default: "false",
			Help: "accept any certificate, which leaves connections open to others"},

		{Path: "sasl", Type: TypeMapping, Help: "authentication by user and password"},
		{Path: "sasl.mechanism", Type: TypeChoice, Values: []string{"plain", "scram-sha-256", "scram-sha-512"}, AnyCase: true,
			Env: "LAGWATCH_SASL_MECHANISM", Flag: "sasl-mechanism",
			Help: "authenticate by this `mechanism`: plain, scram-sha-256 or scram-sha-512"},
		{Path: "sasl.username", Type: TypeString, Env: "LAGWATCH_SASL_USERNAME", Flag: "sasl-username",
			Help: "authenticate as this `user`"},
		{Path: "sasl.username_file", Type: TypeString,
			Help: "the `file` that holds the user instead"},
		// No flag: the arguments of a process are public.
		{Path: "sasl.password", Type: TypeSecret, Env: "LAGWATCH_SASL_PASSWORD",
			Help: "the password; better in a file, which can be rotated"},
		{Path: "sasl.password_file", Type: TypeString, Env: "LAGWATCH_SASL_PASSWORD_FILE", Flag: "sasl-password-file",
			Help: "read the password from this `file`; LAGWATCH_SASL_PASSWORD may hold it instead"},

		{Path: "groups", Type: TypeMapping, Help: "which groups to watch"},
		{Path: "groups.include", Type: TypePatterns, Env: "LAGWATCH_GROUPS_INCLUDE", Flag: "groups-include",
			Help: "watch only groups whose id matches this RE2 `pattern`; the flag may be repeated"},
		{Path: "groups.exclude", Type: TypePatterns, Env: "LAGWATCH_GROUPS_EXCLUDE", Flag: "groups-exclude",
			Help: "do not watch groups whose id matches this RE2 `pattern`, whatever includes them"},
		{Path: "expected_groups", Type: TypeNames,
			Help: "ids of groups whose absence is a fault"},
		{Path: "topics", Type: TypeMapping, Help: "which topics to watch"},
		{Path: "topics.include", Type: TypePatterns, Env: "LAGWATCH_TOPICS_INCLUDE", Flag: "topics-include",
			Help: "watch only topics whose name matches this RE2 `pattern`; the flag may be repeated"},
		{Path: "topics.exclude", Type: TypePatterns, Env: "LAGWATCH_TOPICS_EXCLUDE", Flag: "topics-exclude",
			Help: "do not watch topics whose name matches this RE2 `pattern`, whatever includes them"},

		{Path: "isolation", Type: TypeList, Help: "where the lag of groups ends; the first that matches a group counts"},
		{Path: "isolation[].groups", Type: TypePattern,
			Help: "RE2 pattern that matches the whole group id"},
		{Path: "isolation[].level", Type: TypeChoice, Default: "read_committed", Values: []string{"read_committed", "read_uncommitted"},
			Help: "read_committed ends at the last stable offset, read_uncommitted, as for all others, at the end offset"},

		{Path: "metrics", Type: TypeMapping, Help: "what is published; families are named with or without lagwatch_"},
		{Path: "metrics.include", Type: TypePatterns, Env: "LAGWATCH_METRICS_INCLUDE", Flag: "metrics-include",
			Help: "publish families that match this RE2 `pattern` beside the default ones; the flag may be repeated"},
		{Path: "metrics.exclude", Type: TypePatterns, Env: "LAGWATCH_METRICS_EXCLUDE", Flag: "metrics-exclude",
			Help: "do not publish families that match this RE2 `pattern`, whatever includes them but a pattern by group"},
		{Path: "metrics.detail", Type: TypeChoice, Default: "partition", Values: details, Env: "LAGWATCH_METRICS_DETAIL", Flag: "metrics-detail",
			Help: "publish groups down to this `level`: group, topic or partition"},
		// To be met by accident only: a page that grew without a limit would take
		// the memory of whoever scrapes it.
		{Path: "metrics.max_series", Type: TypeInt, Default: "1000000", Min: "0", Env: "LAGWATCH_METRICS_MAX_SERIES", Flag: "metrics-max-series",
			Help: "above this `number` of series show groups with the least lag in less detail; 0 is no limit"},
		{Path: "metrics.by_group", Type: TypeList, Help: "what is published of some groups; the first that matches a group counts"},
		{Path: "metrics.by_group[].groups", Type: TypePattern,
			Help: "RE2 pattern that matches the whole group id"},
		{Path: "metrics.by_group[].detail", Type: TypeChoice, Default: "metrics.detail", Derived: true, Values: details,
			Help: "how far down the series of these groups go"},
		{Path: "metrics.by_group[].include", Type: TypePatterns,
			Help: "families of these groups, before what metrics.include and metrics.exclude say"},
		{Path: "metrics.by_group[].exclude", Type: TypePatterns,
			Help: "families to leave out for these groups; wins over the include beside it"},
	}
	for i := range keys {
		keys[i].Path = prefix + keys[i].Path
		if prefix != "" {
			keys[i].Env, keys[i].Flag = "", ""
		}
	}
	return keys
}
