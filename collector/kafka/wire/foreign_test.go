package wire

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// A peer that is no Kafka broker ended the process, or took all its memory: the
// transport's own handshake was decoded by kafka-go, which trusts every size
// and count. Now nothing that a peer sends reaches that decoder.
func TestPeersThatAreNoBrokers(t *testing.T) {
	for name, says := range map[string]string{
		"negative size":          "\xff\xff\xff\xfb",
		"HTTP":                   "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
		"SSH":                    "SSH-2.0-OpenSSH_9.2\r\n",
		"Redis":                  "-ERR unknown command\r\n",
		"count without elements": "\x00\x00\x00\x0c\x00\x00\x00\x01\x00\x00\x7f\xff\xff\xff\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			n := startNode(t, Options{Timeout: time.Second}, peer(t, says))
			took := wiretest.Allocates(func() { checkFailed(t, listGroups(t, n), snapshot.ReasonMalformed) })
			if took > 8<<20 {
				t.Errorf("it took %d MiB", took>>20)
			}
		})
	}
}

// peer answers whatever it is sent with the same bytes, and keeps the
// connection.
func peer(t *testing.T, says string) string {
	t.Helper()
	return wiretest.Listen(t, func(c net.Conn) {
		b := make([]byte, 4096)
		for {
			if _, err := c.Read(b); err != nil {
				return
			}
			if _, err := io.WriteString(c, says); err != nil {
				return
			}
		}
	}).Addr
}
