package configs

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const prefix = "LAGWATCH_"

// environment adds the variables that the table names, where they are not
// empty, and notes those that nothing knows.
func (l *loader) environment(env map[string]string) {
	known := map[string]bool{}
	for _, k := range l.keys {
		known[k.Env] = true
		if text := env[k.Env]; k.Path != "" && k.Env != "" && text != "" {
			l.override(k, []string{text}, origin{fromEnv, "env " + k.Env})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if strings.HasPrefix(name, prefix) && !known[name] && env[name] != "" && !ofService(name, env[name]) && !slices.Contains(ofExplain, name) {
			l.bad.add("env "+plain(name), unknownVariable(name, slices.Collect(maps.Keys(known))))
		}
	}
}

// ofExplain are variables that lagwatch explain reads: they may stand in the
// environment of a container that serves.
var ofExplain = []string{"LAGWATCH_URL", "LAGWATCH_URL_PASSWORD", "LAGWATCH_URL_PASSWORD_FILE", "LAGWATCH_URL_CA_FILE"}

// Where a Service is named lagwatch, or lagwatch-something, Kubernetes gives
// every pod of the namespace LAGWATCH_SERVICE_HOST, LAGWATCH_PORT
// (tcp://10.0.0.7:9742), LAGWATCH_PORT_9742_TCP_ADDR and more.
var (
	serviceName = regexp.MustCompile(`^LAGWATCH_([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)
	servicePort = regexp.MustCompile(`^(tcp|udp|sctp)://`)
)

// ofService tells whether a variable comes from Kubernetes and not from
// somebody who means a setting.
func ofService(name, value string) bool {
	if !serviceName.MatchString(name) {
		return false
	}
	bare := strings.HasSuffix(name, "_PORT") && !strings.HasSuffix(name, "_SERVICE_PORT") && !strings.Contains(name, "_PORT_")
	return !bare || servicePort.MatchString(value)
}

func unknownVariable(name string, known []string) error {
	var names []string
	for _, k := range known {
		if k != "" {
			names = append(names, strings.ToLower(strings.TrimPrefix(k, prefix)))
		}
	}
	slices.Sort(names)
	if best, ok := nearest(strings.TrimPrefix(name, prefix), names); ok {
		return fmt.Errorf("unknown variable; did you mean `%s%s`?", prefix, strings.ToUpper(best))
	}
	return errors.New("unknown variable; remove it, or see lagwatch serve --help for those that are known")
}
