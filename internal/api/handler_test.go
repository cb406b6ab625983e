package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/api/apitest"
	"github.com/lagwatch/lagwatch/internal/api/document"
)

var update = flag.Bool("update", false, "write the golden documents instead of comparing with them")

// fixed answers from views that stand still, at a time that does.
func fixed() *Handler {
	h := New(apitest.Views()...)
	h.now = func() time.Time { return apitest.Now }
	return h
}

// ask sends a request whose target is taken as it is.
func ask(t *testing.T, h http.Handler, method, target string) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w.Result()
}

// get reads an answer.
func get[T any](t *testing.T, h http.Handler, target string, status int) (d T) {
	t.Helper()
	r := ask(t, h, http.MethodGet, target)
	if r.StatusCode != status || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%s: status %d, want %d; %v", target, r.StatusCode, status, r.Header)
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return d
}

// The documents as they are written, with each member in its place.
func TestDocuments(t *testing.T) {
	for file, target := range map[string]string{
		"clusters.json":  "/api/v1/clusters",
		"groups.json":    "/api/v1/groups?cluster=main&sort=name",
		"group.json":     "/api/v1/groups/order-fulfilment",
		"share.json":     "/api/v1/groups/refunds",
		"unknown.json":   "/api/v1/groups/unreadable",
		"missing.json":   "/api/v1/groups/nightly-export",
		"rebalance.json": "/api/v1/groups/audit-tail",
		"topic.json":     "/api/v1/topics/orders",
		"ambiguous.json": "/api/v1/groups/shared",
		"absent.json":    "/api/v1/groups/order-fulfillment",
	} {
		t.Run(file, func(t *testing.T) {
			w := httptest.NewRecorder()
			fixed().ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
			var b bytes.Buffer
			if err := json.Indent(&b, w.Body.Bytes(), "", "  "); err != nil {
				t.Fatalf("%v\n%s", err, w.Body)
			}
			golden(t, file, b.String())
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got; go test -update writes it):\n%s", path, d)
	}
}

// Every group is found by the path that lists have of it, whatever bytes its id is of,
// through a real server and client.
func TestEveryGroupIsAtItsPath(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle(document.Root, fixed())
	server := httptest.NewServer(mux)
	defer server.Close()
	list := get[document.Groups](t, mux, "/api/v1/groups", http.StatusOK)
	if len(list.Groups) != 11 || list.Total != 11 {
		t.Fatalf("%d of %d groups", len(list.Groups), list.Total)
	}
	for _, g := range list.Groups {
		r, err := http.Get(server.URL + g.Path)
		if err != nil {
			t.Fatal(err)
		}
		var d document.Group
		if err := json.NewDecoder(r.Body).Decode(&d); err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("%s: %s, %v", g.Path, r.Status, err)
		}
		r.Body.Close()
		if d.Group != g.Group || d.Cluster != g.Cluster {
			t.Errorf("%s is of group %q in %s, want %q in %s", g.Path, d.Group, d.Cluster, g.Group, g.Cluster)
		}
	}
}

// Ids that are dots, nothing, or have slashes, percent signs and bytes that are no text.
func TestPathsOfIDs(t *testing.T) {
	for _, id := range []string{"", ".", "..", "...", "a/b", "/", "//", "a//b", "../x", "%", "%2F", "a b", "?x=1", "#", "a\nb", "\x00", "größe", `bad\xff`, ";&=+"} {
		mux := http.NewServeMux()
		var got []string
		mux.HandleFunc(document.Root, func(_ http.ResponseWriter, r *http.Request) {
			rest, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), document.Root+"groups/"))
			if err != nil {
				t.Error(err)
			}
			got = append(got, rest)
		})
		server := httptest.NewServer(mux)
		r, err := http.Get(server.URL + document.GroupPath(id, "c"))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		server.Close()
		if d := cmp.Diff([]string{id}, got); d != "" {
			t.Errorf("%q arrives as another (-want +got):\n%s", id, d)
		}
	}
}

