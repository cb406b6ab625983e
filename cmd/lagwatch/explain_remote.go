package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/lagwatch/lagwatch/internal/explain"
)

// usualURL is where serve listens where nothing else is said.
const usualURL = "http://127.0.0.1:9742"

// remote asks a running lagwatch.
func remote(o *explainOptions, environ []string) (*explain.Client, error) {
	env := func(name string) string {
		value := ""
		for _, entry := range environ {
			if n, v, ok := strings.Cut(entry, "="); ok && n == name {
				value = v
			}
		}
		return value
	}
	base, err := baseURL(cmp.Or(o.url, env("LAGWATCH_URL"), ownAddress(env("LAGWATCH_LISTEN")), usualURL))
	if err != nil {
		return nil, err
	}
	if _, public := passwordIn(o.url); public {
		return nil, errors.New("--url has a password in it, and the arguments of a process are public: put it into LAGWATCH_URL_PASSWORD, or into a file for --url-password-file")
	}
	file, password := cmp.Or(o.passwordFile, env("LAGWATCH_URL_PASSWORD_FILE")), env("LAGWATCH_URL_PASSWORD")
	if file != "" && o.passwordFile == "" && password != "" {
		return nil, errors.New("LAGWATCH_URL_PASSWORD and LAGWATCH_URL_PASSWORD_FILE are both set: leave one out")
	}
	if err := authenticate(base, file, password); err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if file := cmp.Or(o.caFile, env("LAGWATCH_URL_CA_FILE")); file != "" {
		if transport.TLSClientConfig, err = trusting(file); err != nil {
			return nil, err
		}
	}
	return newClient(base, transport, "is lagwatch serve running there? Where it listens elsewhere (listen in its config, --listen), give --url http://127.0.0.1:PORT; without one, --brokers host:9092 reads Kafka itself"), nil
}

// ownAddress is the address for one on which the lagwatch of the same environment listens;
// "" where it is none.
func ownAddress(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "" || port == "0" {
		return ""
	}
	switch host {
	case "", "0.0.0.0", "::":
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// baseURL reads an address. The error never repeats it: there may be a password in it.
func baseURL(text string) (*url.URL, error) {
	const remedy = "write http://HOST:PORT, or https:// where it serves TLS"
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("--url, or LAGWATCH_URL, is no address: " + remedy)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("--url, or LAGWATCH_URL, is %s: %s", u.Redacted(), remedy)
	}
	return u, nil
}

func passwordIn(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return "", false
	}
	return u.User.Password()
}

// authenticate adds the password for the user of an address.
func authenticate(base *url.URL, file, password string) error {
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("--url-password-file, or LAGWATCH_URL_PASSWORD_FILE: %w", err)
		}
		password = strings.TrimRight(string(text), "\r\n")
	}
	switch _, has := base.User.Password(); {
	case password == "" || has:
		return nil
	case base.User.Username() == "":
		return fmt.Errorf("there is a password for %s and no user: write http://USER@HOST:PORT", base.Host)
	}
	base.User = url.UserPassword(base.User.Username(), password)
	return nil
}

// trusting is a configuration that trusts the authorities in a file.
func trusting(file string) (*tls.Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--url-ca-file: %w", err)
	}
	c := &tls.Config{RootCAs: x509.NewCertPool()}
	if !c.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--url-ca-file: %s has no certificate in it: name a PEM file", file)
	}
	return c, nil
}
