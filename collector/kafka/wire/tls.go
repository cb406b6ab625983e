package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// TLSFunc returns the settings for a connection to a host; never nil without
// an error. Where they have no ServerName, it is the host. It is asked for each
// connection, so that rotated certificates are used, from many goroutines. The
// caller does not change what it returned.
type TLSFunc func(host string) (*tls.Config, error)

// errTLSListener says that the peer answered with a TLS record where a Kafka
// frame was due.
var errTLSListener = Refuse(snapshot.ReasonTLS, "set tls.enabled: true, or use the port of a plaintext listener",
	errors.New("the broker speaks TLS here, and lagwatch plaintext"))

// secure does the TLS handshake on a connection to address, which it closes
// when that fails.
func secure(ctx context.Context, conn net.Conn, address string, settings TLSFunc) (*tlsConn, error) {
	c, err := handshake(ctx, conn, address, settings)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return c, nil
}

func handshake(ctx context.Context, conn net.Conn, address string, settings TLSFunc) (*tlsConn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	config, err := settings(host)
	if err != nil {
		return nil, Refuse(snapshot.ReasonTLS, "put that right, the next poll reads it again", err)
	}
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName = host
	}
	c := &tlsConn{Conn: tls.Client(conn, config), certified: len(config.Certificates) > 0 || config.GetClientCertificate != nil}
	if err := c.HandshakeContext(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("TLS handshake: %w", context.Cause(ctx))
		}
		if broken(err) {
			return nil, Refuse(snapshot.ReasonTLS, "is it restarting, or is this a plaintext listener? Turn tls off then, or use the port of a TLS listener",
				errors.New("the broker closed the connection during the TLS handshake"))
		}
		return nil, c.explain(err)
	}
	return c, nil
}

// tlsConn is a TLS connection that explains its errors.
type tlsConn struct {
	*tls.Conn
	certified bool // lagwatch has a certificate of its own
}

// Read explains alerts too: in TLS 1.3 a broker that refuses lagwatch's
// certificate says so after the handshake.
func (c *tlsConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, c.explain(err)
}

// Write reads on where the broker has hung up: an alert may say why.
func (c *tlsConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if broken(err) {
		if _, why := c.Read(make([]byte, 1)); why != nil && !broken(why) {
			return n, why
		}
	}
	return n, c.explain(err)
}

// explain finds the remedy of a TLS error; others it returns as they are.
func (c *tlsConn) explain(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return Refuse(snapshot.ReasonTLS, "turn tls off, or use the port of a TLS listener",
			errors.New("the broker does not speak TLS here"))
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" {
		return Refuse(snapshot.ReasonTLS, c.alertRemedy(op.Err.Error()), fmt.Errorf("the broker refuses the connection: %w", op.Err))
	}
	if remedy := certificateRemedy(err); remedy != "" {
		return Refuse(snapshot.ReasonTLS, remedy, fmt.Errorf("the broker's certificate is not accepted: %w", err))
	}
	if strings.Contains(err.Error(), "tls: ") {
		return Refuse(snapshot.ReasonTLS, "", err)
	}
	return err
}

// certificateRemedy says what to do about a broker's certificate; "" where the
// error is about something else.
func certificateRemedy(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "name the authority that signed it in tls.ca_file"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "use a name that the certificate has for the broker, or set tls.server_name to it"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "renew it on the broker, and check both clocks"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "have it issued anew for use by a server"
	}
	return ""
}

// alertRemedy says what to do about an alert of a broker's.
func (c *tlsConn) alertRemedy(text string) string {
	about := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	switch {
	case about("protocol version", "inappropriate fallback"):
		return "let the broker speak TLS 1.2 or 1.3"
	case about("unrecognized name"):
		return "set tls.server_name to a name that the broker has"
	case about("certificate", "handshake failure", "access denied") && !c.certified:
		return "it may want a certificate of lagwatch's: set tls.cert_file and tls.key_file"
	case about("certificate", "handshake failure", "access denied"):
		return "does the broker trust the authority that signed tls.cert_file, and is that still valid?"
	}
	return ""
}
