package testkafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

var mechanisms = []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}

// securedTest is one broker with every kind of listener.
type securedTest struct {
	cluster *Cluster
	driver  *Driver
	ca      *Authority
	client  *Certificate
}

// TestSecuredCluster tries each listener with a client that it should let in
// and with one that it should not, then the authorizer and its log.
func TestSecuredCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Kafka")
	}
	Require(t, DefaultVersion)
	s := startSecured(t)
	t.Run("listeners", s.listeners)
	t.Run("logins", s.logins)
	t.Run("another certificate", s.anotherCertificate)
	t.Run("authorizer", s.authorizer)
}

func startSecured(t *testing.T) *securedTest {
	t.Helper()
	ca, err := NewAuthority("testkafka")
	check(t, err)
	server, err := ca.Issue(CertSpec{Name: "kafka", Hosts: []string{"127.0.0.1"}})
	check(t, err)
	client, err := ca.Issue(CertSpec{Name: "reader"})
	check(t, err)
	c, err := Start(t.Context(), Options{
		Brokers: 1, Authorizer: true, PlainUsers: map[string]string{"reader": `a"b\c`},
		Listeners: []Listener{
			{Name: "SASL", Mechanisms: mechanisms, Session: time.Hour},
			{Name: "SASL_TLS", Certificate: server, Mechanisms: mechanisms},
			{Name: "TLS", Certificate: server},
			{Name: "MUTUAL", Certificate: server, ClientCA: ca},
		},
	})
	check(t, err)
	t.Cleanup(func() { check(t, c.Close()) })
	d, err := c.Driver(t.Context())
	check(t, err)
	check(t, d.SetPassword(t.Context(), "reader", "changed"))
	return &securedTest{c, d, ca, client}
}

func (s *securedTest) listeners(t *testing.T) {
	open, mutual := s.tls(t, nil), s.tls(t, s.client)
	tests := []struct {
		name, listener string
		options        []kgo.Opt
		ok             bool
	}{
		{"no password", "SASL", nil, false},
		{"PLAIN", "SASL", []kgo.Opt{mechanism("PLAIN", `a"b\c`)}, true},
		{"PLAIN, wrong", "SASL", []kgo.Opt{mechanism("PLAIN", "changed")}, false},
		{"SHA-256", "SASL", []kgo.Opt{mechanism("SCRAM-SHA-256", "changed")}, true},
		{"SHA-512", "SASL", []kgo.Opt{mechanism("SCRAM-SHA-512", "changed")}, true},
		{"SHA-512, wrong", "SASL", []kgo.Opt{mechanism("SCRAM-SHA-512", "old")}, false},
		{"PLAIN over TLS", "SASL_TLS", []kgo.Opt{open, mechanism("PLAIN", `a"b\c`)}, true},
		{"SHA-512 over TLS", "SASL_TLS", []kgo.Opt{open, mechanism("SCRAM-SHA-512", "changed")}, true},
		{"SASL without TLS", "SASL_TLS", []kgo.Opt{mechanism("PLAIN", `a"b\c`)}, false},
		{"TLS", "TLS", []kgo.Opt{open}, true},
		{"plaintext to TLS", "TLS", nil, false},
		{"mutual TLS", "MUTUAL", []kgo.Opt{mutual}, true},
		{"no certificate", "MUTUAL", []kgo.Opt{open}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			patience := time.Second
			if test.ok {
				patience = time.Minute // passwords take a moment to be known
			}
			err := waitFor(ctx, 50*time.Millisecond, func() error {
				cl := s.dial(t, test.listener, append(test.options, kgo.RetryTimeout(patience))...)
				err := cl.Ping(ctx)
				if err != nil && !test.ok {
					return nil
				}
				if !test.ok {
					t.Fatal("it was let in")
				}
				return err
			})
			check(t, err)
		})
	}
}

// logins are those of the test before.
func (s *securedTest) logins(t *testing.T) {
	done, failed, err := s.cluster.Logins(time.Hour)
	check(t, err)
	if none, _, err := s.cluster.Logins(time.Minute); done == 0 || failed == 0 || none != 0 || err != nil {
		t.Errorf("%d logins for an hour, %d for a minute, %d failed, %v", done, none, failed, err)
	}
}

