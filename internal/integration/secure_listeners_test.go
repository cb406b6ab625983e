//go:build !breaking && !soak

package integration

import (
	"time"
)

// entry is one way into a cluster.
type entry struct {
	name, listener string
	settings       func(*secured) []string
}

// listeners shows that the page is the same over every listener, with every
// mechanism.
func listeners(s *secured) {
	s.scramUser("scram")
	s.allow("plain", documented()...)
	s.allow("CN=lagwatch", documented()...)
	entries := []entry{
		{"TLS", onTLS, func(s *secured) []string { return []string{s.tlsSetting()} }},
		{"mutual TLS", onMutual, func(s *secured) []string { return []string{s.tlsSetting(s.clientSetting(s.client))} }},
		{"server_name", onForeign, func(s *secured) []string { return []string{s.tlsSetting("server_name: kafka.example")} }},
	}
	for _, mechanism := range saslMechanisms {
		user := "scram"
		if mechanism == "PLAIN" {
			user = "plain"
		}
		login := func(s *secured) string { return s.saslSetting(mechanism, user, passwordOf(user)) }
		entries = append(entries,
			entry{mechanism, onSASL, func(s *secured) []string { return []string{login(s)} }},
			entry{mechanism + " over TLS", onSASLTLS, func(s *secured) []string { return []string{login(s), s.tlsSetting()} }},
		)
	}
	for _, e := range entries {
		began := time.Now()
		l := s.on(e.listener, e.settings(s)...)
		p := l.showsContent(s, s.want)
		s.t.Logf("%-24s the same page after %.1f s, in poll %d", e.name, time.Since(began).Seconds(), p.polls(""))
		l.end(s.t)
	}
}
