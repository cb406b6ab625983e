package kafka

import (
	"context"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"
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
			client := untapped(t, time.Second, peer(t, says))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s, err := client.Poll(testContext(t))
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Fatal("it was taken for a cluster")
			}
			checkLine(t, err.Error())
			if got := problems(s); len(got) != 1 || !strings.HasPrefix(got[0], "problem metadata malformed") {
				t.Errorf("problems %q", got)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
				t.Errorf("it took %d MiB", grown>>20)
			}
		})
	}
}

// peer answers whatever it is sent with the same bytes, and keeps the
// connection.
func peer(t *testing.T, says string) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				b := make([]byte, 4096)
				for {
					if _, err := c.Read(b); err != nil {
						return
					}
					if _, err := io.WriteString(c, says); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}
