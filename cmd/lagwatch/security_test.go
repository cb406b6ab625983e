package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/command"
)

// selfSigned returns a certificate for 127.0.0.1, and a file that trusts it.
func selfSigned(t *testing.T) (own tls.Certificate, caFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, writeFile(t, "ca.pem", string(text))
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// From the flags to the brokers: TLS and SCRAM, then a password that is rotated
// to a wrong one and back. No password is in the log or on a page.
func TestServeAuthenticates(t *testing.T) {
	own, caFile := selfSigned(t)
	password := writeFile(t, "password", "hunter2\n")
	c := newFake(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{own}}), kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "lagwatch", "hunter2"),
		kfake.BrokerConfigs(map[string]string{"connections.max.reauth.ms": "1000"}))
	p := start(t, "--brokers", c.ListenAddrs()[0], "--tls-ca-file", caFile,
		"--sasl-mechanism", "SCRAM-SHA-512", "--sasl-username", "lagwatch", "--sasl-password-file", password)
	p.awaitSeries(`lagwatch_up{kafka_cluster="default"} 1`)
	for _, tt := range []struct{ text, series, says string }{
		{"hunter3", `lagwatch_up{kafka_cluster="default"} 0`, `SASL SCRAM-SHA-512 as user \"lagwatch\"`},
		{"hunter2", `lagwatch_up{kafka_cluster="default"} 1`, "can be read again"},
		{"", `lagwatch_up{kafka_cluster="default"} 0`, "is empty; write the value into it"},
	} {
		if err := os.WriteFile(password, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.awaitSeries(tt.series)
		await.Until(t, time.Minute, tt.says, func() bool { return strings.Contains(p.log.String(), tt.says) })
	}
	_, ready := p.get("/-/ready")
	_, page := p.get("/metrics")
	if text := p.log.String() + ready + page; strings.Contains(text, "hunter") {
		t.Errorf("a password is shown:\n%s", grep(text, "hunter"))
	}
	if strings.Contains(p.log.String(), "clear text") {
		t.Error("a warning that does not fit")
	}
}

// PLAIN without TLS works, and is warned of once.
func TestServeWarnsOfPlain(t *testing.T) {
	c := newFake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "lagwatch", "hunter2"))
	p := start(t, "--brokers", c.ListenAddrs()[0], "--sasl-mechanism", "plain", "--sasl-username", "lagwatch",
		"--sasl-password-file", writeFile(t, "password", "hunter2"))
	p.awaitSeries(`lagwatch_up{kafka_cluster="default"} 1`)
	if lines := grep(p.log.String(), "clear text"); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, "kafka_cluster=default") {
		t.Errorf("warnings:\n%s", lines)
	}
}

// Files that are missing or wrong at the start end it.
func TestSecurityFilesAtTheStart(t *testing.T) {
	empty := writeFile(t, "empty", "\n")
	sasl := []string{"--sasl-mechanism", "plain", "--sasl-username", "u", "--sasl-password-file"}
	for _, tt := range []struct {
		name string
		args []string
		says []string
	}{
		{"no password file", append(sasl, "/nonexistent"), []string{`cluster "east"`, "sasl.password_file: /nonexistent", "no such file"}},
		{"empty password file", append(sasl, empty), []string{`cluster "east"`, "sasl.password_file: " + empty, "is empty"}},
		{"no authorities", []string{"--tls-ca-file", "/nonexistent"}, []string{`cluster "east"`, "tls.ca_file: /nonexistent"}},
		{"no certificate in it", []string{"--tls-ca-file", empty}, []string{"tls.ca_file: " + empty, "is empty"}},
		{"no certificate", []string{"--tls-cert-file", empty, "--tls-key-file", empty}, []string{"tls.cert_file: " + empty}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := append([]string{"serve", "--brokers", "a:9092", "--cluster", "east", "--listen", "127.0.0.1:0"}, tt.args...)
			if code := run(t.Context(), args, nil, &stdout, &stderr); code != command.Error {
				t.Errorf("exit status %d", code)
			}
			line := stderr.String()
			if strings.Count(line, "\n") != 1 {
				t.Errorf("not one line:\n%s", line)
			}
			for _, want := range tt.says {
				if !strings.Contains(line, want) {
					t.Errorf("%q is not in: %s", want, line)
				}
			}
		})
	}
}
