package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/lagwatch/lagwatch/internal/await"
)

// process is lagwatch serve, run in this process with its own arguments.
type process struct {
	t    *testing.T
	stop context.CancelFunc
	exit chan int
	url  string
	log  *await.Buffer
}

var listening = regexp.MustCompile(`msg="Listening on" address=(\S+)`)

func start(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p := &process{t: t, stop: cancel, exit: make(chan int, 1), log: &await.Buffer{}}
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--interval", "1s"}, args...)
	go func() { p.exit <- run(ctx, args, nil, io.Discard, p.log) }()
	t.Cleanup(func() { p.end() })
	await.Until(t, 10*time.Second, "the port to be printed", func() bool {
		m := listening.FindStringSubmatch(p.log.String())
		if m != nil {
			p.url = "http://" + m[1]
		}
		return m != nil
	})
	return p
}

// end stops the process as SIGTERM does and checks that it obeys.
func (p *process) end() {
	p.t.Helper()
	if p.stop == nil {
		return
	}
	p.stop()
	p.stop = nil
	select {
	case code := <-p.exit:
		if code != 0 {
			p.t.Errorf("exit status %d after a stop that was asked for:\n%s", code, p.log)
		}
	case <-time.After(5 * time.Second):
		p.t.Errorf("still running 5 s after SIGTERM:\n%s", p.log)
	}
}

func (p *process) get(path string) (status int, body string) {
	p.t.Helper()
	r, err := http.Get(p.url + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

func (p *process) shows(series string) bool {
	_, page := p.get("/metrics")
	return strings.Contains(page, series)
}

func (p *process) awaitSeries(series string) {
	p.t.Helper()
	await.Until(p.t, time.Minute, "series "+series, func() bool { return p.shows(series) })
}

func newFake(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(2, "orders")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestServeShowsACluster(t *testing.T) {
	p := start(t, "--brokers", newFake(t).ListenAddrs()[0], "--cluster", "east")
	await.Until(t, 10*time.Second, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == 200 })
	p.awaitSeries(`lagwatch_up{kafka_cluster="east"} 1`)
	p.awaitSeries(`lagwatch_partition_end_offset{kafka_cluster="east",topic="orders",partition="1"} 0`)
	p.awaitSeries(`lagwatch_build_info{`)
	p.awaitSeries(`go_goroutines `)
	if code, body := p.get("/"); code != 200 || !strings.Contains(body, "/metrics") {
		t.Errorf("landing page: %d %q", code, body)
	}
	if code, _ := p.get("/debug/pprof/"); code != 404 {
		t.Errorf("pprof is served without being asked for: status %d", code)
	}
	p.end()
}

func TestPprofWhenAskedFor(t *testing.T) {
	p := start(t, "--brokers", "127.0.0.1:1", "--pprof")
	if code, _ := p.get("/debug/pprof/cmdline"); code != 200 {
		t.Errorf("status %d", code)
	}
}

// Every one of these is a Kafka that is not there yet, not bad input.
func TestServeStaysUpWithoutKafka(t *testing.T) {
	tlsServer := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tlsServer.Close)
	alerting := listen(t, func(c net.Conn) { // as a TLS stack does that cannot read plaintext
		io.ReadAtLeast(c, make([]byte, 8), 8)
		c.Write([]byte{0x15, 3, 3, 0, 2, 2, 80})
	})
	silent := listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	for _, tt := range []struct {
		name, address, reason, says string
	}{
		{"nothing listens", "127.0.0.1:1", "connection_refused", "is Kafka running there"},
		{"the name does not resolve", "kafka.invalid:9092", "unresolvable", "check the host name"},
		{"TLS alert to plaintext", alerting, "tls", "set tls.enabled: true"},
		{"nobody answers", silent, "timeout", "frozen, a firewall"},
		{"TLS server that hangs up", tlsServer.Listener.Addr().String(), "unreachable", "is this a TLS or SASL listener"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, "--brokers", tt.address)
			await.Until(t, 20*time.Second, "three failed polls", func() bool { return p.shows(`lagwatch_polls_total{kafka_cluster="default",result="failed"} 3`) })
			if !p.shows(`lagwatch_up{kafka_cluster="default"} 0`) {
				t.Error("lagwatch_up is not 0")
			}
			if !p.shows(fmt.Sprintf(`lagwatch_poll_errors_total{kafka_cluster="default",stage="metadata",reason=%q} `, tt.reason)) {
				_, page := p.get("/metrics")
				t.Errorf("the reason %s is not counted:\n%s", tt.reason, grep(page, "poll_errors"))
			}
			if code, body := p.get("/-/healthy"); code != 200 {
				t.Errorf("healthy: %d %s", code, body)
			}
			if code, body := p.get("/-/ready"); code != 503 || !strings.Contains(body, tt.address) {
				t.Errorf("ready: %d %s", code, body)
			}
			if lines := grep(p.log.String(), "level=ERROR"); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, tt.says) {
				t.Errorf("the log should say once what is wrong and what to try (%q):\n%s", tt.says, lines)
			}
		})
	}
}

// listen answers each connection with handle and closes it.
func listen(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				handle(c)
			}()
		}
	}()
	return l.Addr().String()
}

func grep(text, part string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			out.WriteString(line)
		}
	}
	return out.String()
}

func TestServeIsWholeOnceKafkaComes(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	p := start(t, "--brokers", fmt.Sprintf("127.0.0.1:%d", port))
	p.awaitSeries(`lagwatch_polls_total{kafka_cluster="default",result="failed"} 1`)
	newFake(t, kfake.Ports(port))
	came := time.Now()
	p.awaitSeries(`lagwatch_up{kafka_cluster="default"} 1`)
	if took := time.Since(came); took > 2500*time.Millisecond { // one interval is 1 s
		t.Errorf("it took %v to notice", took)
	}
	if code, _ := p.get("/-/ready"); code != 200 {
		t.Errorf("ready: %d", code)
	}
	if !strings.Contains(p.log.String(), "can be read again") {
		t.Errorf("the log does not say that it is over:\n%s", p.log)
	}
}

// A scraper that reads nothing must not hold up the stop.
func TestStopIsNotHeldUpByAScraper(t *testing.T) {
	// With an interval of 1 s a request has half of that, which is little for an
	// answer of this size on a busy machine.
	p := start(t, "--interval", "10s", "--brokers", newFake(t, kfake.SeedTopics(20000, "large")).ListenAddrs()[0])
	p.awaitSeries(`lagwatch_up{kafka_cluster="default"} 1`)
	c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
	if _, err := io.ReadFull(c, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	p.end()
}

func TestWebConfigFile(t *testing.T) {
	p := start(t, "--brokers", "127.0.0.1:1", "--web-config-file", writeFile(t, "web.yaml", basicAuth))
	for _, path := range []string{"/metrics", "/api/v1/clusters", "/api/v1/openapi.yaml"} {
		if code, _ := p.get(path); code != 401 {
			t.Errorf("%s without a password: status %d", path, code)
		}
	}
}
