package collector

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// logbook is a reporter and what it has written.
type logbook struct {
	reporter
	b bytes.Buffer
}

func newLogbook() *logbook {
	l := &logbook{}
	l.log = slog.New(slog.NewTextHandler(&l.b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	return l
}

// lines returns what was written since it was last called.
func (l *logbook) lines() []string {
	text := strings.TrimSuffix(l.b.String(), "\n")
	l.b.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func (l *logbook) good(problems ...snapshot.Problem) []string {
	l.changes(&snapshot.Snapshot{Problems: problems}, nil)
	return l.lines()
}

func (l *logbook) bad(reasons ...snapshot.Reason) []string {
	s := &snapshot.Snapshot{}
	for _, r := range reasons {
		s.Problems = append(s.Problems, snapshot.Problem{Stage: snapshot.StageMetadata, Reason: r, Count: 1})
	}
	l.changes(s, errors.New("no broker answers"))
	return l.lines()
}

const (
	lineDown = `level=ERROR msg="the cluster cannot be read; trying again at every interval" error="no broker answers"`
	lineUp   = `level=INFO msg="the cluster can be read again" after=`
)

// begun is a logbook after a first good poll.
func begun() *logbook {
	l := newLogbook()
	l.good()
	return l
}

func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// An outage is one line, not one at every interval; a new reason is one more.
func TestOutageIsOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := begun()
		expect(t, "first failed poll", l.bad(snapshot.ReasonTimeout, snapshot.ReasonTimeout), lineDown)
		for range 49 {
			time.Sleep(10 * time.Second)
			expect(t, "the same again", l.bad(snapshot.ReasonTimeout))
		}
		expect(t, "a new reason", l.bad(snapshot.ReasonRefused, snapshot.ReasonTimeout), lineDown)
		for range 10 {
			expect(t, "reasons that were said", l.bad(snapshot.ReasonTimeout))
			expect(t, "reasons that were said", l.bad(snapshot.ReasonRefused))
		}
		time.Sleep(10 * time.Second)
		expect(t, "recovery", l.good(), lineUp+"8m20s")
		expect(t, "all is well", l.good())
		expect(t, "another outage", l.bad(snapshot.ReasonTimeout), lineDown)
	})
}

// Another cause of the same reason is one more line, or somebody who mends a bad
// rotation of secrets would read the wrong one; other ports are no other cause.
func TestOutageThatChangesItsCause(t *testing.T) {
	l := begun()
	down := func(detail string) []string {
		l.changes(&snapshot.Snapshot{Problems: []snapshot.Problem{{Reason: snapshot.ReasonAuthentication, Detail: detail, Count: 1}}}, errors.New("no broker answers"))
		return l.lines()
	}
	expect(t, "first", down("port 4711: invalid credentials"), lineDown)
	expect(t, "the same", down("port 4712: invalid credentials"))
	expect(t, "another cause", down("password: cannot be read"), lineDown)
	expect(t, "the same", down("password: cannot be read"))
}

// A failed poll without a problem is a failed poll.
func TestFailureWithoutReason(t *testing.T) {
	l := begun()
	expect(t, "first", l.bad(), lineDown)
	expect(t, "again", l.bad())
	if got := l.good(); len(got) != 1 || !strings.HasPrefix(got[0], lineUp) {
		t.Errorf("recovery: %q", got)
	}
}

func TestFirstPollLine(t *testing.T) {
	l := newLogbook()
	expect(t, "failed", l.bad(snapshot.ReasonTimeout), lineDown)
	s := poll(0, logOf("t", 1, ends(0, 1)), groupOf("g"), groupOf("h"))
	l.changes(s, nil)
	got := l.lines()
	want := `level=INFO msg="first poll done" cluster_id=kraft-1 brokers=0 topics=1 groups=2 seconds=0.3`
	if len(got) != 2 || !strings.HasPrefix(got[0], lineUp) || got[1] != want {
		t.Errorf("first good poll: %q", got)
	}
	l.changes(s, nil)
	expect(t, "second good poll", l.lines())
}

func problemOf(group string, count int) snapshot.Problem {
	return snapshot.Problem{
		Stage: snapshot.StageFetchOffsets, Reason: snapshot.ReasonUnauthorized, Broker: snapshot.Known(int32(2)),
		Group: group, Count: count, Detail: "grant READ",
	}
}

func lineOf(group string, count int) string {
	return fmt.Sprintf(`level=WARN msg="a part of the cluster cannot be read" stage=fetch_offsets reason=unauthorized error="grant READ" count=%d broker=2 group=%s`, count, group)
}

func lineGone(gone, still int) string {
	return fmt.Sprintf(`level=INFO msg="parts of the cluster can be read again" count=%d still_unread=%d`, gone, still)
}

