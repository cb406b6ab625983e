package testkafka

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestParseRequests reads lines of a real broker of 4.4.0: a warning, requests
// of clients, of the package and of a controller, and one that was cut short.
func TestParseRequests(t *testing.T) {
	log, err := os.ReadFile("testdata/requests.log")
	if err != nil {
		t.Fatal(err)
	}
	got, end, err := parseRequests(strings.NewReader(string(log)), 100, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(100 + len(log)); end != want {
		t.Errorf("read to %d, want %d", end, want)
	}
	at := func(s string) time.Time {
		parsed, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	want := []Request{
		{At: at("2026-11-30T10:15:24.729Z"), API: "API_VERSIONS", Version: 5, ClientID: "a", Listener: "PLAINTEXT"},
		{At: at("2026-11-30T10:15:19.859Z"), API: "METADATA", Version: 1, ClientID: "testkafka-ready", Listener: "PLAINTEXT"},
		{At: at("2026-11-30T10:15:14.896Z"), API: "API_VERSIONS", Version: 5, ClientID: "raft-client-3", Listener: "CONTROLLER"},
		{At: at("2026-11-30T10:15:22.313Z"), API: "METADATA", Version: 13, ClientID: "testkafka-admin", Listener: "PLAINTEXT",
			Took: 5470 * time.Microsecond, Connection: "127.0.0.1:32833-127.0.0.1:37546-0-8",
			Body: []byte(`{"topics":[],"allowAutoTopicCreation":true,"includeTopicAuthorizedOperations":false}`)},
	}
	if diff := cmp.Diff(want[3], got[len(got)-1]); diff != "" {
		t.Errorf("last request (-want +got):\n%s", diff)
	}
	brief := cmpopts.IgnoreFields(Request{}, "Took", "Connection", "Body")
	if diff := cmp.Diff(want, got, brief); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestParseRequestsOfClient(t *testing.T) {
	log, err := os.ReadFile("testdata/requests.log")
	if err != nil {
		t.Fatal(err)
	}
	for clientID, want := range map[string]int{"a": 1, "testkafka-admin": 1, "nobody": 0, "METADATA": 0} {
		got, _, err := parseRequests(strings.NewReader(string(log)), 0, clientID)
		if err != nil || len(got) != want {
			t.Errorf("client %q: %d requests, %v; want %d", clientID, len(got), err, want)
		}
	}
}

// TestParseRequestsLeavesUnfinishedLine: a line that the broker is writing must
// be counted once, when it is whole.
func TestParseRequestsLeavesUnfinishedLine(t *testing.T) {
	log, err := os.ReadFile("testdata/requests.log")
	if err != nil {
		t.Fatal(err)
	}
	text := string(log)
	for _, cut := range []int{1, 10, 500} {
		got, end, err := parseRequests(strings.NewReader(text[:len(text)-cut]), 0, "testkafka-admin")
		if err != nil || len(got) != 0 {
			t.Errorf("cut by %d: %d requests, %v", cut, len(got), err)
		}
		got, _, err = parseRequests(strings.NewReader(text[end:]), end, "testkafka-admin")
		if err != nil || len(got) != 1 {
			t.Errorf("cut by %d, then whole: %d requests, %v", cut, len(got), err)
		}
	}
}

func TestRequestsNeedLog(t *testing.T) {
	c := &Cluster{brokers: []*Broker{{id: 1}}}
	if _, err := c.Requests(t.Context(), 1, ""); !errors.Is(err, errNoRequestLog) {
		t.Errorf("error %v", err)
	}
	if _, err := c.Requests(t.Context(), 2, ""); err == nil {
		t.Error("broker 2 of 1 has requests")
	}
}

// TestOpenLogEndsLine: the first line of a run used to be glued to what a kill
// had left of the last one.
func TestOpenLogEndsLine(t *testing.T) {
	path := t.TempDir() + "/log"
	for _, text := range []string{"whole\n", "cut", "next\n"} {
		f, err := openLog(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "whole\ncut\nnext\n" {
		t.Errorf("log is %q, %v", got, err)
	}
}
