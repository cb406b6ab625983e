package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/command"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// explainOf runs explain with these arguments and variables.
func explainOf(t *testing.T, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), append([]string{"explain"}, args...), environ, &out, &err)
	return code, out.String(), err.String()
}

// From the cluster to the words: a lagwatch that watches is asked, and Kafka itself is
// read, of a group that is well, one with a member too many, and one that is not there.
func TestExplain(t *testing.T) {
	cluster, err := lab.Start(lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	if _, err := lab.StartScenarios(t.Context(), cluster, "healthy", "idle-members"); err != nil {
		t.Fatal(err)
	}
	brokers := strings.Join(cluster.Addrs(), ",")
	password := writeFile(t, "password", "secret\n")
	p := start(t, "--brokers", brokers, "--web-config-file", writeFile(t, "web.yaml", basicAuth))
	url := strings.Replace(p.url, "http://", "http://ops@", 1)
	environ := []string{"LAGWATCH_URL=" + url, "LAGWATCH_URL_PASSWORD=secret", "LAGWATCH_BROKERS=127.0.0.1:1"}

	await.Until(t, time.Minute, "the member too many to be told of", func() bool {
		code, out, _ := explainOf(t, environ, "refund-approval")
		return code == command.Holds && strings.HasPrefix(out, "refund-approval in default: idle_members for ") && strings.Contains(out, "\nNEXT\n")
	})
	await.Until(t, time.Minute, "the group that is well to be told of", func() bool {
		code, out, _ := explainOf(t, nil, "--url", url, "--url-password-file", password, "order-fulfilment")
		return code == command.OK && strings.Contains(out, "order-fulfilment in default: no condition holds\n") && strings.Contains(out, "order-fulfilment-0 @ 127.0.0.1")
	})
	if code, out, _ := explainOf(t, environ); code != command.Holds || !strings.HasPrefix(out, "refund-approval: idle_members;") || !strings.Contains(out, "a condition holds of 1 of 2 groups\n") {
		t.Errorf("all groups: exit status %d:\n%s", code, out)
	}
	code, out, _ := explainOf(t, []string{environ[0], "LAGWATCH_URL_PASSWORD_FILE=" + password}, "--json", "refund-approval")
	var d document.GroupPartitions
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != command.Holds || len(d.Partitions) != 2 {
		t.Errorf("as JSON: exit status %d, %v:\n%s", code, err, out)
	}
	for _, tt := range []struct {
		name    string
		environ []string
		args    []string
		says    string
	}{
		{"a group that is not there", environ, []string{"refund-aproval"}, "did you mean refund-approval?"},
		{"no password", environ[:1], []string{"refund-approval"}, "LAGWATCH_URL_PASSWORD"},
		{"a cluster that is not there", environ, []string{"--cluster", "west", "refund-approval"}, "give --cluster with one of default"},
	} {
		if code, out, line := explainOf(t, tt.environ, tt.args...); code != command.Error || out != "" || strings.Count(line, "\n") != 1 || !strings.Contains(line, tt.says) {
			t.Errorf("%s: exit status %d: %s%s", tt.name, code, out, line)
		}
	}

	t.Run("from Kafka", func(t *testing.T) {
		code, out, progress := explainOf(t, []string{"LAGWATCH_URL_PASSWORD_FILE=" + password}, "--brokers", brokers, "--for", "12s", "--interval", "1s", "refund-approval")
		if code != command.Holds || !strings.HasPrefix(out, "refund-approval in default: idle_members for ") {
			t.Errorf("exit status %d:\n%s", code, out)
		}
		for _, want := range []string{"reading Kafka for 12s", "10 s of 12: polls: ", ", groups: 1, ", "This is from 12s of watching."} {
			if !strings.Contains(progress, want) {
				t.Errorf("%q is not in:\n%s", want, progress)
			}
		}
		file := writeFile(t, "lagwatch.yaml", "clusters:\n- {name: east, brokers: '127.0.0.1:1'}\n- {name: west, brokers: '"+brokers+"'}\n")
		code, _, line := explainOf(t, nil, "--config", file, "--cluster", "west", "--for", "1s", "refund-aproval")
		if code != command.Error || !strings.Contains(line, "did you mean refund-approval?") {
			t.Errorf("a group that is not there: exit status %d: %s", code, line)
		}
	})
	if strings.Contains(p.log.String(), "secret") {
		t.Error("the password is in the log")
	}
}

// basicAuth lets ops in with the password "secret", at the lowest cost that bcrypt has.
const basicAuth = "basic_auth_users:\n  ops: $2a$04$a30araD/3ZMvRaGSok7N0uJSxb3wz32SkRcLyCyWRKJouHlzJjBrW\n"

// A wrong call is one line that says what to do, and shows no password.
func TestWrongCallsOfExplain(t *testing.T) {
	empty := writeFile(t, "empty", "")
	for _, tt := range []struct {
		name    string
		environ []string
		args    []string
		code    int
		says    string
	}{
		{"nobody answers", nil, []string{"--url", "http://127.0.0.1:1", "g"}, 1, "--brokers host:9092"},
		{"nobody answers where serve would listen", []string{"LAGWATCH_LISTEN=0.0.0.0:1"}, []string{"g"}, 1, "http://127.0.0.1:1:"},
		{"the address of the environment", []string{"LAGWATCH_URL=http://127.0.0.1:2", "LAGWATCH_LISTEN=:1"}, []string{"g"}, 1, "http://127.0.0.1:2:"},
		{"no scheme", nil, []string{"--url", "lagwatch:9742"}, 1, "http://HOST:PORT"},
		{"a query", nil, []string{"--url", "http://lagwatch:9742/?x"}, 1, "http://HOST:PORT"},
		{"a password among the arguments", nil, []string{"--url", "http://ops:hunter2@127.0.0.1:1"}, 1, "LAGWATCH_URL_PASSWORD"},
		{"a password in a wrong address", []string{"LAGWATCH_URL=ftp://ops:hunter2@127.0.0.1:1"}, nil, 1, "http://HOST:PORT"},
		{"a password in no address", []string{"LAGWATCH_URL=http://ops:hunter2@[::1"}, nil, 1, "http://HOST:PORT"},
		{"a password of nobody", []string{"LAGWATCH_URL_PASSWORD=hunter2"}, nil, 1, "http://USER@HOST:PORT"},
		{"no password file", nil, []string{"--url", "http://ops@127.0.0.1:1", "--url-password-file", "/nonexistent"}, 1, "--url-password-file"},
		{"no authorities", nil, []string{"--url", "https://127.0.0.1:1", "--url-ca-file", empty}, 1, "no certificate"},
		{"two sources", nil, []string{"--url", "http://127.0.0.1:1", "--brokers", "a:1"}, 2, "--url asks a running lagwatch, and --brokers or --config reads Kafka: leave one of them out"},
		{"an interval of nothing", nil, []string{"--interval", "1s", "g"}, 2, "--interval reads Kafka: give --brokers or --config with it"},
		{"a time of nothing", nil, []string{"--for", "2m", "g"}, 2, "--for reads Kafka: give --brokers or --config with it"},
		{"a login to nothing", []string{"LAGWATCH_BROKERS=a:1"}, []string{"--sasl-username", "ops"}, 2, "--sasl-username reads Kafka"},
		{"a password of Kafka", nil, []string{"--brokers", "a:1", "--url-password-file", "x"}, 2, "--url-password-file asks a running lagwatch"},
		{"nothing to serve", nil, []string{"--listen", ":9"}, 2, "--listen is of lagwatch serve: leave it out"},
		{"nothing to serve from Kafka", nil, []string{"--brokers", "a:1", "--history", "1h"}, 2, "--history is of lagwatch serve: leave it out"},
		{"two passwords", []string{"LAGWATCH_URL_PASSWORD=hunter2", "LAGWATCH_URL_PASSWORD_FILE=" + empty}, []string{"--url", "http://ops@127.0.0.1:1"}, 1, "leave one out"},
		{"no password file of the environment", []string{"LAGWATCH_URL_PASSWORD_FILE=/nonexistent"}, []string{"--url", "http://ops@127.0.0.1:1"}, 1, "LAGWATCH_URL_PASSWORD_FILE"},
		{"no time", nil, []string{"--brokers", "a:1", "--for", "0s"}, 2, "--for 0s"},
		{"two groups", nil, []string{"a", "b"}, 2, "lagwatch explain --help"},
		{"a wrong setting", nil, []string{"--brokers", "a"}, 1, "has no port"},
		{"a cluster that the config has not", nil, []string{"--config", writeFile(t, "c.yaml", "clusters: [{name: east, brokers: 'a:1'}]\n"), "--cluster", "west"}, 1, "name one of east"},
		{"no Kafka", nil, []string{"--brokers", "127.0.0.1:1", "--for", "1s", "g"}, 1, "Kafka could not be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, text := explainOf(t, tt.environ, tt.args...)
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			last := lines[len(lines)-1] // after progress
			if code != tt.code || out != "" || !strings.HasPrefix(last, "lagwatch: ") || !strings.Contains(last, tt.says) {
				t.Errorf("exit status %d, %q on stdout, stderr:\n%s", code, out, text)
			}
			if strings.Contains(text, "hunter2") {
				t.Errorf("a password is shown: %s", text)
			}
		})
	}
}
