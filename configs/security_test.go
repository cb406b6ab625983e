package configs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// pair writes a certificate and its key into the working directory.
func pair(t *testing.T, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, certFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	write(t, keyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	c := config(func(c *Config) { c.Clusters[0].SASL.Password = NewSecret("hunter2") })
	s := c.Clusters[0].SASL.Password
	inside := struct{ c any }{*c}
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("x", "secret", s, "config", c, "sasl", c.Clusters[0].SASL)
	}
	shown := fmt.Sprintf("%v %+v %#v %s %q %x %X %d", s, s, s, s, s, s, s, s) + fmt.Sprint(&s, []Secret{s}, map[Secret]int{s: 1}) +
		fmt.Sprintf("%v %+v %#v", c, c, c) + fmt.Sprintf("%v %+v %#v", inside, inside, inside) + string(encoded) + log.String() + s.String()
	if strings.Contains(shown, "hunter2") || strings.Contains(strings.ToLower(shown), fmt.Sprintf("%x", "hunter2")) {
		t.Error(shown)
	}
	if s.Reveal() != "hunter2" || !strings.Contains(shown, masked) || fmt.Sprint(Secret{}) != "" {
		t.Errorf("%q, %q", s.Reveal(), Secret{})
	}
}

// Files are read at each call, so that rotated ones count.
func TestSecurityFilesAreReadAnew(t *testing.T) {
	t.Chdir(t.TempDir())
	s := SASL{UsernameFile: "user", PasswordFile: "password"}
	for _, want := range []string{"old", " new\nwith lines "} {
		write(t, "user", "u\r\n")
		write(t, "password", want+"\n")
		if user, password, err := s.Credentials(); user != "u" || password != want || err != nil {
			t.Errorf("%q, %q, %v", user, password, err)
		}
	}
	tls := TLS{CAFile: "ca", CertFile: "c", KeyFile: "k"}
	var before []byte
	for range 2 {
		pair(t, "c", "k")
		pair(t, "ca", "k2")
		c, err := tls.Config("kafka1")
		if err != nil || c.ServerName != "kafka1" || c.RootCAs == nil || len(c.Certificates) != 1 {
			t.Fatalf("%+v, %v", c, err)
		}
		if string(before) == string(c.Certificates[0].Certificate[0]) {
			t.Error("the old certificate is used")
		}
		before = c.Certificates[0].Certificate[0]
	}
	if c, err := (TLS{Enabled: true, ServerName: "k", InsecureSkipVerify: true}).Config("kafka1"); err != nil || c.ServerName != "k" || !c.InsecureSkipVerify || c.RootCAs != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestSecurityFilesThatAreWrong(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "empty", "\n\r\n")
	write(t, "blank", "  \n")
	write(t, "marked", "\ufeffhunter2")
	write(t, "large", strings.Repeat("x", maxFileSize+1))
	write(t, "text", "hunter2")
	pair(t, "c", "k")
	pair(t, "c2", "k2")
	credentials := func(s SASL) error { _, _, err := s.Credentials(); return err }
	config := func(c TLS) error { _, err := c.Config("h"); return err }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{credentials(SASL{PasswordFile: "nope"}), "sasl.password_file: nope: cannot be read: no such file or directory; name one that can be"},
		{credentials(SASL{PasswordFile: "no\npe"}), `sasl.password_file: "no\npe": cannot be read: no such file or directory; name one that can be`},
		{credentials(SASL{UsernameFile: "."}), "sasl.username_file: .: cannot be read: is a directory; name one that can be"},
		{credentials(SASL{PasswordFile: "empty"}), "sasl.password_file: empty: is empty; write the value into it, or name the right file"},
		{credentials(SASL{PasswordFile: "blank"}), "sasl.password_file: blank: is empty; write the value into it, or name the right file"},
		{credentials(SASL{PasswordFile: "marked"}), "sasl.password_file: marked: begins with a byte order mark; save it as UTF-8 without one"},
		{credentials(SASL{PasswordFile: "large"}), "sasl.password_file: large: is larger than 1 MiB; name the right file"},
		{config(TLS{CAFile: "nope"}), "tls.ca_file: nope: cannot be read: no such file or directory; name one that can be"},
		{config(TLS{CAFile: "text"}), "tls.ca_file: text: has no certificate in it; name a PEM file"},
		{config(TLS{CertFile: "c", KeyFile: "nope"}), "tls.key_file: nope: cannot be read: no such file or directory; name one that can be"},
		{config(TLS{CertFile: "text", KeyFile: "k"}), "tls.cert_file: text and tls.key_file: k: are no certificate and its key (failed to find any PEM data in certificate input); name PEM files that belong together"},
		{config(TLS{CertFile: "c", KeyFile: "k2"}), "tls.cert_file: c and tls.key_file: k2: are no certificate and its key (private key does not match public key); name PEM files that belong together"},
	} {
		if diff := cmp.Diff(tt.want, text(tt.err)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct {
		c    Cluster
		want []string
	}{
		{Cluster{}, nil},
		{Cluster{SASL: SASL{Mechanism: "plain"}, TLS: TLS{Enabled: true}}, nil},
		{Cluster{SASL: SASL{Mechanism: "scram-sha-512"}}, nil},
		{Cluster{SASL: SASL{Mechanism: "plain"}}, []string{"SASL PLAIN without TLS"}},
		{Cluster{TLS: TLS{Enabled: true, InsecureSkipVerify: true}}, []string{"tls.insecure_skip_verify"}},
	} {
		got := tt.c.Warnings()
		if len(got) != len(tt.want) || len(got) == 1 && !strings.HasPrefix(got[0], tt.want[0]) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
