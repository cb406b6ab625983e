package promtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Notification is what Alertmanager told a webhook, in its own format.
type Notification struct {
	At       time.Time `json:"-"` // when it arrived
	To       string    `json:"-"` // the path under the pager's URL
	Receiver string    `json:"receiver"`
	Status   string    `json:"status"` // firing, or resolved where all of it is
	// GroupKey is the same for all notifications of one group of alerts.
	GroupKey    string            `json:"groupKey"`
	GroupLabels map[string]string `json:"groupLabels"`
	Alerts      []Alert           `json:"alerts"`
}

// Alert is one alert of a notification.
type Alert struct {
	Status      string            `json:"status"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
	EndsAt      time.Time         `json:"endsAt"` // zero while it fires
}

// Name is the alert's own name.
func (a Alert) Name() string { return a.Labels["alertname"] }

// Pager takes notifications and remembers them. Its methods may be called
// concurrently.
type Pager struct {
	// URL is where notifications go; what is behind it says to whom.
	URL string

	mu  sync.Mutex
	got []Notification
}

// StartPager starts a pager on a free port of the loopback interface, until the
// test ends.
func StartPager(t testing.TB) *Pager {
	p := &Pager{}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// ServeHTTP takes one notification.
func (p *Pager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := Notification{At: time.Now(), To: strings.Trim(r.URL.Path, "/")}
	if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got = append(p.got, n)
}

// Notifications are all that arrived, in that order. The caller owns the slice.
func (p *Pager) Notifications() []Notification {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}
