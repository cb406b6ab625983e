package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"
)

// authority signs certificates for a test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	template := certificate("authority", func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
	})
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	cert, err := x509.ParseCertificate(der)
	must(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return &authority{t, cert, key, pool}
}

// issue signs a certificate for 127.0.0.1, changed by edit, which may be nil.
func (a *authority) issue(edit func(*x509.Certificate)) tls.Certificate {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(a.t, err)
	der, err := x509.CreateCertificate(rand.Reader, certificate("leaf", edit), a.cert, &key.PublicKey, a.key)
	must(a.t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// server is what a broker listens with.
func (a *authority) server(edit func(*x509.Certificate)) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{a.issue(edit)}}
}

// mutual is server for a broker that wants certificates of this authority.
func (a *authority) mutual() *tls.Config {
	c := a.server(nil)
	c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, a.pool
	return c
}

// client is what lagwatch connects with.
func (a *authority) client(own ...tls.Certificate) TLSFunc {
	return func(string) (*tls.Config, error) { return &tls.Config{RootCAs: a.pool, Certificates: own}, nil }
}

func certificate(name string, edit func(*x509.Certificate)) *x509.Certificate {
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if edit != nil {
		edit(c)
	}
	return c
}