// A group whose id is no text is found by its bytes, and by what stands for it.
func TestGroupOfBytes(t *testing.T) {
	for _, target := range []string{"/api/v1/groups/bad%FFbyte", `/api/v1/groups/bad%5Cxffbyte`} {
		if d := get[document.GroupPartitions](t, fixed(), target, http.StatusOK); d.Group.Group != `bad\xffbyte` {
			t.Errorf("%s: %q", target, d.Group.Group)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name, method, target string
		status               int
		says                 []string
	}{
		{"a group that is not there", "GET", "/api/v1/groups/order-fulfillment", 404, []string{`no group "order-fulfillment"`, "did you mean order-fulfilment"}},
		{"a group of a cluster that was not read yet", "GET", "/api/v1/groups/any?cluster=east", 404, []string{"not read yet is east: ask again later"}},
		{"a group that two clusters have", "GET", "/api/v1/groups/shared", 409, []string{"2 clusters", "main, west"}},
		{"a group of a cluster that is not there", "GET", "/api/v1/groups/shared?cluster=north", 404, []string{`"north"`, "main, west, east"}},
		{"a group in another cluster", "GET", "/api/v1/groups/refunds?cluster=west", 404, []string{"refunds"}},
		{"a topic that is not there", "GET", "/api/v1/topics/order", 404, []string{`no topic "order"`, "did you mean orders"}},
		{"a topic that two clusters have", "GET", "/api/v1/topics/audit", 409, []string{"main, west"}},
		{"all topics", "GET", "/api/v1/topics", 404, []string{"no list of topics", "/api/v1/groups/{group} names", "topics/{topic}"}},
		{"no topic", "GET", "/api/v1/topics/", 404, []string{`no topic ""`, "/api/v1/groups/{group} names"}},
		{"nothing", "GET", "/api/v1/x", 404, []string{"openapi.yaml"}},
		{"another version", "GET", "/api/v2/groups", 404, []string{`"/api/v2/groups"`, "/api/v1/clusters"}},
		{"no version", "GET", "/api", 404, []string{`"/api"`, "/api/v1/clusters"}},
		{"a parameter of the description", "GET", "/api/v1/openapi.yaml?x=1", 400, []string{`"x"`, "leave it out"}},
		{"a parameter of all that there is", "GET", "/api/v1?x=1", 400, []string{`"x"`, "leave it out"}},
		{"more of what has no more", "GET", "/api/v1/clusters/main", 404, []string{"clusters/main"}},
		{"another method", "POST", "/api/v1/groups", 405, []string{`"POST"`, "GET or HEAD"}},
		{"a parameter that is none", "GET", "/api/v1/groups?sorts=lag", 400, []string{`"sorts"`, "did you mean sort?"}},
		{"a parameter that is far from any", "GET", "/api/v1/groups?x=lag", 400, []string{`"x"`, "cluster, name, pattern"}},
		{"a parameter where there is none", "GET", "/api/v1/clusters?cluster=main", 400, []string{`"cluster"`, "leave it out"}},
		{"twice", "GET", "/api/v1/groups?sort=lag&sort=age", 400, []string{"sort is given 2 times", "once"}},
		{"a cluster twice", "GET", "/api/v1/groups/shared?cluster=main&cluster=west", 400, []string{"cluster is given 2 times"}},
		{"a sort that is none", "GET", "/api/v1/groups?sort=size", 400, []string{`sort: "size"`, "name, lag, age"}},
		{"an order that is none", "GET", "/api/v1/groups?order=up", 400, []string{`order: "up"`, "asc, desc"}},
		{"a condition that is none", "GET", "/api/v1/groups?condition=slow", 400, []string{`condition: "slow"`, "slow_member"}},
		{"a type that is none", "GET", "/api/v1/groups?type=unknown", 400, []string{`type: "unknown"`, "classic"}},
		{"no limit", "GET", "/api/v1/groups?limit=0", 400, []string{`limit: "0"`, "1 to 1000"}},
		{"too high a limit", "GET", "/api/v1/groups?limit=1001", 400, []string{"1 to 1000"}},
		{"a limit that is none", "GET", "/api/v1/groups?limit=1e2", 400, []string{"whole number"}},
		{"an offset below 0", "GET", "/api/v1/groups?offset=-1", 400, []string{`offset: "-1"`}},
		{"a pattern that is none", "GET", "/api/v1/groups?pattern=a(", 400, []string{`pattern: "a("`, "RE2"}},
		{"a long pattern", "GET", "/api/v1/groups?pattern=" + strings.Repeat("a", 1001), 400, []string{"at most 1000 bytes"}},
		{"a query that is none", "GET", "/api/v1/groups?name=%zz", 400, []string{"cannot be read"}},
		{"a long name", "GET", "/api/v1/groups/" + strings.Repeat("a", 5000), 404, []string{"aaa…"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			fixed().ServeHTTP(w, httptest.NewRequest(tt.method, tt.target, nil))
			var d document.Error
			if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != tt.status || d.Error == "" || d.Remedy == "" {
				t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
			}
			if text := d.Error + "; " + d.Remedy; strings.Contains(text, "\n") {
				t.Errorf("not one line: %q", text)
			} else {
				for _, want := range tt.says {
					if !strings.Contains(text, want) {
						t.Errorf("%q is not in: %s", want, text)
					}
				}
			}
			if (w.Code == 405) != (w.Header().Get("Allow") == "GET, HEAD") {
				t.Errorf("Allow: %q", w.Header().Get("Allow"))
			}
		})
	}
}

// The root was a redirect in HTML to a 404: it says what there is.
func TestIndex(t *testing.T) {
	for _, target := range []string{"/api/v1", "/api/v1/"} {
		d := get[document.Index](t, fixed(), target, http.StatusOK)
		if len(d.Paths) != 5 || d.Paths[0] != "/api/v1/clusters" {
			t.Errorf("%s: %v", target, d.Paths)
		}
	}
}

// HEAD says of an answer what GET does, without it.
func TestHead(t *testing.T) {
	for _, target := range []string{"/api/v1/clusters", "/api/v1/groups", "/api/v1/groups/refunds", "/api/v1/groups/none", "/api/v1/topics/orders", "/api/v1/openapi.yaml"} {
		head, whole := ask(t, fixed(), http.MethodHead, target), ask(t, fixed(), http.MethodGet, target)
		var b bytes.Buffer
		if _, err := b.ReadFrom(head.Body); err != nil || b.Len() > 0 || head.StatusCode != whole.StatusCode {
			t.Errorf("%s: status %d and %d bytes, want %d and none", target, head.StatusCode, b.Len(), whole.StatusCode)
		}
		if d := cmp.Diff(whole.Header, head.Header); d != "" {
			t.Errorf("%s (-GET +HEAD):\n%s", target, d)
		}
	}
}
