//go:build !breaking && !soak

package integration

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// obstacle is something that keeps lagwatch out.
type obstacle struct {
	entry
	reason string
	// says are parts of the one line in the log, cause and remedy.
	says []string
	// fix removes it, while lagwatch runs; nil where the config is what is
	// wrong.
	fix func(*secured)
}

// obstacles shows that lagwatch stays up with one clear line for each, and
// shows the page once the cause is gone.
func obstacles(s *secured) {
	s.scramUser("obstructed")
	s.allow("plain", documented()...)
	s.allow("CN=lagwatch", documented()...)
	for _, o := range obstaclesOf(s) {
		began := time.Now()
		_, failed, err := s.cluster.Logins(0)
		s.must(err)
		l := s.on(o.listener, o.settings(s)...)
		p := l.await(s.t, 30*time.Second, o.name+": polls", func(p *page) bool { return p.polls("failed") >= 3 })
		line := o.check(s, l, p)
		_, nowFailed, err := s.cluster.Logins(0)
		s.must(err)
		// Credentials are presented to an address once in a poll at most. (Two
		// more may be of a password that is being rotated elsewhere.)
		if most := (p.polls("")+1)*len(s.cluster.Bootstrap()) + 2; nowFailed-failed > most {
			s.t.Errorf("%s: %d failed logins in %d polls", o.name, nowFailed-failed, p.polls(""))
		}
		s.t.Logf("%s: %s\n\t%s; %d polls, %d failed logins", o.name, o.reason, line, p.polls(""), nowFailed-failed)
		if o.fix != nil {
			o.fix(s)
			began = time.Now()
			l.showsContent(s, s.want)
			s.t.Logf("%s: the page %.1f s after the fix", o.name, time.Since(began).Seconds())
		}
		l.end(s.t)
	}
}

// check judges a page and the log of a lagwatch that can't get in. It returns
// the error that was logged.
func (o obstacle) check(s *secured, l *lagwatch, p *page) string {
	s.t.Helper()
	if !p.shows(0, "lagwatch_up", nil) || len(p.groups()) > 0 {
		s.t.Errorf("%s: up is %v, groups %v", o.name, p.find("lagwatch_up", nil), p.groups())
	}
	for _, e := range p.families["lagwatch_poll_errors_total"] {
		if e.labels["reason"] != o.reason && e.labels["reason"] != "timeout" {
			s.t.Errorf("%s: %v errors with reason %s, want %s", o.name, e.value, e.labels["reason"], o.reason)
		}
	}
	if r, err := l.client.Get(l.url + "/-/healthy"); err != nil || r.StatusCode != http.StatusOK {
		s.t.Errorf("%s: not healthy: %v", o.name, err)
	} else {
		r.Body.Close()
	}
	if strings.Contains(l.log.String(), "-secret") {
		s.t.Errorf("%s: a password is in the log", o.name)
	}
	lines := slices.DeleteFunc(linesOf(l.log, "level=ERROR"), timedOutOnly)
	if len(lines) != 1 {
		s.t.Errorf("%s: %d lines, not 1: %s", o.name, len(lines), l.log)
		return ""
	}
	for _, part := range o.says {
		if !strings.Contains(lines[0], part) {
			s.t.Errorf("%s: %q is not in the log's line: %s", o.name, part, lines[0])
		}
	}
	_, text, _ := strings.Cut(lines[0], "error=")
	return text
}

// timedOutOnly is whether a line tells of a machine that is too busy.
func timedOutOnly(line string) bool {
	return strings.Contains(line, "is the broker overloaded") && !strings.Contains(line, "SASL") && !strings.Contains(line, "TLS") && !strings.Contains(line, "certificate")
}

// obstaclesOf needs the listeners as they were started.
func obstaclesOf(s *secured) []obstacle {
	foreign := must(testkafka.NewAuthority("someone else's"))(s.t)
	stranger := must(foreign.Issue(testkafka.CertSpec{Name: "lagwatch"}))(s.t)
	renewed := must(s.ca.Issue(testkafka.CertSpec{Name: "kafka", Hosts: []string{"127.0.0.1"}}))(s.t)
	login := func(mechanism, user, password string) func(*secured) []string {
		return func(s *secured) []string { return []string{s.saslSetting(mechanism, user, password)} }
	}
	encrypted := func(more ...string) func(*secured) []string {
		return func(s *secured) []string { return []string{s.tlsSetting(more...)} }
	}
	none := func(*secured) []string { return nil }
	trustNobody := func(s *secured) []string { l := s.tlsSetting(); s.file("ca.pem", foreign.PEM()); return []string{l} }
	strangers := func(s *secured) []string { return []string{s.tlsSetting(s.clientSetting(stranger))} }
	return []obstacle{
		{entry{"wrong password, PLAIN", onSASL, login("PLAIN", "plain", "wrong-secret")}, "authentication", []string{"PLAIN", "plain", "password"},
			func(s *secured) { s.file("plain-password", []byte(passwordOf("plain"))) }},
		{entry{"wrong password, SCRAM", onSASL, login("SCRAM-SHA-256", "obstructed", "new-secret")}, "authentication", []string{"SCRAM-SHA-256", "obstructed", "password"},
			func(s *secured) { s.must(s.SetPassword(s.ctx, "obstructed", "new-secret")) }},
		{entry{"no such user", onSASLTLS, func(s *secured) []string {
			return append(login("SCRAM-SHA-512", "nobody", "no-secret")(s), s.tlsSetting())
		}}, "authentication", []string{"SCRAM-SHA-512", "nobody"}, nil},
		{entry{"mechanism not enabled", onSession, login("PLAIN", "plain", passwordOf("plain"))}, "authentication", []string{"PLAIN", "SCRAM-SHA-512"}, nil},
		{entry{"no login where one is due", onSASL, none}, "unreachable", []string{"SASL listener", "set sasl"}, nil},
		{entry{"TLS but no login", onSASLTLS, encrypted()}, "unreachable", []string{"SASL listener", "set sasl"}, nil},
		{entry{"login without TLS", onSASLTLS, login("PLAIN", "plain", passwordOf("plain"))}, "tls", []string{"speaks TLS", "tls.enabled"}, nil},
		{entry{"plaintext to TLS", onTLS, none}, "tls", []string{"speaks TLS", "tls.enabled"}, nil},
		{entry{"TLS to plaintext", onSASL, encrypted()}, "tls", []string{"TLS", "plaintext"}, nil},
		{entry{"unknown authority", onTLS, trustNobody}, "tls", []string{"unknown authority", "tls.ca_file"},
			func(s *secured) { s.file("ca.pem", s.ca.PEM()) }},
		{entry{"another host", onForeign, encrypted()}, "tls", []string{"127.0.0.1", "tls.server_name"}, nil},
		{entry{"no client certificate", onMutual, encrypted()}, "tls", []string{"certificate", "tls.cert_file"}, nil},
		{entry{"client certificate of another authority", onMutual, strangers}, "tls", []string{"certificate", "trust", "tls.cert_file"},
			func(s *secured) { s.clientSetting(s.client) }},
		{entry{"expired", onExpired, encrypted()}, "tls", []string{"expired", "renew"},
			func(s *secured) { s.must(s.cluster.SetCertificate(s.ctx, onExpired, renewed)) }},
	}
}
