package configs

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzLoad reads arbitrary files. Nothing may panic, an error is one line, and
// what is accepted keeps the promises of Config.
func FuzzLoad(f *testing.F) {
	reference, err := os.ReadFile("lagwatch.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(reference)
	for _, seed := range []string{
		"brokers: a:1, b:2\ncluster: x\n",
		"clusters: [&a {brokers: [a:1], name: one}, {<<: [*a, {interval: 5s}], name: two}]\n",
		"objectives: [{groups: 'a|b', age: 90s}]\nbrokers: '[::1]:9'",
		"brokers: a:1\nobjectives: [{groups: a, target: 0.9999, mode: batch, team: x y}, {groups: b, target: 5e-1, team: ''}]",
		"brokers: a:1\nexpected_groups: [x, 'Y z']\nconditions: [{groups: a, behind: 1m, hot: 3, slower: .5, leave: 1}, {groups: b}]",
		"clusters: &a [*a]", "log: &a {<<: *a}", "? {a: b}\n: c", "*a : b", "a: &a 1\n*a : 2",
		"brokers: a:1\ntls: {ca_file: x, cert_file: c, key_file: k}\nsasl: {mechanism: PLAIN, username: u, password: p}",
		"clusters: [{brokers: a:1, groups: {include: [a, b.*], exclude: c}, isolation: [{groups: x}, {groups: y, level: read_uncommitted}]}]",
		"brokers: a:1\nsasl: {mechanism: scram-sha-256, username_file: u, password_file: p}\ntopics: {exclude: ['(']}",
		"brokers: a:1\nmetrics: {include: lagwatch_x, max_series: 0, by_group: [{groups: x}, {groups: y, detail: group, exclude: [z]}]}",
		"clusters: [{brokers: a:1, metrics: {detail: topic, by_group: [{groups: '.*', include: [a, 'b|c']}]}}]",
		"\tx", "a: 1\na: 2", "--- a\n--- b", "listen: !!binary aGk=", "interval: 1e400", "pprof: !!bool x",
		"\"a\\u2028b\": 1", "cluster: \"\\u0085\"", "\xff\xfea\x00", "%YAML 1.1\n---\n",
	} {
		f.Add([]byte(seed))
	}
	file := filepath.Join(f.TempDir(), "lagwatch.yaml")

	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Load(Options{File: file})
		again, errAgain := Load(Options{File: file})
		if diff := cmp.Diff(got, again); diff != "" || text(err) != text(errAgain) {
			t.Errorf("two loads differ: %v, %v, -first +second:\n%s", err, errAgain, diff)
		}
		if err != nil {
			checkOneLine(t, err.Error())
			return
		}
		checkPromises(t, got)
	})
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func checkOneLine(t *testing.T, text string) {
	t.Helper()
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(text) {
		t.Errorf("error is not one printable line: %q", text)
	}
}

// checkPromises repeats the contract of Config without the loader's own means.
func checkPromises(t *testing.T, c *Config) {
	t.Helper()
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		t.Errorf("listen: %v", err)
	}
	if !strings.Contains(" debug info warn error ", " "+c.Log.Level+" ") || !strings.Contains(" text json ", " "+c.Log.Format+" ") {
		t.Errorf("log: %+v", c.Log)
	}
	if len(c.Clusters) == 0 {
		t.Error("no clusters")
	}
	names := map[string]bool{}
	for _, cl := range c.Clusters {
		if cl.Name == "" || names[cl.Name] {
			t.Errorf("name %q is empty or not unique", cl.Name)
		}
		names[cl.Name] = true
		checkCluster(t, cl)
	}
	for _, o := range c.Objectives {
		if o.Groups == "" || o.Age < time.Second || o.pattern == nil || !sound(&o) {
			t.Errorf("objective %+v", o)
		}
	}
	if o, _ := c.ObjectiveFor("any"); o.Age < time.Second || !sound(&o) {
		t.Errorf("objective of any group: %+v", o)
	}
}

