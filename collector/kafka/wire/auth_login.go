package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

const (
	// maxLoginBytes bounds all that a broker says during a login. The longest
	// part is the list of what it speaks, about 1 kB.
	maxLoginBytes = 256 << 10
	// maxSteps bounds the challenges of a mechanism; SCRAM has two.
	maxSteps = 8

	codeIllegalSASLState = 34
)

// login authenticates one connection: SaslHandshake names the mechanism, and
// SaslAuthenticate carries its messages (KIP-43, KIP-152).
type login struct {
	rw        io.ReadWriter
	formatter *kmsg.RequestFormatter
	steps     int32 // requests sent, which number them
	user      string
	password  string // to keep it out of what a broker says
	mechanism string
}

func newLogin(rw io.ReadWriter, clientID, mechanism, user, password string) *login {
	return &login{
		rw: struct {
			io.Reader
			io.Writer
		}{&cappedReader{r: rw, left: maxLoginBytes}, rw},
		formatter: kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID)),
		mechanism: mechanism, user: user, password: password,
	}
}

// run does the whole of it. presented tells whether the broker has been sent
// anything that it may count as an attempt; lifetime is that of the session
// from the time at on, 0 for one without end.
func (l *login) run(ctx context.Context, m sasl.Mechanism) (at time.Time, lifetime time.Duration, presented bool, err error) {
	version, err := l.handshake()
	if err != nil {
		return at, 0, false, err
	}
	state, message, err := m.Start(ctx)
	if err != nil {
		return at, 0, false, l.refuse("check the user and the password", err)
	}
	for range maxSteps {
		at = time.Now()
		r, err := l.authenticate(version, message)
		if err != nil {
			return at, 0, true, err
		}
		done, next, err := state.Next(ctx, r.SASLAuthBytes)
		if err != nil {
			return at, 0, true, l.refuse("is it the right broker, and is the password the same on both sides?", err)
		}
		if done {
			return at, time.Duration(min(r.SessionLifetimeMillis, maxLifetime.Milliseconds())) * time.Millisecond, true, nil
		}
		message = next
	}
	return at, 0, true, l.refuse("is it the right broker?", fmt.Errorf("it asks on after %d messages", maxSteps))
}

// maxLifetime keeps a lifetime within a time.Duration.
const maxLifetime = 10 * 365 * 24 * time.Hour

// handshake names the mechanism, and returns the version of SaslAuthenticate
// that both sides speak.
func (l *login) handshake() (int16, error) {
	versions, err := l.versions()
	if err != nil {
		return 0, err
	}
	req := kmsg.NewPtrSASLHandshakeRequest()
	req.Mechanism = l.mechanism
	req.SetVersion(1) // 0 is followed by bytes without frames
	theirs, ok := versions[req.Key()]
	if !ok || theirs.min > 1 || theirs.max < 1 {
		return 0, fmt.Errorf("%w: the broker has no SaslHandshake 1", ErrUnsupported)
	}
	theirs, ok = versions[int16(kmsg.SASLAuthenticate)]
	if !ok || theirs.min > 2 {
		return 0, fmt.Errorf("%w: the broker has no SaslAuthenticate 0 to 2", ErrUnsupported)
	}
	body, err := l.exchange(req)
	if err != nil {
		return 0, err
	}
	r := body.(*kmsg.SASLHandshakeResponse)
	switch r.ErrorCode {
	case 0:
		return min(theirs.max, 2), nil
	case codeUnsupportedMechanism:
		return 0, l.refuse("use one that is", fmt.Errorf("the mechanism is not enabled; what is: %s", oneLine(r.SupportedMechanisms)))
	case codeIllegalSASLState:
		return 0, l.refuse("leave sasl out, or use the port of a SASL listener", errors.New("this listener has no authentication"))
	}
	return 0, l.refuse("", CodeError(r.ErrorCode))
}

// versions asks what the broker speaks, in the version that all of them know.
func (l *login) versions() (versions, error) {
	req := kmsg.NewPtrApiVersionsRequest()
	req.SetVersion(0)
	body, err := l.exchange(req)
	if err != nil {
		return nil, err
	}
	r := body.(*kmsg.ApiVersionsResponse)
	if err := CodeError(r.ErrorCode); err != nil {
		return nil, fmt.Errorf("negotiating versions: %w", err)
	}
	return newVersions(r), nil
}

// authenticate sends one message of the mechanism.
func (l *login) authenticate(version int16, message []byte) (*kmsg.SASLAuthenticateResponse, error) {
	req := kmsg.NewPtrSASLAuthenticateRequest()
	req.SASLAuthBytes = message
	req.SetVersion(version)
	body, err := l.exchange(req)
	if broken(err) {
		return nil, l.refuse("some brokers do this when user or password are wrong", errors.New("the broker closed the connection"))
	}
	if err != nil {
		return nil, err
	}
	r := body.(*kmsg.SASLAuthenticateResponse)
	if r.ErrorCode == 0 {
		return r, nil
	}
	err = CodeError(r.ErrorCode)
	if text := l.said(r.ErrorMessage); text != "" {
		err = fmt.Errorf("the broker says %.200q", text)
	}
	return nil, l.refuse("", err)
}

// said is the text of a broker, unless it repeats the password.
func (l *login) said(text *string) string {
	if text == nil || l.password != "" && strings.Contains(*text, l.password) {
		return ""
	}
	return *text
}

func (l *login) exchange(req kmsg.Request) (kmsg.Response, error) {
	l.steps++
	m, err := newExchange(l.formatter, req, l.steps, nil).RawExchange(l.rw)
	if err != nil {
		return nil, err
	}
	return m.(*message).Body, nil
}

// refuse makes an error of what went wrong with user and mechanism.
func (l *login) refuse(remedy string, err error) error {
	return Refuse(snapshot.ReasonAuthentication, remedy, fmt.Errorf("SASL %s as user %q: %w", l.mechanism, l.user, err))
}

// oneLine lists names that a broker sent.
func oneLine(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.ReplaceAll(fmt.Sprintf("%.200q", strings.Join(names[:min(len(names), 20)], ", ")), `"`, "")
}

// cappedReader fails instead of reading more than it may.
type cappedReader struct {
	r    io.Reader
	left int
}

func (c *cappedReader) Read(b []byte) (int, error) {
	if c.left == 0 {
		return 0, fmt.Errorf("%w: more than %d bytes while logging in", ErrMalformed, maxLoginBytes)
	}
	n, err := c.r.Read(b[:min(len(b), c.left)])
	c.left -= n
	return n, err
}
