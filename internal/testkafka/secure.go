package testkafka

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Anonymous is the principal of everyone who has not authenticated: the package
// and its driver, which are super users, and any client of a listener that asks
// for neither a certificate nor a password.
const Anonymous = "User:ANONYMOUS"

const (
	// loginLogger says at level debug when a client has authenticated by SASL,
	// and for how long.
	loginLogger = "org.apache.kafka.common.security.authenticator.SaslServerAuthenticator"
	// refusalLogger says at level info when a client could not.
	refusalLogger = "org.apache.kafka.common.network.Selector"
)

// Listener is one more client listener of every broker.
type Listener struct {
	// Name tells it from the others: capitals, digits and underscores, not
	// PLAINTEXT or CONTROLLER.
	Name string
	// Certificate is what the brokers show; nil means no TLS.
	Certificate *Certificate
	// ClientCA makes brokers refuse clients that don't show a certificate of it.
	ClientCA *Authority
	// Mechanisms makes clients authenticate by one of them: PLAIN with one of
	// Options.PlainUsers, SCRAM-SHA-256 or SCRAM-SHA-512 with a password that
	// Driver.SetPassword has set.
	Mechanisms []string
	// Session ends each client's session so long after it authenticated
	// (connections.max.reauth.ms); 0 means never.
	Session time.Duration
}

// security is the security protocol in Kafka's words.
func (l Listener) security() string {
	switch tls, sasl := l.Certificate != nil, len(l.Mechanisms) > 0; {
	case tls && sasl:
		return "SASL_SSL"
	case tls:
		return "SSL"
	case sasl:
		return "SASL_PLAINTEXT"
	}
	return "PLAINTEXT"
}

func (l Listener) keystore(dir string) string   { return filepath.Join(dir, l.Name+"-keystore.pem") }
func (l Listener) truststore(dir string) string { return filepath.Join(dir, l.Name+"-truststore.pem") }

// reserveListeners takes a port of the broker for each listener.
func (b *Broker) reserveListeners(list []Listener) error {
	b.secured = map[string]*port{}
	for _, l := range list {
		p, err := reservePort()
		if err != nil {
			return err
		}
		b.secured[l.Name] = &p
	}
	return nil
}

func (b *Broker) releaseListeners() {
	for _, p := range b.secured {
		p.release()
	}
}

// AddrOf is HOST:PORT of one of Options.Listeners, the same for all runs. It
// panics for any other name, which is a mistake in the test.
func (b *Broker) AddrOf(listener string) string {
	p, ok := b.secured[listener]
	if !ok {
		panic("testkafka: no listener " + listener)
	}
	return p.addr()
}

// BootstrapOf is Bootstrap for one of Options.Listeners.
func (c *Cluster) BootstrapOf(listener string) []string {
	var addrs []string
	for _, b := range c.brokers {
		addrs = append(addrs, b.AddrOf(listener))
	}
	return addrs
}

// Logins counts how many clients have authenticated by SASL on listeners with
// Listener.Session of that length, and how many have failed to authenticate on
// any listener, both at all brokers and since they started.
func (c *Cluster) Logins(session time.Duration) (done, failed int, err error) {
	lifetime := fmt.Sprintf("max lifetime from broker config=%d ms", session.Milliseconds())
	for _, b := range c.brokers {
		text, err := os.ReadFile(b.log())
		if err != nil {
			return 0, 0, fmt.Errorf("counting the logins of broker %d: %w", b.id, err)
		}
		for line := range strings.Lines(string(text)) {
			switch {
			case strings.Contains(line, loginLogger) && strings.Contains(line, lifetime):
				done++
			case strings.Contains(line, refusalLogger) && strings.Contains(line, "Failed authentication"):
				failed++
			}
		}
	}
	return done, failed, nil
}

