package wire

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// SASL says how a connection authenticates.
type SASL struct {
	// Mechanism is PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512, as Kafka writes it.
	Mechanism string
	// Credentials are asked for each connection, so that rotated ones are
	// used. Its error is shown, so it names the file and not the content. It
	// is called from many goroutines.
	Credentials func() (user, password string, err error)
}

// mechanisms makes the client's side of each mechanism, for one connection.
var mechanisms = map[string]func(user, password string) sasl.Mechanism{
	"PLAIN":         func(user, password string) sasl.Mechanism { return plain.Mechanism{Username: user, Password: password} },
	"SCRAM-SHA-256": func(user, password string) sasl.Mechanism { return scramSHA256(user, password) },
	"SCRAM-SHA-512": func(user, password string) sasl.Mechanism { return scramSHA512(user, password) },
}

// check tells whether the options can work at all.
func (s *SASL) check() error {
	if _, ok := mechanisms[s.Mechanism]; !ok {
		var known []string
		for name := range mechanisms {
			known = append(known, name)
		}
		slices.Sort(known)
		return fmt.Errorf("SASL mechanism %q is not known; use one of %s", s.Mechanism, strings.Join(known, ", "))
	}
	if s.Credentials == nil {
		return fmt.Errorf("SASL mechanism %s has no credentials; give a user and a password", s.Mechanism)
	}
	return nil
}

// start asks for the credentials and readies the mechanism.
func (s *SASL) start() (m sasl.Mechanism, user, password string, err error) {
	user, password, err = s.Credentials()
	if err == nil && strings.ContainsRune(user+password, 0) {
		err = fmt.Errorf("user or password contain a zero byte, which SASL %s cannot carry", s.Mechanism)
	}
	if err != nil {
		return nil, "", "", Refuse(snapshot.ReasonAuthentication, "put that right, the next poll reads it again", err)
	}
	return mechanisms[s.Mechanism](user, password), user, password, nil
}

// attempts sees to it that credentials which a broker has refused are not
// presented to it again in the same poll: directories lock accounts after a
// few. Safe for concurrent use.
type attempts struct {
	mu sync.Mutex
	at map[string]*attempt // by address
}

// attempt is what happened at one address in this poll.
type attempt struct {
	turn    chan struct{} // held while credentials are presented
	refused error         // read and written in turn
}

// begin starts a poll.
func (a *attempts) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = map[string]*attempt{}
}

// present runs f, which tells whether it has presented credentials, unless
// they were presented at addr in this poll without success: then it returns
// the same error again. Concurrent calls for one address take turns.
func (a *attempts) present(ctx context.Context, addr string, f func() (presented bool, err error)) error {
	a.mu.Lock()
	if a.at == nil {
		a.at = map[string]*attempt{}
	}
	t, ok := a.at[addr]
	if !ok {
		t = &attempt{turn: make(chan struct{}, 1)}
		a.at[addr] = t
	}
	a.mu.Unlock()
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-t.turn }()
	if t.refused != nil {
		return t.refused
	}
	presented, err := f()
	if presented {
		t.refused = err
	}
	return err
}

// session is how long the connections of a node may be used: a broker with
// connections.max.reauth.ms closes one that goes on after its session's end
// (KIP-368). Zero is without end. Safe for concurrent use.
type session struct {
	mu  sync.Mutex
	end time.Time // the first of them, less a margin
}

// opened notes a connection that authenticated at a time, for a lifetime; 0 is
// without end.
func (s *session) opened(at time.Time, lifetime time.Duration) {
	if lifetime <= 0 {
		return
	}
	// A tenth early, for requests that are under way and clocks that drift.
	end := at.Add(lifetime - lifetime/10)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.IsZero() || end.Before(s.end) {
		s.end = end
	}
}

// over tells whether a connection should not be used any more.
func (s *session) over(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.end.IsZero() && !now.Before(s.end)
}

// forget is for when all connections are dropped.
func (s *session) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end = time.Time{}
}
