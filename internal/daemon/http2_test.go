package daemon

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/exporter-toolkit/web"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/lagwatch/lagwatch/internal/await"
)

// counts knows how many requests were begun and ended.
type counts struct {
	http.Handler
	begun, ended atomic.Int64
}

func (c *counts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.begun.Add(1)
	defer c.ended.Add(1)
	c.Handler.ServeHTTP(w, r)
}

// webConfig is a web config file for TLS, with a certificate of its own.
func webConfig(t *testing.T) string {
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
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, content := range map[string][]byte{
		"cert.pem": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		"key.pem":  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		"web.yaml": []byte("tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n"),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "web.yaml")
}

// asks sends a request in HTTP/2 that allows any number of bytes in answer.
func asks(t *testing.T, address string) {
	t.Helper()
	raw, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	if err := raw.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	conn := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err := conn.Handshake(); err != nil || conn.ConnectionState().NegotiatedProtocol != "h2" {
		t.Fatalf("%q, %v", conn.ConnectionState().NegotiatedProtocol, err)
	}
	var header bytes.Buffer
	encoder := hpack.NewEncoder(&header)
	for _, f := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", "/"}} {
		if err := encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}); err != nil {
			t.Fatal(err)
		}
	}
	framer := http2.NewFramer(conn, conn)
	_, hello := conn.Write([]byte(http2.ClientPreface))
	for _, err := range []error{
		hello,
		framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1}),
		framer.WriteWindowUpdate(0, 1<<31-1-65535),
		framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: header.Bytes(), EndStream: true, EndHeaders: true}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A client of HTTP/2 that reads nothing used to keep its page for a minute and
// more, whatever the deadline: the reset of its stream waited behind the page.
func TestHTTP2ClientThatNeverReads(t *testing.T) {
	h, begun, ended := pages(400_000) // more than sockets hold
	s := newServer(h, short, slog.New(slog.DiscardHandler))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	file, addresses, systemd := webConfig(t), []string{}, false
	flags := &web.FlagConfig{WebListenAddresses: &addresses, WebSystemdSocket: &systemd, WebConfigFile: &file}
	go func() { served <- web.Serve(listener, s, flags, slog.New(slog.DiscardHandler)) }()
	defer func() { s.Close(); <-served }()
	asks(t, listener.Addr().String())
	await.Until(t, 10*time.Second, "the request", func() bool { return begun() == 1 })
	await.Until(t, 15*time.Second, "the page to be free", func() bool { return ended() == 1 }) // half of a scrape's time
}
