package daemon

import (
	"log/slog"
	"net/http"
	"time"
)

// limits are how long a client may keep the server waiting.
type limits struct {
	request time.Duration // with all of a request
	idle    time.Duration // between two
	write   time.Duration // with taking a byte; see newServer
}

var usual = limits{request: 10 * time.Second, idle: 2 * time.Minute, write: 30 * time.Second}

// newServer returns a server of h. In HTTP/2 a handler's deadline resets its
// stream, which is a frame that waits behind whatever the connection is being
// sent; a client that reads nothing is only ended by the limit on writes. None of
// them ends an answer that is being read, or a profile that is being taken.
func newServer(h http.Handler, l limits, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: l.request,
		ReadTimeout:       l.request,
		IdleTimeout:       l.idle,
		HTTP2:             &http.HTTP2Config{WriteByteTimeout: l.write},
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
