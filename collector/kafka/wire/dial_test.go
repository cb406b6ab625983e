package wire

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// piped dials one end of a pipe, bounded; nothing is at the other end.
func piped(t *testing.T, limit time.Duration) (conn net.Conn, far net.Conn) {
	t.Helper()
	near, far := net.Pipe()
	ns, err := NewNodes(Options{Dial: func(context.Context, string, string) (net.Conn, error) { return near, nil }, Timeout: limit})
	must(t, err)
	conn, err = ns.connector(&session{}).Dial(t.Context(), "tcp", "kafka:9092")
	must(t, err)
	t.Cleanup(func() { _, _ = conn.Close(), far.Close() })
	return conn, far
}

// A connection without a deadline, or with a far one, still gives up at its
// limit; a nearer deadline wins; one in the past gives up at once.
func TestBoundedDeadlines(t *testing.T) {
	const limit = 5 * time.Second
	for _, test := range []struct {
		name string
		ask  func(c net.Conn)
		want time.Duration
	}{
		{"none asked for", func(net.Conn) {}, limit},
		{"cleared", func(c net.Conn) { _ = c.SetDeadline(time.Now().Add(time.Second)); _ = c.SetDeadline(time.Time{}) }, limit},
		{"an hour", func(c net.Conn) { _ = c.SetDeadline(time.Now().Add(time.Hour)) }, limit},
		{"nearer", func(c net.Conn) { _ = c.SetDeadline(time.Now().Add(2 * time.Second)) }, 2 * time.Second},
		{"past", func(c net.Conn) { _ = c.SetDeadline(time.Now().Add(-time.Second)) }, 0},
	} {
		for name, do := range map[string]func(net.Conn) error{
			"read":  func(c net.Conn) error { _, err := c.Read(make([]byte, 1)); return err },
			"write": func(c net.Conn) error { _, err := c.Write([]byte{1}); return err },
		} {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					conn, _ := piped(t, limit)
					test.ask(conn)
					started := time.Now()
					err := do(conn)
					if took := time.Since(started); took != test.want || !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Errorf("gave up after %s, not %s: %v", took, test.want, err)
					}
				})
			})
		}
	}
}

// The limit counts from each read, not from the dial: a connection that is
// kept for hours is as good as new.
func TestBoundedLimitIsOfEachRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, far := piped(t, 5*time.Second)
		<-time.After(3 * time.Hour)
		time.AfterFunc(4*time.Second, func() { _, _ = far.Write([]byte("x")) })
		if n, err := conn.Read(make([]byte, 8)); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
}

// A deadline that moves while a read waits moves that read too, as a cancelled
// exchange needs.
func TestBoundedDeadlineWhileReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _ := piped(t, time.Minute)
		time.AfterFunc(time.Second, func() { _ = conn.SetDeadline(time.Now()) })
		started := time.Now()
		_, err := conn.Read(make([]byte, 1))
		if took := time.Since(started); took != time.Second || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("gave up after %s: %v", took, err)
		}
	})
}

// Only the first bytes of a connection are looked at for TLS; later ones are
// the inside of an answer.
func TestTLSIsSniffedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, far := piped(t, time.Minute)
		alert := []byte{0x15, 3, 3, 0, 2, 2, 70}
		go func() {
			_, _ = far.Write([]byte{0, 0, 0, 9})
			_, _ = far.Write(alert)
		}()
		for range 2 {
			if _, err := conn.Read(make([]byte, 16)); err != nil {
				t.Error(err)
			}
		}
		conn, far = piped(t, time.Minute)
		go func() { _, _ = far.Write(alert) }()
		if _, err := conn.Read(make([]byte, 16)); !errors.Is(err, errTLSListener) {
			t.Errorf("%v", err)
		}
	})
}

// A dial that fails is told as it is.
func TestBoundedDialFails(t *testing.T) {
	ns, err := NewNodes(Options{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, os.ErrPermission }, Timeout: time.Second})
	must(t, err)
	_, err = ns.connector(&session{}).Dial(t.Context(), "tcp", "kafka:9092")
	if !errors.Is(err, os.ErrPermission) {
		t.Error(err)
	}
}
