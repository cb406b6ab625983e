package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
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
	"github.com/lagwatch/lagwatch/internal/exercise"
)

// secured is a cluster that wants TLS and a login, and a file that trusts it.
func secured(t *testing.T, mechanism string) (broker, caFile string) {
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
	c, err := kfake.NewCluster(kfake.NumBrokers(2), kfake.GroupMinSessionTimeout(time.Second), kfake.EnableSASL(), kfake.Superuser(mechanism, "orders", "hunter2"),
		kfake.TLS(&tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.ListenAddrs()[0], file(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The exercise reaches what lagwatch reaches, by the same flags, variables and config. It
// spoke plaintext without a login only.
func TestExerciseOnSecuredBrokers(t *testing.T) {
	const config = `clusters:
  - {name: west, brokers: ["127.0.0.1:1"]}
  - name: east
    brokers: [%q]
    tls: {ca_file: %q, server_name: 127.0.0.1}
    sasl: {mechanism: plain, username_file: %q, password_file: %q}
`
	for _, tt := range []struct {
		name, mechanism string
		args            func(broker, caFile string) []string
		environ         []string
		code            int
		says            string
	}{
		{"flags and a variable", "SCRAM-SHA-512", func(broker, caFile string) []string {
			return []string{"--brokers", broker, "--tls-ca-file", caFile, "--sasl-mechanism", "SCRAM-SHA-512", "--sasl-username", "orders"}
		}, []string{"LAGWATCH_SASL_PASSWORD=hunter2"}, 0, ""},
		{"a config", "PLAIN", func(broker, caFile string) []string {
			text := fmt.Sprintf(config, broker, caFile, file(t, "user", "orders\n"), file(t, "password", "hunter2\n"))
			return []string{"--config", file(t, "lagwatch.yaml", text), "--cluster", "east"}
		}, nil, 0, ""},
		{"another password", "SCRAM-SHA-256", func(broker, caFile string) []string {
			return []string{"--brokers", broker, "--tls-ca-file", caFile, "--sasl-mechanism", "scram-sha-256", "--sasl-username", "orders"}
		}, []string{"LAGWATCH_SASL_PASSWORD=hunter3"}, 1, "--sasl"},
		{"nobody trusts it", "PLAIN", func(broker, _ string) []string { return []string{"--brokers", broker, "--tls"} }, nil, 1, "certificate"},
		{"no TLS", "PLAIN", func(broker, _ string) []string { return []string{"--brokers", broker} }, nil, 1, "--tls"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			broker, caFile := secured(t, tt.mechanism)
			args := append([]string{"exercise", "--yes", "--session-timeout", "3s"}, tt.args(broker, caFile)...)
			t.Parallel()
			out, notes, began := &await.Buffer{}, &await.Buffer{}, time.Now()
			code := command.Run(t.Context(), newRoot(exercise.Contiguous, tt.environ), args, out, notes)
			if code != tt.code || !strings.Contains(notes.String(), tt.says) {
				t.Errorf("exit status %d, stderr %q:\n%s", code, notes, out)
			}
			if tt.code == 0 && notes.String() != "" {
				t.Errorf("stderr %q", notes)
			}
			if strings.Contains(notes.String()+out.String(), "hunter") {
				t.Error("a password is shown")
			}
			t.Logf("%.1f s: %s", time.Since(began).Seconds(), notes)
		})
	}
}
