// Package explain asks a lagwatch for what it knows, and says it in words: why a group
// lags, what proves it, and what to do next.
package explain

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/words"
)

const usualLongest = 128 << 20

// Client asks one lagwatch.
type Client struct {
	// Base is its address, like http://127.0.0.1:9742, with a user where it wants one.
	Base *url.URL
	// HTTP sends the requests; it should have a time limit, and follow no redirects.
	HTTP *http.Client
	// Elsewhere says what to try where nobody answers, or somebody else does; "" for a
	// lagwatch that is in this process.
	Elsewhere string
	// Longest is the size in bytes of the longest answer that is read; 0 is 128 MiB,
	// which is twice what a group of 100,000 partitions has.
	Longest int64
}

// Group asks for a group; cluster may be "". raw is the document as it came.
func (c *Client) Group(ctx context.Context, group, cluster string) (d *document.GroupPartitions, raw []byte, err error) {
	raw, err = c.get(ctx, document.GroupPath(group, cluster))
	if err != nil {
		return nil, nil, err
	}
	d = &document.GroupPartitions{}
	if err := json.Unmarshal(raw, d); err != nil || d.Group.Cluster == "" || d.Verdicts == nil {
		return nil, nil, c.stranger("what it answers is no group (%v)", err)
	}
	return d, raw, nil
}

// Groups asks for the groups, those with the worst conditions first; cluster may be "".
func (c *Client) Groups(ctx context.Context, cluster string) (d *document.Groups, raw []byte, err error) {
	return c.part(ctx, cluster, 0)
}

// part asks for those from one on.
func (c *Client) part(ctx context.Context, cluster string, from int) (d *document.Groups, raw []byte, err error) {
	query := url.Values{"sort": {"condition"}, "limit": {"1000"}, "offset": {strconv.Itoa(from)}}
	if cluster != "" {
		query.Set("cluster", cluster)
	}
	raw, err = c.get(ctx, document.Root+"groups?"+query.Encode())
	if err != nil {
		return nil, nil, err
	}
	d = &document.Groups{}
	if err := json.Unmarshal(raw, d); err != nil || d.Clusters == nil || d.Groups == nil {
		return nil, nil, c.stranger("what it answers is no list of groups (%v)", err)
	}
	return d, raw, nil
}

// get asks for a path of the API.
func (c *Client) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address()+path, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("the address cannot be used: %w", err)
	}
	if u := c.Base.User; u != nil {
		password, _ := u.Password()
		request.SetBasicAuth(u.Username(), password)
	}
	r, err := c.HTTP.Do(request)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	defer r.Body.Close()
	longest := cmp.Or(c.Longest, usualLongest)
	body, err := io.ReadAll(io.LimitReader(r.Body, longest+1))
	switch {
	case err != nil:
		return nil, c.unreachable(ctx, err)
	case int64(len(body)) > longest:
		return nil, c.stranger("its answer is longer than %d bytes", longest)
	case r.StatusCode != http.StatusOK:
		return nil, c.refused(r, body)
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return nil, c.stranger("it answers with %s", words.Printable(kind(r)))
	}
	return body, nil
}

// address is where the lagwatch is, without a user and an end.
func (c *Client) address() string {
	u := *c.Base
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return strings.TrimSuffix(u.String(), "/")
}

func kind(r *http.Response) string {
	if k := r.Header.Get("Content-Type"); k != "" {
		return k
	}
	return "something without a Content-Type"
}

// refused says what an answer that is no document means.
func (c *Client) refused(r *http.Response, body []byte) error {
	if r.StatusCode == http.StatusUnauthorized {
		return fmt.Errorf("%s wants a user and a password: write the user into the address, as http://USER@HOST:PORT, and the password into LAGWATCH_URL_PASSWORD or a file for --url-password-file; where that is done, they are wrong", c.address())
	}
	var d document.Error
	if json.Unmarshal(body, &d) == nil && d.Error != "" && d.Remedy != "" {
		return c.told(r.StatusCode, &d)
	}
	if r.StatusCode == http.StatusBadRequest && bytes.Contains(body, []byte("HTTPS server")) {
		return fmt.Errorf("%s speaks TLS: begin the address with https://", c.address())
	}
	return c.stranger("it answers with HTTP status %d", r.StatusCode)
}

// told is what the lagwatch itself says.
func (c *Client) told(status int, d *document.Error) error {
	text, remedy := line(d.Error), line(d.Remedy)
	switch {
	case len(d.Clusters) > 0:
		remedy = "give --cluster with one of " + list(d.Clusters)
	case len(d.Similar) > 0 && !strings.HasPrefix(remedy, "not read yet"):
		remedy = "did you mean " + list(d.Similar) + "? lagwatch explain without a group lists all that have a condition"
	}
	if status == http.StatusNotFound && c.Elsewhere != "" {
		text += " at " + c.address()
	}
	return fmt.Errorf("%s: %s", text, remedy)
}

func list(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = words.Printable(n)
	}
	return strings.Join(out, ", ")
}

// line is a text of somebody else, in one line that a terminal shows as it is.
func line(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// unreachable says why nobody answered, and what may help: where somebody is there, not
// that nobody is.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("stopped before %s had answered: %w", c.address(), context.Cause(ctx))
	}
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	remedy := c.Elsewhere
	var name x509.HostnameError
	var network net.Error
	switch {
	case strings.Contains(err.Error(), "HTTP response to HTTPS"):
		return fmt.Errorf("%s speaks no TLS: begin the address with http://", c.address())
	case errors.As(err, &name):
		remedy = "give the name that its certificate has, as in --url " + c.named(name.Certificate)
	case errors.As(err, new(x509.UnknownAuthorityError)):
		remedy = "name the authority of its certificate with --url-ca-file"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		remedy = "its certificate has to be mended"
	case errors.As(err, new(tls.AlertError)):
		remedy = "it is there, and its web config file says what it wants (tls_server_config)"
	case errors.As(err, &network) && network.Timeout():
		remedy = "is the address right? If it is, see the log of that lagwatch"
	}
	if remedy != "" {
		remedy = "; " + remedy
	}
	return fmt.Errorf("no answer from a lagwatch at %s: %w%s", c.address(), err, remedy)
}

// named is the address with a name for which its certificate is; HOST where it has none.
func (c *Client) named(cert *x509.Certificate) string {
	host := "HOST"
	switch {
	case cert == nil:
	case len(cert.DNSNames) > 0:
		host = words.Printable(cert.DNSNames[0])
	case len(cert.IPAddresses) > 0:
		host = cert.IPAddresses[0].String()
	}
	if port := c.Base.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	return "https://" + host + c.Base.Path
}

// stranger says that somebody answered who is no lagwatch, or an older one.
func (c *Client) stranger(format string, args ...any) error {
	return fmt.Errorf("%s is no lagwatch that has the JSON API: "+format+"; %s", append(append([]any{c.address()}, args...), c.Elsewhere)...)
}
