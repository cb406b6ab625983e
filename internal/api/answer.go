package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/similar"
)

// answer writes one answer.
type answer struct {
	w    http.ResponseWriter
	body bool // HEAD has none
	gzip bool // is taken
}

// json answers with a document that is not long.
func (a *answer) json(status int, d any) {
	text, err := encode(d)
	if err != nil { // a number that JSON does not have
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written","remedy":"report it as a bug of lagwatch"}`)
	}
	a.whole("application/json", status, append(text, '\n'))
}

// whole answers with what is at hand.
func (a *answer) whole(kind string, status int, text []byte) {
	if a.gzip && len(text) >= long {
		var b bytes.Buffer
		z := a.compressed(&b)
		_, _ = z.Write(text) // memory takes all
		_ = z.Close()
		text = b.Bytes()
	}
	a.w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	a.start(kind, status)
	if a.body {
		_, _ = a.w.Write(text) // one who is gone knows
	}
}

func (a *answer) start(kind string, status int) {
	a.w.Header().Set("Content-Type", kind)
	a.w.WriteHeader(status)
}

// fail answers with an error.
func (a *answer) fail(status int, d document.Error) { a.json(status, d) }

// bad answers that the request cannot be understood.
func (a *answer) bad(err error) {
	d := document.Error{Error: err.Error(), Remedy: document.Root + "openapi.yaml has what is accepted"}
	if r := new(refusal); errors.As(err, r) {
		d.Remedy = r.remedy
	}
	a.fail(http.StatusBadRequest, d)
}

// refusal is what is wrong with a request, and what to do.
type refusal struct{ text, remedy string }

func (r refusal) Error() string { return r.text }

// encode writes a document without the escapes that only HTML needs, and without the
// end of the line.
func encode(d any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// chosen are the views in which to look for a name: those of all clusters, or of the
// one that the request names. Where there are none it has answered.
func (h *Handler) chosen(a *answer, r *http.Request) ([]*collector.View, bool) {
	cluster, err := parameter(r, "cluster")
	if err != nil {
		a.bad(err)
		return nil, false
	}
	views := h.views(cluster)
	if views == nil {
		a.noCluster(cluster, h.views(""))
	}
	return views, views != nil
}

// parameter returns the only parameter that a request may have, "" without it.
func parameter(r *http.Request, known ...string) (string, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", unreadable(err)
	}
	if err := onlyParameters(values, known); err != nil || len(known) == 0 {
		return "", err
	}
	given := values[known[0]]
	if len(given) > 1 {
		return "", repeated(known[0], len(given))
	}
	return values.Get(known[0]), nil
}

func (a *answer) noCluster(cluster string, views []*collector.View) {
	d := document.Error{Error: "there is no cluster " + quoted(cluster), Clusters: clusterNames(views)}
	d.Remedy = "name one of " + strings.Join(d.Clusters, ", ") + ", or none for all"
	a.fail(http.StatusNotFound, d)
}

func clusterNames(views []*collector.View) (names []string) {
	for _, v := range views {
		names = append(names, name(v.Cluster))
	}
	return names
}

// neverRead are the clusters of which no poll has succeeded: they may have what seems to
// be nowhere.
func neverRead(views []*collector.View) (names []string) {
	for _, v := range views {
		if v.LastSuccess.IsZero() {
			names = append(names, name(v.Cluster))
		}
	}
	return names
}

// wanted is the name that is looked for: bytes that are no text stand for what metrics
// and documents write instead.
func wanted(id string) string {
	if utf8.ValidString(id) {
		return id
	}
	return name(id)
}

// only is the only one that was found. Where there is another number of them it has
// answered: that there is none, and which names are like it, or in which clusters.
func only[T any](a *answer, kind, id string, views []*collector.View, found []T, others []string, cluster func(T) string) (one T, ok bool) {
	switch len(found) {
	case 1:
		return found[0], true
	case 0:
		d := document.Error{
			Error:   fmt.Sprintf("there is no %s %s", kind, quoted(id)),
			Remedy:  fmt.Sprintf("%s%ss lists them, and the config says which are watched", document.Root, kind),
			Similar: similar.Names(wanted(id), others, 5),
		}
		if kind == "topic" {
			d.Remedy = aboutTopics
		}
		if len(d.Similar) > 0 {
			d.Remedy = "did you mean " + strings.Join(d.Similar, ", ") + "? " + d.Remedy
		}
		if names := neverRead(views); len(names) > 0 {
			d.Remedy = "not read yet is " + strings.Join(names, ", ") + ": ask again later. Else " + d.Remedy
		}
		a.fail(http.StatusNotFound, d)
	default:
		d := document.Error{Error: fmt.Sprintf("%d clusters have a %s %s", len(found), kind, quoted(id))}
		for _, f := range found {
			d.Clusters = append(d.Clusters, name(cluster(f)))
		}
		d.Remedy = "add ?cluster= with one of " + strings.Join(d.Clusters, ", ")
		a.fail(http.StatusConflict, d)
	}
	return one, false
}