// sound tells whether an alert can be made of an objective.
func sound(o *Objective) bool {
	return o.Target >= 0.5 && o.Target <= 0.9999 && (o.Mode == "continuous" || o.Mode == "batch") &&
		len(o.Team) <= 100 && utf8.ValidString(o.Team) && !strings.ContainsFunc(o.Team, unicode.IsControl)
}

func checkCluster(t *testing.T, c Cluster) {
	t.Helper()
	seen := map[string]bool{}
	for _, b := range c.Brokers {
		if host, port, err := net.SplitHostPort(b); err != nil || host == "" || port == "0" || seen[b] {
			t.Errorf("broker %q: %v", b, err)
		}
		seen[b] = true
	}
	ok := len(c.Brokers) > 0 && c.ClientID != "" &&
		c.Interval >= time.Second && c.Interval <= time.Hour && c.StaleAfter >= c.Interval &&
		c.History >= time.Minute && c.History <= 24*time.Hour && (c.Seed == "on" || c.Seed == "off") &&
		c.RequestTimeout > 0 && c.RequestTimeout < c.Interval && c.StartOffsetInterval >= time.Second &&
		c.MaxGroupsPerRequest > 0 && c.MaxPartitionsPerRequest > 0
	if !ok {
		t.Errorf("cluster %+v", c)
	}
	one := func(a, b bool) bool { return a != b }
	sasl := c.SASL == SASL{} || one(c.SASL.Username != "", c.SASL.UsernameFile != "") &&
		one(c.SASL.Password != Secret{}, c.SASL.PasswordFile != "") && slices.Contains([]string{"plain", "scram-sha-256", "scram-sha-512"}, c.SASL.Mechanism)
	if !sasl || (c.TLS.CertFile == "") != (c.TLS.KeyFile == "") || !c.TLS.Enabled && c.TLS != (TLS{}) {
		t.Errorf("security of %+v", c)
	}
	for _, i := range c.Isolation {
		if i.Groups == "" || i.pattern == nil || i.Level != "read_committed" && i.Level != "read_uncommitted" {
			t.Errorf("isolation %+v", i)
		}
	}
	checkMetrics(t, &c)
	c.KeepGroup("any")
	c.KeepTopic("any")
	c.ReadCommitted("any")
}

func checkMetrics(t *testing.T, c *Cluster) {
	t.Helper()
	details := []string{"group", "topic", "partition"}
	m := &c.Metrics
	ok := slices.Contains(details, m.Detail) && m.MaxSeries >= 0 && len(m.lists.include.compiled) == len(m.Include) && len(m.lists.exclude.compiled) == len(m.Exclude)
	for _, g := range m.ByGroup {
		ok = ok && g.Groups != "" && g.pattern != nil && (g.Detail == "" || slices.Contains(details, g.Detail)) &&
			len(g.lists.include.compiled) == len(g.Include) && len(g.lists.exclude.compiled) == len(g.Exclude)
	}
	if !ok || !slices.Contains(details, c.DetailFor("any")) {
		t.Errorf("metrics %+v", m)
	}
	byHand := Cluster{Metrics: Metrics{Include: m.Include, Exclude: m.Exclude, Detail: m.Detail}}
	for _, g := range m.ByGroup {
		byHand.Metrics.ByGroup = append(byHand.Metrics.ByGroup, GroupMetrics{Groups: g.Groups, Detail: g.Detail, Include: g.Include, Exclude: g.Exclude})
	}
	for _, group := range []string{"", "any", "x", "y"} {
		if c.Publishes(group, "x", true) != byHand.Publishes(group, "x", true) || c.DetailFor(group) != byHand.DetailFor(group) {
			t.Errorf("%q: as loaded and by hand differ for %+v", group, m)
		}
	}
	key, pattern, ok := c.Unmatched([]string{"x"}, []string{"x"})
	if ok {
		checkOneLine(t, key)
	}
	if _, same, again := byHand.Unmatched([]string{"x"}, []string{"x"}); same != pattern || again != ok {
		t.Errorf("unmatched %q, by hand %q", pattern, same)
	}
}