// anotherCertificate replaces one that the client trusts by one that it doesn't.
func (s *securedTest) anotherCertificate(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	check(t, s.dial(t, "TLS", s.tls(t, nil)).Ping(ctx))
	other, err := NewAuthority("another")
	check(t, err)
	cert, err := other.Issue(CertSpec{Name: "kafka", Hosts: []string{"127.0.0.1"}})
	check(t, err)
	check(t, s.cluster.SetCertificate(ctx, "TLS", cert))
	trusting := &securedTest{cluster: s.cluster, ca: other}
	check(t, waitFor(ctx, 50*time.Millisecond, func() error {
		return trusting.dial(t, "TLS", trusting.tls(t, nil), kgo.RetryTimeout(time.Second)).Ping(ctx)
	}))
}

// tls trusts the cluster's authority.
func (s *securedTest) tls(t *testing.T, client *Certificate) kgo.Opt {
	t.Helper()
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	config.RootCAs.AppendCertsFromPEM(s.ca.PEM())
	if client != nil {
		pair, err := tls.X509KeyPair(client.Cert, client.Key)
		check(t, err)
		config.Certificates = []tls.Certificate{pair}
	}
	return kgo.DialTLSConfig(config)
}

func mechanism(name, password string) kgo.Opt {
	shared := scram.Auth{User: "reader", Pass: password}
	return kgo.SASL(map[string]sasl.Mechanism{
		"PLAIN":         plain.Auth{User: "reader", Pass: password}.AsMechanism(),
		"SCRAM-SHA-256": shared.AsSha256Mechanism(),
		"SCRAM-SHA-512": shared.AsSha512Mechanism(),
	}[name])
}

func (s *securedTest) dial(t *testing.T, listener string, options ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append(options, kgo.SeedBrokers(s.cluster.BootstrapOf(listener)...))...)
	check(t, err)
	t.Cleanup(cl.Close)
	return cl
}

// authorizer grants a user one of two topics, takes it back, and finds all of
// that in the log.
func (s *securedTest) authorizer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	grant := ACL{Principal: "User:reader", Operation: "DESCRIBE", Resource: "TOPIC", Name: "open"}
	for _, topic := range []string{"open", "closed"} {
		check(t, s.driver.CreateTopic(ctx, TopicSpec{Name: topic, Partitions: 1}))
	}
	cl := s.dial(t, "SASL", mechanism("PLAIN", `a"b\c`))
	_, mark, err := s.cluster.Authorizations(Mark{}, "")
	check(t, err)
	check(t, s.driver.CreateACLs(ctx, grant))
	awaitCode(t, cl, "open", 0)
	awaitCode(t, cl, "closed", 29)
	seen := s.decisions(t, mark)
	for _, want := range []string{"Metadata DESCRIBE on Topic open: allowed", "Metadata DESCRIBE on Topic closed: refused"} {
		if !slices.Contains(seen, want) {
			t.Errorf("the log lacks %q: %v", want, seen)
		}
	}
	check(t, s.driver.DeleteACLs(ctx, grant))
	awaitCode(t, cl, "open", 29)
}

// awaitCode waits until Metadata answers for a topic with an error code.
func awaitCode(t *testing.T, cl *kgo.Client, topic string, want int16) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	check(t, waitFor(ctx, 20*time.Millisecond, func() error {
		req := kmsg.NewPtrMetadataRequest()
		req.Topics = []kmsg.MetadataRequestTopic{{Topic: &topic}}
		resp, err := req.RequestWith(ctx, cl)
		if err == nil && resp.Topics[0].ErrorCode != want {
			err = fmt.Errorf("topic %s: code %d, want %d", topic, resp.Topics[0].ErrorCode, want)
		}
		return err
	}))
}

// decisions lists what was decided about the reader, each once.
func (s *securedTest) decisions(t *testing.T, since Mark) []string {
	t.Helper()
	byBroker, next, err := s.cluster.Authorizations(since, "User:reader")
	check(t, err)
	var list []string
	for _, a := range byBroker[1] {
		if !slices.Contains(list, a.String()) {
			list = append(list, a.String())
		}
	}
	if again, _, err := s.cluster.Authorizations(next, "User:reader"); err != nil || len(again[1]) > 0 {
		t.Errorf("behind its own mark: %v, %v", again, err)
	}
	return list
}
