package testkafka

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Authority issues certificates for tests. It may be used concurrently and is
// never changed.
type Authority struct {
	cert *x509.Certificate
	key  crypto.Signer
	pem  []byte
}

// Certificate is a certificate and its private key (PKCS #8), both in PEM.
type Certificate struct{ Cert, Key []byte }

// CertSpec describes a certificate.
type CertSpec struct {
	// Name is the common name. Kafka takes the subject, "CN=" and the name, for
	// the principal of a client that shows the certificate.
	Name string
	// Hosts are the host names and IP addresses that it is good for.
	Hosts []string
	// NotAfter is when it expires; zero means tomorrow.
	NotAfter time.Time
}

// NewAuthority makes an authority with a certificate of its own.
func NewAuthority(name string) (*Authority, error) {
	template := newTemplate(name, time.Time{})
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making authority %s: %w", name, err)
	}
	a := &Authority{cert: template, key: key}
	der, err := a.sign(template, key)
	if err != nil {
		return nil, fmt.Errorf("making authority %s: %w", name, err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("making authority %s: %w", name, err)
	}
	a.pem = pemOf("CERTIFICATE", der)
	return a, nil
}

// PEM is the authority's certificate, to be trusted by the other side.
func (a *Authority) PEM() []byte { return a.pem }

// Issue makes a certificate for servers and clients alike.
func (a *Authority) Issue(spec CertSpec) (*Certificate, error) {
	template := newTemplate(spec.Name, spec.NotAfter)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	for _, host := range spec.Hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	cert, err := a.issue(template)
	if err != nil {
		return nil, fmt.Errorf("issuing a certificate for %s: %w", spec.Name, err)
	}
	return cert, nil
}

func (a *Authority) issue(template *x509.Certificate) (*Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := a.sign(template, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return &Certificate{Cert: pemOf("CERTIFICATE", der), Key: pemOf("PRIVATE KEY", secret)}, nil
}

func (a *Authority) sign(template *x509.Certificate, key crypto.Signer) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	return x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
}

func newTemplate(name string, notAfter time.Time) *x509.Certificate {
	now := time.Now()
	if notAfter.IsZero() {
		notAfter = now.Add(24 * time.Hour)
	}
	return &x509.Certificate{
		Subject:   pkix.Name{CommonName: name},
		NotBefore: now.Add(-48 * time.Hour), // before any NotAfter that is past
		NotAfter:  notAfter,
	}
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
