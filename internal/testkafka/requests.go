package testkafka

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"time"
)

const (
	// requestLogger logs one line for each answered request at level debug.
	requestLogger = "kafka.request.logger"
	// The two spell the same layout.
	javaTimeLayout = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"
	goTimeLayout   = "2006-01-02T15:04:05.000Z07:00"
)

// Request is one request that a broker answered, as the broker logged it.
type Request struct {
	// At is when the broker had sent the answer, to the millisecond.
	At time.Time
	// API is the request's name in Kafka's spelling: METADATA, OFFSET_FETCH, …
	API string
	// Version is the version in which the client sent it.
	Version  int
	ClientID string
	// Listener is PLAINTEXT for clients and brokers, CONTROLLER between
	// controllers.
	Listener string
	// Connection names the TCP connection: LOCAL-REMOTE-NUMBER.
	Connection string
	// Took is from receiving the request to having sent the answer.
	Took time.Duration
	// Body is the request in Kafka's JSON form.
	Body json.RawMessage
}

// Mark is a position in the request logs of all brokers. The zero Mark is their
// beginning. A Mark is never changed.
type Mark struct{ offsets map[int]int64 }

var errNoRequestLog = errors.New("counting requests: the cluster was started without Options.RequestLog")

// Requests returns what a client sent to one broker since the cluster started,
// in the order of the answers. An empty clientID means every client.
//
// A broker that is up is complete up to the last answer that the client had
// received when Requests was called: see [Cluster.RequestsSince].
func (c *Cluster) Requests(ctx context.Context, id int, clientID string) ([]Request, error) {
	if _, err := c.broker(id); err != nil {
		return nil, err
	}
	all, _, err := c.RequestsSince(ctx, Mark{}, clientID)
	return all[id], err
}

// Mark returns the position behind every request answered so far.
func (c *Cluster) Mark(ctx context.Context) (Mark, error) {
	_, mark, err := c.RequestsSince(ctx, Mark{}, "no such client")
	return mark, err
}

// RequestsSince returns by broker id what a client sent since a mark, and the
// mark to go on from. An empty clientID means every client.
//
// Brokers log after they answer, so each running broker is first sent a request
// of the package's own and its line awaited; everything answered before stands
// above it. Brokers that are down or frozen give what their logs hold.
func (c *Cluster) RequestsSince(ctx context.Context, mark Mark, clientID string) (map[int][]Request, Mark, error) {
	if !c.opts.RequestLog {
		return nil, mark, errNoRequestLog
	}
	found := map[int][]Request{}
	next := Mark{offsets: maps.Clone(mark.offsets)}
	if next.offsets == nil {
		next.offsets = map[int]int64{}
	}
	for _, b := range c.brokers {
		if err := c.fence(ctx, b, mark.offsets[b.id]); err != nil {
			return nil, mark, fmt.Errorf("reading the requests of broker %d: %w", b.id, err)
		}
		list, end, err := readRequests(b.log(), mark.offsets[b.id], clientID)
		if err != nil {
			return nil, mark, fmt.Errorf("reading the requests of broker %d: %w", b.id, err)
		}
		found[b.id], next.offsets[b.id] = list, end
	}
	return found, next, nil
}

// fence returns when the broker has logged all it answered before the call.
func (c *Cluster) fence(ctx context.Context, b *Broker, from int64) error {
	if running, frozen := b.up(); !running || frozen {
		return nil
	}
	clientID := fmt.Sprintf("testkafka-fence-%d", c.fences.Add(1))
	if _, err := askBrokers(ctx, b.Addr(), clientID); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, errors.New("no line after 10s"))
	defer cancel()
	return waitFor(ctx, 5*time.Millisecond, func() error {
		list, end, err := readRequests(b.log(), from, clientID)
		from = end
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("the log lacks request %s", clientID)
		}
		return err
	})
}

// readRequests parses the whole lines of a log from an offset on and returns
// where they end.
func readRequests(path string, from int64, clientID string) ([]Request, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, from, err
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return nil, from, err
	}
	return parseRequests(f, from, clientID)
}

func parseRequests(r io.Reader, from int64, clientID string) ([]Request, int64, error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	var list []Request
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return list, from, nil // an unfinished line is for the next time
		}
		if err != nil {
			return nil, from, err
		}
		req, ok, err := parseRequest(line, clientID)
		if err != nil {
			return nil, from, fmt.Errorf("at byte %d: %w", from, err)
		}
		from += int64(len(line))
		if ok {
			list = append(list, req)
		}
	}
}

// logged is the part of a request's log line that is read.
type logged struct {
	Header struct {
		API      string `json:"requestApiKeyName"`
		Version  int    `json:"requestApiVersion"`
		ClientID string `json:"clientId"`
	} `json:"requestHeader"`
	Body       json.RawMessage `json:"request"`
	Connection string          `json:"connection"`
	Listener   string          `json:"listener"`
	TotalMs    float64         `json:"totalTimeMs"`
}

// parseRequest reads one line: TIME [THREAD] DEBUG LOGGER - Completed
// request:JSON. Any other line, and any other client, is not ok, and neither is
// a line that ends early because its broker was killed while writing.
func parseRequest(line []byte, clientID string) (req Request, ok bool, err error) {
	head, body, found := bytes.Cut(line, []byte(requestLogger+" - Completed request:"))
	if !found || clientID != "" && !bytes.Contains(body, []byte(clientID)) {
		return Request{}, false, nil
	}
	if !bytes.HasSuffix(bytes.TrimSpace(body), []byte("}")) {
		return Request{}, false, nil
	}
	var l logged
	if err := json.Unmarshal(body, &l); err != nil {
		return Request{}, false, fmt.Errorf("request line: %w", err)
	}
	if clientID != "" && l.Header.ClientID != clientID {
		return Request{}, false, nil
	}
	stamp, _, _ := bytes.Cut(head, []byte(" "))
	at, err := time.Parse(goTimeLayout, string(stamp))
	if err != nil {
		return Request{}, false, fmt.Errorf("request line: %w", err)
	}
	return Request{
		At: at, API: l.Header.API, Version: l.Header.Version, ClientID: l.Header.ClientID,
		Listener: l.Listener, Connection: l.Connection,
		Took: time.Duration(l.TotalMs * float64(time.Millisecond)), Body: l.Body,
	}, true, nil
}
