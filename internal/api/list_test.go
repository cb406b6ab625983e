package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/api/document"
)

// Groups are sorted by what is known, those of which it is not last, and filtered.
func TestList(t *testing.T) {
	all := []string{"main/", "main/a/b c%2Fd", "main/audit-tail", `main/bad\xffbyte`, "main/nightly-export", "main/order-fulfilment", "main/refunds", "main/shared", "west/shared", "main/unread-in-part", "main/unreadable"}
	for _, tt := range []struct {
		query string
		want  []string
		total int
	}{
		{"sort=name", all, 11},
		{"sort=name&order=desc&limit=2", []string{"main/unreadable", "main/unread-in-part"}, 11},
		{"sort=name&offset=9", all[9:], 11},
		{"sort=name&offset=100", nil, 11},
		{"limit=3", []string{"main/order-fulfilment", "main/shared", `main/bad\xffbyte`}, 11},
		{"sort=lag&order=asc&limit=3&cluster=main", []string{"main/", "main/a/b c%2Fd", "main/unread-in-part"}, 10},
		{"sort=lag&order=asc&offset=8&cluster=main", []string{"main/nightly-export", "main/unreadable"}, 10},
		{"sort=age&limit=3", []string{"main/shared", "main/order-fulfilment", "main/refunds"}, 11},
		{"sort=drain&limit=2", []string{"main/order-fulfilment", "main/refunds"}, 11},
		{"sort=headroom&limit=1", []string{"main/order-fulfilment"}, 11},
		{"sort=members&limit=2", []string{"main/order-fulfilment", "main/audit-tail"}, 11},
		{"sort=condition&limit=4", []string{"main/nightly-export", "main/shared", "main/order-fulfilment", "main/"}, 11},
		{"condition=any&sort=name", []string{"main/nightly-export", "main/order-fulfilment", "main/shared"}, 3},
		{"condition=idle_members", []string{"main/order-fulfilment"}, 1},
		{"condition=no_consumers&condition=commits_vanished&sort=name", []string{"main/nightly-export", "main/shared"}, 2},
		{"condition=none&cluster=west", []string{"west/shared"}, 1},
		{"condition=rewound", nil, 0},
		{"name=unread&sort=name", []string{"main/unread-in-part", "main/unreadable"}, 2},
		{"name=" + url.QueryEscape(`\xff`), []string{`main/bad\xffbyte`}, 1},
		{"pattern=shared", []string{"main/shared", "west/shared"}, 2},
		{"pattern=share", nil, 0},
		{"pattern=" + url.QueryEscape("a|shared|x.*"), []string{"main/shared", "west/shared"}, 2},
		{"type=share", []string{"main/refunds"}, 1},
		{"type=share&type=consumer&sort=name", []string{"main/audit-tail", "main/refunds", "west/shared"}, 3},
		{"cluster=east", nil, 0},
	} {
		t.Run(tt.query, func(t *testing.T) {
			d := get[document.Groups](t, fixed(), "/api/v1/groups?"+tt.query, http.StatusOK)
			var got []string
			for _, g := range d.Groups {
				got = append(got, g.Cluster+"/"+g.Group)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || d.Total != tt.total {
				t.Errorf("total %d, want %d (-want +got):\n%s", d.Total, tt.total, diff)
			}
		})
	}
}

// A query is read or refused, in one line that says what to do; what is read is within
// its bounds.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{"", "sort=lag&order=asc&limit=10&offset=3", "pattern=(a|b)*&name=x", "condition=any&condition=none&type=share", "a;b", "%zz", "limit=99999999999999999999", "pattern=((((((((", "pattern=(((\x00", "cluster=\x00"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := parseQuery(raw)
		if err == nil {
			if q.limit < 1 || q.limit > mostLimit || q.offset < 0 || q.offset > mostOffset {
				t.Fatalf("%q: limit %d, offset %d", raw, q.limit, q.offset)
			}
			q.choose(fixed().views(""))
			return
		}
		r := new(refusal)
		if !errors.As(err, r) || r.remedy == "" || strings.ContainsAny(err.Error()+r.remedy, "\n\r\x00") {
			t.Fatalf("%q: %v", raw, fmt.Sprintf("%q", err))
		}
	})
}
