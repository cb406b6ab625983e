package collector

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// What one poll adds to the log is bounded: a cluster that falls apart is
// described by its first few problems, and the names and number of the rest.
const (
	maxLines = 10
	maxNames = 20
)

// reporter writes what is wrong to the log once per change. It belongs to one
// watcher's goroutine.
type reporter struct {
	log    *slog.Logger
	failed map[string]bool // causes reported since polls fail, nil while they do not
	since  time.Time
	open   map[problemID]bool
	spared map[ProblemKind]bool // kinds of optional problems that were reported
	any    bool                 // a good poll has been reported

	headlines map[string]diagnosis.Condition // as reported, by group

	lowered lowered
	over    bool // more series than there should be, as of the last poll
}

type problemID struct {
	stage  snapshot.Stage
	reason snapshot.Reason
	broker snapshot.Maybe[int32]
	group  string
	topic  string
}

func (r *reporter) changes(s *snapshot.Snapshot, err error) {
	if err != nil {
		r.failure(s, err)
		return
	}
	if r.failed != nil {
		r.log.Info("the cluster can be read again", "after", time.Since(r.since).Round(time.Second).String())
	}
	if !r.any {
		r.log.Info("first poll done", "cluster_id", s.ClusterID, "brokers", len(s.Brokers), "topics", len(s.Topics),
			"groups", len(s.Groups), "seconds", s.Finished.Sub(s.Started).Seconds())
		r.nothingSeen(s)
	}
	r.any, r.failed = true, nil
	r.partial(s.Problems)
}

// nothingSeen says what may be wrong with an empty view: Kafka leaves out what a
// client may not see, without an error.
func (r *reporter) nothingSeen(s *snapshot.Snapshot) {
	if len(s.Topics) == 0 || len(s.Groups) == 0 {
		r.log.Warn("Kafka shows no topics or no groups; where there are some, grant DESCRIBE on them to lagwatch's user, or check the filters",
			"topics", len(s.Topics), "groups", len(s.Groups))
	}
}

// failure reports a poll that read nothing: the first of a row, and one with a
// cause that the row has not had.
func (r *reporter) failure(s *snapshot.Snapshot, err error) {
	news := r.failed == nil
	if news {
		r.failed, r.since = map[string]bool{}, time.Now()
	}
	for _, p := range s.Problems {
		if p.Optional {
			continue // of a poll before
		}
		news = news || !r.failed[cause(p)]
		r.failed[cause(p)] = true
	}
	if news {
		r.log.Error("the cluster cannot be read; trying again at every interval", "error", err)
	}
}

// cause tells one reason for a failure from another: without numbers, of which
// ports change from poll to poll.
func cause(p snapshot.Problem) string {
	return p.Reason.String() + " " + strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '#'
		}
		return r
	}, p.Detail)
}

// partial reports the problems that are new, and those that are gone.
func (r *reporter) partial(problems []snapshot.Problem) {
	now := make(map[problemID]bool, len(problems))
	fresh, rest := 0, []string(nil)
	for _, p := range problems {
		if p.Optional {
			r.optional(p)
			continue
		}
		id := problemID{p.Stage, p.Reason, p.Broker, p.Group, p.Topic}
		known := now[id] || r.open[id]
		if now[id] = true; known {
			continue
		}
		if fresh++; fresh <= maxLines {
			r.log.Warn("a part of the cluster cannot be read", attributes(p)...)
		} else if len(rest) < maxNames {
			rest = append(rest, nameOf(p))
		}
	}
	if fresh > maxLines {
		r.log.Warn("more parts of the cluster cannot be read", "count", fresh-maxLines, "among_them", strings.Join(rest, ", "))
	}
	gone := 0
	for id := range r.open {
		if !now[id] {
			gone++
		}
	}
	if gone > 0 {
		r.log.Info("parts of the cluster can be read again", "count", gone, "still_unread", len(now))
	}
	r.open = now
}

// optional reports what a poll does without: once for each kind, since it comes
// and goes with how often that is read.
func (r *reporter) optional(p snapshot.Problem) {
	kind := ProblemKind{p.Stage, p.Reason}
	if r.spared[kind] {
		return
	}
	if r.spared == nil {
		r.spared = map[ProblemKind]bool{}
	}
	r.spared[kind] = true
	r.log.Warn("something that lagwatch can do without cannot be read; this is said once", attributes(p)...)
}

// nameOf says what a problem is about, and why, in a few words.
func nameOf(p snapshot.Problem) string {
	what := ""
	switch id, ok := p.Broker.Get(); {
	case p.Group != "":
		what = fmt.Sprintf("group %q", p.Group)
	case p.Topic != "":
		what = fmt.Sprintf("topic %q", p.Topic)
	case ok:
		what = fmt.Sprintf("broker %d", id)
	}
	return strings.TrimSpace(what + " " + p.Stage.String() + "/" + p.Reason.String())
}

func attributes(p snapshot.Problem) []any {
	a := []any{"stage", p.Stage.String(), "reason", p.Reason.String(), "error", p.Detail, "count", p.Count}
	if id, ok := p.Broker.Get(); ok {
		a = append(a, "broker", id)
	}
	if p.Group != "" {
		a = append(a, "group", p.Group)
	}
	if p.Topic != "" {
		a = append(a, "topic", p.Topic)
	}
	return a
}