// SetCertificate has all brokers, which must run, show another certificate on a
// listener. Connections that are open stay. It must have the subject and the
// hosts of the one before.
func (c *Cluster) SetCertificate(ctx context.Context, listener string, cert *Certificate) error {
	d, err := c.Driver(ctx)
	if err != nil {
		return err
	}
	for _, b := range c.brokers {
		path := Listener{Name: listener}.keystore(b.dir)
		if err := writeKeystore(path, cert); err != nil {
			return err
		}
		key := "listener.name." + strings.ToLower(listener) + ".ssl.keystore.location"
		if err := d.setConfig(ctx, "BROKER", strconv.Itoa(b.id), map[string]string{key: path}); err != nil {
			return err
		}
	}
	return nil
}

// secureProperties adds the listeners and the authorizer to a broker's
// properties.
func (c *Cluster) secureProperties(b *Broker, p map[string]string) {
	if c.opts.Authorizer {
		p["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
		p["super.users"] = Anonymous
		p["allow.everyone.if.no.acl.found"] = "false"
	}
	if len(c.opts.Listeners) == 0 {
		return
	}
	protocols := []string{"PLAINTEXT:PLAINTEXT", "CONTROLLER:PLAINTEXT"}
	for _, l := range c.opts.Listeners {
		at := "," + l.Name + "://" + b.AddrOf(l.Name)
		p["listeners"] += at
		p["advertised.listeners"] += at
		protocols = append(protocols, l.Name+":"+l.security())
		maps.Copy(p, c.listenerProperties(b, l))
	}
	p["listener.security.protocol.map"] = strings.Join(protocols, ",")
}

func (c *Cluster) listenerProperties(b *Broker, l Listener) map[string]string {
	prefix := "listener.name." + strings.ToLower(l.Name) + "."
	p := map[string]string{}
	if l.Certificate != nil {
		p[prefix+"ssl.keystore.type"] = "PEM"
		p[prefix+"ssl.keystore.location"] = l.keystore(b.dir)
	}
	if l.ClientCA != nil {
		p[prefix+"ssl.client.auth"] = "required"
		p[prefix+"ssl.truststore.type"] = "PEM"
		p[prefix+"ssl.truststore.location"] = l.truststore(b.dir)
	}
	if len(l.Mechanisms) > 0 {
		p[prefix+"sasl.enabled.mechanisms"] = strings.Join(l.Mechanisms, ",")
	}
	for _, mechanism := range l.Mechanisms {
		own := prefix + strings.ToLower(mechanism) + "."
		p[own+"sasl.jaas.config"] = c.jaas(mechanism)
		if l.Session > 0 {
			p[own+"connections.max.reauth.ms"] = strconv.FormatInt(l.Session.Milliseconds(), 10)
		}
	}
	return p
}

// jaas is the login module of a mechanism. PLAIN's has the passwords; those of
// SCRAM are in the cluster's metadata.
func (c *Cluster) jaas(mechanism string) string {
	const modules = "org.apache.kafka.common.security."
	if mechanism != "PLAIN" {
		return modules + "scram.ScramLoginModule required;"
	}
	var text strings.Builder
	text.WriteString(modules + "plain.PlainLoginModule required")
	for _, user := range slices.Sorted(maps.Keys(c.opts.PlainUsers)) {
		fmt.Fprintf(&text, " user_%s=%q", user, c.opts.PlainUsers[user])
	}
	return text.String() + ";"
}

// writeCertificates puts the listeners' certificates where a broker reads them.
func (c *Cluster) writeCertificates(b *Broker) error {
	for _, l := range c.opts.Listeners {
		if l.Certificate != nil {
			if err := writeKeystore(l.keystore(b.dir), l.Certificate); err != nil {
				return err
			}
		}
		if l.ClientCA != nil {
			if err := os.WriteFile(l.truststore(b.dir), l.ClientCA.PEM(), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeKeystore(path string, c *Certificate) error {
	return os.WriteFile(path, bytes.Join([][]byte{c.Key, c.Cert}, nil), 0o600)
}