// A part that cannot be read is one line when that begins and one when it ends.
func TestPartsAreReportedOnce(t *testing.T) {
	l := begun()
	a, b := problemOf("a", 1), problemOf("b", 1)
	expect(t, "new", l.good(a), lineOf("a", 1))
	expect(t, "the same", l.good(a))
	expect(t, "the same with another count", l.good(problemOf("a", 7)))
	expect(t, "one more", l.good(a, b), lineOf("b", 1))
	expect(t, "one less", l.good(b), lineGone(1, 1))
	expect(t, "one for the other", l.good(a), lineOf("a", 1), lineGone(1, 1))
	expect(t, "none", l.good(), lineGone(1, 0))
	expect(t, "again", l.good(a), lineOf("a", 1))
	expect(t, "outage", l.bad(snapshot.ReasonTimeout), lineDown)
	if got := l.good(a); len(got) != 1 || !strings.HasPrefix(got[0], lineUp) {
		t.Errorf("a part that was reported before the outage is reported again: %q", got)
	}
}

// A problem that a snapshot names twice is one line.
func TestSameProblemTwice(t *testing.T) {
	l := begun()
	expect(t, "twice", l.good(problemOf("a", 1), problemOf("a", 1)), lineOf("a", 1))
}

// A problem is named by what it concerns, and by nothing else.
func TestProblemLine(t *testing.T) {
	l := begun()
	expect(t, "a broker", l.good(snapshot.Problem{Stage: snapshot.StageListGroups, Reason: snapshot.ReasonTimeout, Broker: snapshot.Known(int32(0)), Count: 1, Detail: "d"}),
		`level=WARN msg="a part of the cluster cannot be read" stage=list_groups reason=timeout error=d count=1 broker=0`)
	l = begun()
	expect(t, "a topic", l.good(snapshot.Problem{Stage: snapshot.StageMetadata, Reason: snapshot.ReasonUnauthorized, Topic: "t", Count: 3}),
		`level=WARN msg="a part of the cluster cannot be read" stage=metadata reason=unauthorized error="" count=3 topic=t`)
}

// A cluster that falls apart must not fill the disk.
func TestManyProblems(t *testing.T) {
	l := begun()
	var many []snapshot.Problem
	for i := range 1000 {
		many = append(many, problemOf(fmt.Sprintf("g%04d", i), 1))
	}
	got := l.good(many...)
	if len(got) != maxLines+1 || got[0] != lineOf("g0000", 1) ||
		!strings.HasPrefix(got[maxLines], `level=WARN msg="more parts of the cluster cannot be read" count=990 among_them="group \"g0010\" `) ||
		len(got[maxLines]) > 2000 {
		t.Errorf("%d lines: %q", len(got), got)
	}
	expect(t, "the same", l.good(many...))
	expect(t, "half of them", l.good(many[:500]...), lineGone(500, 500))
	expect(t, "none", l.good(), lineGone(500, 0))
	if got := l.good(many[:maxLines]...); len(got) != maxLines {
		t.Errorf("exactly the limit: %d lines", len(got))
	}
}

// A view without topics or groups may be one of what Kafka hides: the log says
// so, once.
func TestReportsThatNothingIsSeen(t *testing.T) {
	topics, groups := []snapshot.Topic{{Name: "t"}}, []snapshot.Group{{ID: "g"}}
	for name, test := range map[string]struct {
		view snapshot.Snapshot
		want int
	}{
		"empty":     {snapshot.Snapshot{}, 1},
		"no groups": {snapshot.Snapshot{Topics: topics}, 1},
		"no topics": {snapshot.Snapshot{Groups: groups}, 1},
		"both":      {snapshot.Snapshot{Topics: topics, Groups: groups}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l, got := newLogbook(), 0
			for range 2 {
				l.changes(&test.view, nil)
			}
			for _, line := range l.lines() {
				if strings.Contains(line, "grant DESCRIBE") {
					got++
				}
			}
			if got != test.want {
				t.Errorf("%d lines, want %d", got, test.want)
			}
		})
	}
}

// What a poll does without is said once, however often it comes and goes, and is
// nothing that "can be read again".
func TestOptionalProblemIsToldOnce(t *testing.T) {
	l := begun()
	settings := snapshot.Problem{Stage: snapshot.StageDescribeConfigs, Reason: snapshot.ReasonUnauthorized, Detail: "no", Count: 4, Optional: true}
	expect(t, "first", l.good(settings),
		`level=WARN msg="something that lagwatch can do without cannot be read; this is said once" stage=describe_configs reason=unauthorized error=no count=4`)
	expect(t, "gone", l.good())
	expect(t, "again", l.good(settings))
	settings.Reason = snapshot.ReasonTimeout
	if got := l.good(settings); len(got) != 1 {
		t.Errorf("another kind: %q", got)
	}
}
