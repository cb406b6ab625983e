package explain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/api"
	"github.com/lagwatch/lagwatch/internal/api/apitest"
)

// of is a client of a server.
func of(t *testing.T, base string) *Client {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return &Client{
		Base: u, Elsewhere: "look elsewhere", Longest: 1 << 20,
		HTTP: &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// Who answers may be no lagwatch, or one that cannot: each is told in one line that says
// what to do, and within bounds.
func TestOtherAnswers(t *testing.T) {
	lagwatch := api.New(apitest.Views()...)
	text := func(kind, body string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	over := make(chan struct{})
	defer close(over)
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		group   string
		says    []string
	}{
		{"a web page", text("text/html", "<html>", 200), "g", []string{"is no lagwatch", "text/html", "look elsewhere"}},
		{"no type", text("", "{}", 200), "g", []string{"is no lagwatch", "look elsewhere"}},
		{"a web page that is not there", text("text/html", "<html>", 404), "g", []string{"HTTP status 404", "look elsewhere"}},
		{"other JSON", text("application/json", `{"status":"UP"}`, 200), "g", []string{"is no group"}},
		{"a list", text("application/json", `[]`, 200), "g", []string{"is no group"}},
		{"half a document", text("application/json", `{"cluster":"main","gro`, 200), "g", []string{"is no group"}},
		{"a document with another type", text("application/json", `{"cluster":"main","verdicts":{},"rewinds":"many"}`, 200), "g", []string{"is no group"}},
		{"an error of somebody else", text("application/json", `{"error":"\u001b[2Jno"}`, 500), "g", []string{"HTTP status 500"}},
		{"an error with lines", text("application/json", `{"error":"a\nb\u001b","remedy":"c"}`, 500), "g", []string{"a b�: c"}},
		{"a password is wanted", text("text/plain", "Unauthorized", 401), "g", []string{"LAGWATCH_URL_PASSWORD"}},
		{"another address", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "http://127.0.0.1:1/", 302) }, "g", []string{"HTTP status 302"}},
		{"no end", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, "g", []string{"longer than 1048576 bytes"}},
		{"no answer in time", func(http.ResponseWriter, *http.Request) { <-over }, "g", []string{"no answer", "see the log of that lagwatch"}},
		{"an answer that stops", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{")
			_ = http.NewResponseController(w).Flush()
			<-over
		}, "g", []string{"no answer"}},
		{"a group that is not there", lagwatch.ServeHTTP, "order-fulfillment", []string{`no group "order-fulfillment" at http://127.0.0.1`, "did you mean order-fulfilment?"}},
		{"a group that two clusters have", lagwatch.ServeHTTP, "shared", []string{"2 clusters", "--cluster with one of main, west"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(tt.handler)
			t.Cleanup(server.CloseClientConnections)
			c := of(t, server.URL)
			if slices.Contains(tt.says, "no answer") {
				c.HTTP.Timeout = 100 * time.Millisecond
			}
			_, _, err := c.Group(t.Context(), tt.group, "")
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %s", want, err)
				}
			}
			printable(t, err.Error())
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("not one line: %q", err)
			}
		})
	}
}

// TLS spoken on one side only.
func TestTLSOnOneSide(t *testing.T) {
	secure, plain := httptest.NewTLSServer(http.NotFoundHandler()), httptest.NewServer(http.NotFoundHandler())
	defer secure.Close()
	defer plain.Close()
	for base, says := range map[string]string{
		strings.Replace(secure.URL, "https", "http", 1): "begin the address with https://",
		strings.Replace(plain.URL, "http", "https", 1):  "begin the address with http://",
		secure.URL: "certificate",
	} {
		if _, _, err := of(t, base).Groups(t.Context(), ""); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", base, err, says)
		}
	}
}

// A lagwatch that answers, with a certificate that does not fit, was said not to run, and
// so was one that somebody did not want to wait for.
func TestWhyNobodyAnswers(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler()) // for example.com and 127.0.0.1
	defer secure.Close()
	port := secure.Listener.Addr().(*net.TCPAddr).Port
	trusted := secure.Client().Transport.(*http.Transport)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupt signal received"))
	for _, tt := range []struct {
		name, base string
		ctx        context.Context
		transport  http.RoundTripper
		says       string
	}{
		{"another name", fmt.Sprintf("https://localhost:%d", port), t.Context(), trusted, fmt.Sprintf("; give the name that its certificate has, as in --url https://example.com:%d", port)},
		{"an unknown authority", secure.URL, t.Context(), nil, "; name the authority of its certificate with --url-ca-file"},
		{"Ctrl-C", slow.URL, gone, nil, "stopped before " + slow.URL + " had answered: interrupt signal received"},
		{"too slow", slow.URL, t.Context(), nil, "; is the address right? If it is, see the log of that lagwatch"},
		{"nobody there", "http://127.0.0.1:1", t.Context(), nil, "connection refused; look elsewhere"},
	} {
		c := of(t, tt.base)
		c.HTTP.Transport = tt.transport
		if tt.name == "too slow" {
			c.HTTP.Timeout = 100 * time.Millisecond
		}
		if _, _, err := c.Groups(tt.ctx, ""); err == nil || !strings.HasSuffix(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}

// The user of the address is sent, and neither it nor the password shown.
func TestUser(t *testing.T) {
	lagwatch := api.New(apitest.Views()...)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); !ok || user != "ops" || password != "hunter2" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		lagwatch.ServeHTTP(w, r)
	}))
	defer server.Close()
	c := of(t, strings.Replace(server.URL, "http://", "http://ops:hunter2@", 1))
	if _, _, err := c.Groups(t.Context(), "main"); err != nil {
		t.Error(err)
	}
	if d, raw, err := c.Group(t.Context(), "refunds", ""); err != nil || d.Group.Group != "refunds" || len(raw) == 0 {
		t.Errorf("%+v, %v", d, err)
	}
	c.Base.User = url.UserPassword("ops", "hunter3")
	if _, _, err := c.Groups(t.Context(), ""); err == nil || strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), "ops") {
		t.Errorf("%v", err)
	}
}
