package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// hangsUp reads a little from each connection, says something and closes it.
func hangsUp(t *testing.T, says string) string {
	t.Helper()
	return wiretest.Listen(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 8))
		_, _ = io.WriteString(c, says)
	}).Addr
}

// Whatever is wrong with TLS is one line that says what to do.
func TestTLSThatFails(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	serving := func(edit func(*x509.Certificate)) string { return kfakeAddr(t, kfake.TLS(ca.server(edit))) }
	mutual := func(version uint16) string {
		c := ca.mutual()
		c.MinVersion, c.MaxVersion = version, version
		return kfakeAddr(t, kfake.TLS(c))
	}
	for _, test := range []struct {
		name, addr string
		client     TLSFunc
		says       []string
	}{
		{"unknown authority", serving(nil), other.client(), []string{"unknown authority", "tls.ca_file"}},
		{"another name", serving(func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"kafka.example"} }), ca.client(),
			[]string{"127.0.0.1", "tls.server_name"}},
		{"expired", serving(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), ca.client(), []string{"expired", "renew it"}},
		{"not a server's", serving(func(c *x509.Certificate) { c.ExtKeyUsage = c.ExtKeyUsage[1:] }), ca.client(), []string{"incompatible key usage", "issued anew"}},
		{"no certificate of its own, TLS 1.3", mutual(tls.VersionTLS13), ca.client(), []string{"certificate required", "set tls.cert_file and tls.key_file"}},
		{"no certificate of its own, TLS 1.2", mutual(tls.VersionTLS12), ca.client(), []string{"handshake failure", "set tls.cert_file and tls.key_file"}},
		{"a stranger's certificate, TLS 1.3", mutual(tls.VersionTLS13), ca.client(other.issue(nil)), []string{"the authority that signed tls.cert_file"}},
		{"a stranger's certificate, TLS 1.2", mutual(tls.VersionTLS12), ca.client(other.issue(nil)), []string{"the authority that signed tls.cert_file"}},
		{"an old version", mutual(tls.VersionTLS10), ca.client(), []string{"protocol version", "TLS 1.2 or 1.3"}},
		{"plaintext listener that hangs up", hangsUp(t, ""), ca.client(), []string{"closed the connection during the TLS handshake", "plaintext listener"}},
		{"no TLS", hangsUp(t, "SSH-2.0-OpenSSH_9.2\r\n"), ca.client(), []string{"does not speak TLS", "turn tls off"}},
		{"settings that cannot be read", hangsUp(t, ""), func(string) (*tls.Config, error) {
			return nil, errors.New("tls.ca_file: /ca.pem cannot be read")
		}, []string{"tls.ca_file: /ca.pem", "the next poll reads it again"}},
		{"a TLS listener, in plaintext", hangsUp(t, "\x15\x03\x03\x00\x02\x02\x46"), nil, []string{"speaks TLS here", "set tls.enabled: true"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := startNode(t, Options{TLS: test.client}, test.addr)
			checkFailed(t, listGroups(t, n), snapshot.ReasonTLS, append(test.says, test.addr)...)
		})
	}
}

// A broker that refuses lagwatch's certificate and has hung up by the time of
// the first write: the alert that it left behind says why.
func TestAlertBehindAClosedConnection(t *testing.T) {
	ca := newAuthority(t)
	hungUp := make(chan struct{})
	addr := wiretest.Listen(t, func(c net.Conn) {
		_ = tls.Server(c, ca.mutual()).Handshake()
		_ = c.Close()
		close(hungUp)
	}).Addr
	conn, err := net.Dial("tcp", addr)
	must(t, err)
	c, err := secure(testContext(t), conn, addr, ca.client())
	must(t, err)
	defer c.Close()
	<-hungUp
	await.Until(t, patience, "a write that fails", func() bool { _, err = c.Write([]byte{0}); return err != nil })
	if ReasonOf(err) != snapshot.ReasonTLS || broken(err) || !strings.Contains(Explain(err), "set tls.cert_file and tls.key_file") {
		t.Errorf("%v", err)
	}
}
