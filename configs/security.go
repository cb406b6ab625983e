package configs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
)

// TLS says how connections are encrypted. The zero value is plaintext.
type TLS struct {
	// Enabled is true where any other field is set.
	Enabled bool `mapstructure:"enabled"`
	// CAFile holds the authorities that brokers' certificates are signed by,
	// in PEM. Empty means those of the system. Files are relative to the
	// working directory; Load does not open them.
	CAFile string `mapstructure:"ca_file"`
	// CertFile and KeyFile hold a certificate of lagwatch's own and its key,
	// in PEM; both or none.
	CertFile string `mapstructure:"cert_file"`
	KeyFile  string `mapstructure:"key_file"`
	// ServerName is the name that brokers' certificates are checked for.
	// Empty means the host of the address.
	ServerName string `mapstructure:"server_name"`
	// InsecureSkipVerify accepts any certificate.
	InsecureSkipVerify bool `mapstructure:"insecure_skip_verify"`
}

// Config returns the settings for a connection to host. It reads the files, so
// that rotated ones count from the next connection on. Errors are one line and
// name key and file.
func (t TLS) Config(host string) (*tls.Config, error) {
	c := &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: t.InsecureSkipVerify}
	if c.ServerName == "" {
		c.ServerName = host
	}
	if t.CAFile != "" {
		text, err := readPrivate("tls.ca_file", t.CAFile)
		if err != nil {
			return nil, err
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM([]byte(text)) {
			return nil, fmt.Errorf("tls.ca_file: %s: has no certificate in it; name a PEM file", plain(t.CAFile))
		}
	}
	if t.CertFile != "" {
		own, err := t.certificate()
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{own}
	}
	return c, nil
}

func (t TLS) certificate() (tls.Certificate, error) {
	cert, err := readPrivate("tls.cert_file", t.CertFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := readPrivate("tls.key_file", t.KeyFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	own, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		return own, fmt.Errorf("tls.cert_file: %s and tls.key_file: %s: are no certificate and its key (%s); name PEM files that belong together",
			plain(t.CertFile), plain(t.KeyFile), strings.TrimPrefix(err.Error(), "tls: "))
	}
	return own, nil
}

// SASL says how connections authenticate. The zero value is not at all.
type SASL struct {
	// Mechanism is plain, scram-sha-256 or scram-sha-512, or empty.
	Mechanism string `mapstructure:"mechanism"`
	// Username and UsernameFile: exactly one where there is a mechanism.
	Username     string `mapstructure:"username"`
	UsernameFile string `mapstructure:"username_file"`
	// Password and PasswordFile: exactly one where there is a mechanism. Load
	// does not open files.
	Password     Secret `mapstructure:"password"`
	PasswordFile string `mapstructure:"password_file"`
}

// Credentials returns user and password. It reads the files, so that rotated
// ones count from the next connection on, and leaves out line ends behind
// them. Errors are one line and name key and file, never what is in it.
func (s SASL) Credentials() (user, password string, err error) {
	user, password = s.Username, s.Password.Reveal()
	if s.UsernameFile != "" {
		if user, err = readPrivate("sasl.username_file", s.UsernameFile); err != nil {
			return "", "", err
		}
	}
	if s.PasswordFile != "" {
		if password, err = readPrivate("sasl.password_file", s.PasswordFile); err != nil {
			return "", "", err
		}
	}
	return user, password, nil
}

// readPrivate reads a file that a key names.
func readPrivate(key, name string) (string, error) {
	data, err := readFile(name)
	text := strings.TrimRight(string(data), "\r\n")
	switch {
	case errors.Is(err, errLarge):
		err = errors.New("is larger than 1 MiB; name the right file")
	case err == nil && strings.HasPrefix(text, "\ufeff"):
		err = errors.New("begins with a byte order mark; save it as UTF-8 without one")
	case err == nil && strings.TrimSpace(text) == "":
		err = errors.New("is empty; write the value into it, or name the right file")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %s: %w", key, plain(name), err)
	}
	return text, nil
}

// Warnings are about settings that work and are dangerous; one line each.
func (c Cluster) Warnings() []string {
	var out []string
	if c.SASL.Mechanism == "plain" && !c.TLS.Enabled {
		out = append(out, "SASL PLAIN without TLS sends the password in clear text; set tls.enabled, or use a scram mechanism")
	}
	if c.TLS.InsecureSkipVerify {
		out = append(out, "tls.insecure_skip_verify accepts any certificate, so anyone on the way can read and answer; set tls.ca_file instead")
	}
	return out
}
