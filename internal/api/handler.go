// Package api is the JSON API: what is known of clusters, groups and topics, read-only.
// docs/openapi.yaml describes it. An answer reads the views that are there: it asks Kafka
// nothing and waits for no poll.
package api

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/docs"
	"github.com/lagwatch/lagwatch/internal/api/document"
)

// Source has the view of a cluster.
type Source interface{ Current() *collector.View }

// Handler answers what begins with /api: the API is at [document.Root], and of all else it
// says that it is not there. Safe for concurrent use.
type Handler struct {
	sources []Source
	now     func() time.Time
}

// New returns a handler over sources of clusters with different names.
func New[S Source](sources ...S) *Handler {
	h := &Handler{now: time.Now}
	for _, s := range sources {
		h.sources = append(h.sources, s)
	}
	return h
}

// patience is for how long somebody may read an answer, which keeps a view in memory.
const patience = 30 * time.Second

// ServeHTTP answers GET and HEAD. Nothing may be kept by caches: everything is of the
// last poll.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // or all of the body is read first
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	control := http.NewResponseController(w)
	// Not every writer has deadlines; what then matters is that it ends.
	_ = control.SetWriteDeadline(time.Now().Add(patience))
	w.Header().Set("Vary", "Accept-Encoding")
	a := &answer{w: w, body: r.Method != http.MethodHead, gzip: page.Gzip(r.Header)}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		a.fail(http.StatusMethodNotAllowed, document.Error{
			Error: "the API is only read, and this is " + quoted(r.Method), Remedy: "ask with GET or HEAD",
		})
	} else {
		h.route(a, r)
	}
	if control.Flush() == nil {
		_ = control.SetWriteDeadline(time.Time{})
	}
}

// route finds what is asked for. A name is the rest of the path, whatever it has in it.
func (h *Handler) route(a *answer, r *http.Request) {
	what, rest, named := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), document.Root), "/")
	rest, err := url.PathUnescape(rest)
	if err != nil { // net/http has refused such a path
		a.bad(err)
		return
	}
	switch {
	case r.URL.Path == document.Root || r.URL.Path+"/" == document.Root:
		h.index(a, r)
	case what == "openapi.yaml" && !named:
		if _, err := parameter(r); err != nil {
			a.bad(err)
			return
		}
		a.whole("application/yaml", http.StatusOK, docs.OpenAPI())
	case what == "clusters" && !named:
		h.clusters(a, r)
	case what == "groups" && !named:
		h.groups(a, r)
	case what == "groups":
		h.group(a, r, rest)
	case what == "topics" && named:
		h.topic(a, r, rest)
	case what == "topics":
		a.fail(http.StatusNotFound, document.Error{
			Error: "there is no list of topics", Remedy: aboutTopics + "; ask for " + document.Root + "topics/{topic}",
		})
	default:
		a.fail(http.StatusNotFound, document.Error{
			Error:  "there is nothing at " + quoted(r.URL.Path),
			Remedy: "ask for " + document.Root + "clusters, groups, groups/{group} or topics/{topic}; " + document.Root + "openapi.yaml describes them",
		})
	}
}

// aboutTopics is where topics are named.
const aboutTopics = document.Root + "groups/{group} names the topics that a group reads, and the config says which are watched"

// index says what there is.
func (h *Handler) index(a *answer, r *http.Request) {
	if _, err := parameter(r); err != nil {
		a.bad(err)
		return
	}
	d := document.Index{}
	for _, path := range []string{"clusters", "groups", "groups/{group}", "topics/{topic}", "openapi.yaml"} {
		d.Paths = append(d.Paths, document.Root+path)
	}
	a.json(http.StatusOK, d)
}

func (h *Handler) clusters(a *answer, r *http.Request) {
	if _, err := parameter(r); err != nil {
		a.bad(err)
		return
	}
	d := document.Clusters{Clusters: []document.Cluster{}}
	for _, s := range h.sources {
		d.Clusters = append(d.Clusters, h.cluster(s.Current()))
	}
	a.json(http.StatusOK, d)
}

func (h *Handler) groups(a *answer, r *http.Request) {
	q, err := parseQuery(r.URL.RawQuery)
	if err != nil {
		a.bad(err)
		return
	}
	views := h.views(q.cluster)
	if views == nil {
		a.noCluster(q.cluster, h.views(""))
		return
	}
	part, total := q.choose(views)
	d := document.Groups{Total: total, Offset: q.offset, Limit: q.limit, Groups: []document.Summary{}, Clusters: []document.ClusterMoment{}}
	for _, v := range views {
		d.Clusters = append(d.Clusters, document.ClusterMoment{Cluster: name(v.Cluster), Moment: h.clusterMoment(v)})
	}
	for i := range part {
		d.Groups = append(d.Groups, part[i].summary())
	}
	a.json(http.StatusOK, d)
}

// views are those of all clusters, or of one, each taken once; nil where there is no
// such cluster.
func (h *Handler) views(cluster string) (list []*collector.View) {
	for _, s := range h.sources {
		if v := s.Current(); cluster == "" || name(v.Cluster) == cluster {
			list = append(list, v)
		}
	}
	return list
}

func (h *Handler) group(a *answer, r *http.Request, id string) {
	views, ok := h.chosen(a, r)
	if !ok {
		return
	}
	var all []string
	var found []entry
	for _, v := range views {
		for _, e := range entries(v) {
			if label := name(e.id); label == wanted(id) {
				found = append(found, e)
			} else {
				all = append(all, label)
			}
		}
	}
	if one, ok := only(a, "group", id, views, found, all, func(e entry) string { return e.view.Cluster }); ok {
		d := one.document()
		d.Moment = h.clusterMoment(one.view)
		if d.Topics == nil {
			a.json(http.StatusOK, d) // nor are its partitions known
			return
		}
		stream(a, d, "partitions", one.partitions())
	}
}

func (h *Handler) topic(a *answer, r *http.Request, id string) {
	views, ok := h.chosen(a, r)
	if !ok {
		return
	}
	type place struct {
		view  *collector.View
		topic *collector.Topic
	}
	var all []string
	var found []place
	for _, v := range views {
		for i := range v.Topics {
			if label := name(v.Topics[i].Name); label == wanted(id) {
				found = append(found, place{v, &v.Topics[i]})
			} else {
				all = append(all, label)
			}
		}
	}
	if one, ok := only(a, "topic", id, views, found, all, func(p place) string { return p.view.Cluster }); ok {
		d := logDocument(one.view, one.topic)
		d.Moment = h.clusterMoment(one.view)
		if d.PartitionCount == nil {
			a.json(http.StatusOK, d) // nor are its partitions known
			return
		}
		stream(a, d, "partitions", logPartitions(one.topic))
	}
}
