package configs

// eachKeys are the keys that a cluster has at prefix "clusters[]." and the only
// cluster also at the top of the file, where some have a variable and a flag.
func eachKeys(prefix string) []Key {
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
	}
	for i := range keys {
		keys[i].Path = prefix + keys[i].Path
		if prefix != "" {
			keys[i].Env, keys[i].Flag = "", ""
		}
	}
	return keys
}
