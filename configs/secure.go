package configs

import (
	"errors"
	"fmt"
	"slices"
)

// secure checks the tls and sasl keys of a cluster against each other.
func (l *loader) secure(c *Cluster, i int) {
	path := fmt.Sprintf("clusters[%d].", i)
	l.checkTLS(&c.TLS, path+"tls.")
	l.checkSASL(c.SASL, path+"sasl.")
}

func (l *loader) checkTLS(t *TLS, path string) {
	var set []string
	for name, given := range t.given() {
		if given {
			set = append(set, name)
		}
	}
	if off := l.from[path+"enabled"]; !t.Enabled && len(set) > 0 && off.source > fromDefault {
		l.bad.add(off.text, fmt.Errorf("is false, but tls.%s is set (%s); leave one of the two out",
			first(set), l.from[path+first(set)].text))
	}
	t.Enabled = t.Enabled || len(set) > 0
	l.notBoth(path, "insecure_skip_verify", t.InsecureSkipVerify, "ca_file", t.CAFile != "")
	l.needs(path, "cert_file", t.CertFile != "", "key_file", t.KeyFile != "", "tls.")
	l.needs(path, "key_file", t.KeyFile != "", "cert_file", t.CertFile != "", "tls.")
}

// given tells which keys say that there is to be TLS.
func (t *TLS) given() map[string]bool {
	return map[string]bool{
		"ca_file": t.CAFile != "", "cert_file": t.CertFile != "", "key_file": t.KeyFile != "",
		"server_name": t.ServerName != "", "insecure_skip_verify": t.InsecureSkipVerify,
	}
}

func (l *loader) checkSASL(s SASL, path string) {
	user, userFile := s.Username != "", s.UsernameFile != ""
	password, passwordFile := s.Password != Secret{}, s.PasswordFile != ""
	l.notBoth(path, "username", user, "username_file", userFile)
	l.notBoth(path, "password", password, "password_file", passwordFile)
	for _, k := range []struct {
		name  string
		given bool
	}{{"username", user}, {"username_file", userFile}, {"password", password}, {"password_file", passwordFile}} {
		if k.given && s.Mechanism == "" {
			l.bad.add(l.from[path+k.name].text, errors.New("has no mechanism; add sasl.mechanism: scram-sha-512, or what the brokers have"))
			return
		}
	}
	l.needs(path, "mechanism", s.Mechanism != "", "username", user || userFile, "sasl.")
	l.needs(path, "mechanism", s.Mechanism != "", "password_file", password || passwordFile, "sasl.")
}

// needs notes a key that is given without another.
func (l *loader) needs(path, key string, given bool, other string, otherGiven bool, section string) {
	if given && !otherGiven {
		l.bad.add(l.from[path+key].text, fmt.Errorf("needs %s beside it; add that", l.spelt(section+other, l.from[path+key].source)))
	}
}

// spelt names a key as the source has it in which another was given.
func (l *loader) spelt(path string, source source) string {
	for _, k := range l.keys {
		switch {
		case k.Path != path || k.Flag == "":
		case source == fromFlag:
			return "--" + k.Flag
		case source == fromEnv:
			return k.Env
		}
	}
	return path
}

// notBoth notes two keys of which one is enough.
func (l *loader) notBoth(path, key string, given bool, other string, otherGiven bool) {
	if given && otherGiven {
		l.bad.add(l.from[path+key].text, fmt.Errorf("stands beside %s (%s); leave one of the two out", other, l.from[path+other].text))
	}
}

// first returns the same of a set whatever its order.
func first(names []string) string { return slices.Min(names) }
