package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

type poller func() *snapshot.Snapshot

// Poll implements [collector.Poller].
func (p poller) Poll(context.Context) (*snapshot.Snapshot, error) { return p(), nil }

// large is a watcher that has polled one group of so many partitions.
func large(t testing.TB, partitions int) *collector.Watcher {
	now := time.Now()
	at := snapshot.InstantOf(now)
	topic, commits := snapshot.Topic{Name: "t"}, snapshot.TopicCommits{Topic: "t"}
	for i := range partitions {
		topic.Partitions = append(topic.Partitions, snapshot.Partition{
			ID: int32(i), Start: snapshot.Known(snapshot.Reading{At: at}), End: snapshot.Known(snapshot.Reading{Offset: 1000, At: at}),
		})
		commits.Partitions = append(commits.Partitions, snapshot.Commit{Partition: int32(i), Offset: snapshot.Known(int64(900))})
	}
	var members snapshot.Members
	for i := range 100 {
		m := snapshot.Member{ID: fmt.Sprintf("m-%03d", i), ClientID: "c", Subscribed: []string{"t"}, Assignment: []snapshot.TopicPartitions{{Topic: "t"}}}
		for p := i; p < partitions; p += 100 {
			m.Assignment[0].Partitions = append(m.Assignment[0].Partitions, int32(p))
		}
		members.List = append(members.List, m)
	}
	members.At, members.Assigned = now, true
	w := collector.New(poller(func() *snapshot.Snapshot {
		return &snapshot.Snapshot{Started: now, Finished: now, Topics: []snapshot.Topic{topic}, Groups: []snapshot.Group{{
			ID: "g", State: snapshot.StateStable, Members: snapshot.Known(members),
			Commits: snapshot.Known(snapshot.Commits{At: now, Topics: []snapshot.TopicCommits{commits}}),
		}}}
	}), collector.Options{Cluster: "main", Interval: 10 * time.Second})
	w.Poll(t.Context())
	return w
}

// counting counts what it is written, and the most at once.
type counting struct {
	http.ResponseWriter
	bytes, most int
}

func (c *counting) Write(p []byte) (int, error) {
	c.bytes, c.most = c.bytes+len(p), max(c.most, len(p))
	return len(p), nil
}

// A group of ten thousand partitions is all there, and is never whole in memory.
func TestLargeGroup(t *testing.T) {
	const partitions = 10_000
	h := New(large(t, partitions))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/groups/g", nil))
	var d document.GroupPartitions
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || len(d.Partitions) != partitions || len(d.Members) != 100 || *d.Members[99].Lag != 100*100 {
		t.Fatalf("%d partitions, %d members, %v", len(d.Partitions), len(d.Members), err)
	}
	owners := 0
	for _, p := range d.Partitions {
		owners += len(p.Owners)
	}
	if owners != partitions {
		t.Errorf("%d owners", owners)
	}
	var topic document.LogPartitions
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/topics/t", nil))
	if err := json.Unmarshal(w.Body.Bytes(), &topic); err != nil || len(topic.Partitions) != partitions {
		t.Errorf("%d partitions of the topic, %v", len(topic.Partitions), err)
	}
	c := &counting{ResponseWriter: httptest.NewRecorder()}
	h.ServeHTTP(c, httptest.NewRequest(http.MethodGet, "/api/v1/groups/g", nil))
	if c.bytes < 1<<20 || c.most > 128<<10 {
		t.Errorf("%d bytes, %d of them at once", c.bytes, c.most)
	}
}

// A group of many partitions was tens of megabytes, which a slow connection did not get
// before the answer was cut: it is a tenth of that where the client takes gzip, and the
// same. What is short is not compressed.
func TestLongAnswersAreCompressed(t *testing.T) {
	h := New(large(t, 10_000))
	h.now = func() time.Time { return time.Time{} }
	for _, tt := range []struct {
		target string
		long   bool
	}{{"/api/v1/groups/g", true}, {"/api/v1/topics/t", true}, {"/api/v1/openapi.yaml", true}, {"/api/v1/groups", false}, {"/api/v1/groups/x", false}} {
		plain, packed := httptest.NewRecorder(), httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodGet, tt.target, nil)
		h.ServeHTTP(plain, request)
		request.Header.Set("Accept-Encoding", "gzip")
		h.ServeHTTP(packed, request)
		if plain.Header().Get("Content-Encoding") != "" || (packed.Header().Get("Content-Encoding") == "gzip") != tt.long || packed.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %v, and %v", tt.target, plain.Header(), packed.Header())
		}
		if n := packed.Header().Get("Content-Length"); n != "" && n != strconv.Itoa(packed.Body.Len()) {
			t.Errorf("%s: %s bytes are said, and %d sent", tt.target, n, packed.Body.Len())
		}
		body, size := io.Reader(packed.Body), packed.Body.Len()
		if tt.long {
			z, err := gzip.NewReader(packed.Body)
			if err != nil {
				t.Fatal(err)
			}
			body = z
		}
		got, err := io.ReadAll(body)
		if err != nil || !bytes.Equal(got, plain.Body.Bytes()) {
			t.Errorf("%s: %d bytes, and %d where they were compressed, %v", tt.target, plain.Body.Len(), len(got), err)
		}
		if plain.Body.Len() > 1<<20 && size*10 > plain.Body.Len() {
			t.Errorf("%s: %d bytes of %d", tt.target, size, plain.Body.Len())
		}
	}
}

// A reader that is gone ends the answer.
func TestReaderIsGone(t *testing.T) {
	server := httptest.NewServer(New(large(t, 10_000)))
	defer server.Close()
	before := runtime.NumGoroutine()
	for range 3 {
		r, err := http.Get(server.URL + "/api/v1/groups/g")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Body.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
	server.CloseClientConnections()
	server.Close() // waits for all answers
	if now := runtime.NumGoroutine(); now > before+5 {
		t.Errorf("%d goroutines, %d before", now, before)
	}
}

func BenchmarkGroup(b *testing.B) {
	h := New(large(b, 10_000))
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(&counting{ResponseWriter: httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/api/v1/groups/g", nil))
	}
}
