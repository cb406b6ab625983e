package collector

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// limited is a story whose reporter writes to a logbook.
type limited struct {
	*story
	*logbook
	sec float64 // of the last poll
}

func newLimited(most int) *limited {
	return &limited{newStoryWith(Options{MaxSeries: most, Publish: steady}), newLogbook(), 0}
}

// after is what a poll a minute later adds to the log, with max_series set anew.
func (l *limited) after(most int, parts ...part) []string {
	return l.in(loweredEvery.Seconds(), most, parts...)
}

func (l *limited) in(sec float64, most int, parts ...part) []string {
	l.rules.maxSeries = most
	l.sec += sec
	before := l.v
	l.detail(before, l.poll(l.sec, parts...), most)
	return l.lines()
}

// lowersLine is the line that the last poll should have added.
func (l *limited) lowersLine(most, groups, fresh int, names string) string {
	return fmt.Sprintf(`%s max_series=%d series=%d groups=%d new=%d among_them="%s"`, lineLowered, most, countSeries(l.v), groups, fresh, names)
}

const (
	lineLowered = `level=WARN msg="max_series: groups are shown in less detail; lagwatch_group_detail_lowered says which"`
	lineRaised  = `level=INFO msg="max_series: all groups are shown as configured again"`
	lineOver    = `level=WARN msg="max_series: there are more series even with the least detail; leave out topics or families, or raise it"`
)

// What is lowered is said once, with names, and more only when more is lowered;
// its end is said, and so is a limit that cannot be held.
func TestReportsDetail(t *testing.T) {
	lag := func(i int) int64 { return int64(1000 * (i + 1)) }
	all := crowd(4, lag, present)
	full := countSeries(newStoryWith(Options{Publish: steady}).poll(0, all...))
	l := newLimited(full)
	expect(t, "all fit", l.after(full, all...))
	got := l.after(full-1, all...)
	expect(t, "the first", got, l.lowersLine(full-1, 1, 1, `\"group-00\" (topic)`))
	expect(t, "the same", l.after(full-1, all...))
	got = l.after(full-40, all...)
	expect(t, "more", got, l.lowersLine(full-40, 2, 1, `\"group-01\" (topic)`))
	expect(t, "one is gone", l.after(full-40, crowd(2, lag, present)...), fmt.Sprintf("%s max_series=%d series=%d", lineRaised, full-40, countSeries(l.v)))
	expect(t, "all is well", l.after(full-40, crowd(2, lag, present)...))
	few := crowd(2, lag, present)
	got = l.after(1, few...)
	expect(t, "no room at all", got, l.lowersLine(1, 2, 2, `\"group-00\" (group), \"group-01\" (group)`),
		fmt.Sprintf("%s max_series=1 series=%d", lineOver, countSeries(l.v)))
	expect(t, "still none", l.after(1, few...))
	got = l.after(countSeries(l.v), few...)
	expect(t, "just as many as there are", got)
	expect(t, "no room again", l.after(1, few...), fmt.Sprintf("%s max_series=1 series=%d", lineOver, countSeries(l.v)))
}

// Each poll that lowered other groups was a line. What is lowered within a minute
// of one is told when it is over, as far as it still is, and its end is no news
// where it was never told.
func TestReportsDetailOnceAMinute(t *testing.T) {
	lag := func(i int) int64 { return int64(1000 * (i + 1)) }
	all := crowd(6, lag, present)
	full := countSeries(newStoryWith(Options{Publish: steady}).poll(0, all...))
	l := newLimited(full)
	again := func() string { return fmt.Sprintf("%s max_series=%d series=%d", lineRaised, full*2, countSeries(l.v)) }
	got := l.in(10, full-1, all...)
	expect(t, "the first", got, l.lowersLine(full-1, 1, 1, `\"group-00\" (topic)`))
	expect(t, "three more, 10 s later", l.in(10, full-80, all...))
	expect(t, "the same, 59.9 s later", l.in(49.9, full-80, all...))
	got = l.in(0.1, full-80, all...)
	expect(t, "the minute is over", got, l.lowersLine(full-80, 4, 3, `\"group-01\" (topic), \"group-02\" (topic), \"group-03\" (topic)`))
	got = l.in(10, full*2, all...)
	expect(t, "all are raised", got, again())
	expect(t, "some are lowered", l.in(10, full-1, all...))
	expect(t, "and raised", l.in(10, full*2, all...))
	expect(t, "the minute is over, none is lowered", l.in(60, full*2, all...))
	got = l.in(60, full-1, all...)
	expect(t, "one is lowered again", got, l.lowersLine(full-1, 1, 1, `\"group-00\" (topic)`))
	expect(t, "others are lowered", l.in(10, full-80, all...))
	got = l.in(60, full-40, all...)
	expect(t, "one of them is raised", got, l.lowersLine(full-40, 3, 3, `\"group-01\" (topic), \"group-02\" (topic)`))
}

// Thousands of groups that are lowered at once are named in part.
func TestReportsFewNames(t *testing.T) {
	const groups = 60
	all := crowd(groups, func(i int) int64 { return int64(i) }, present)
	lines := newLimited(0).after(1, all...)
	if len(lines) != 2 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	names := regexp.MustCompile(`group-\d\d`).FindAllString(lines[0], -1)
	if len(names) != maxNames || !strings.Contains(lines[0], fmt.Sprintf(" groups=%d new=%d ", groups, groups)) {
		t.Errorf("%d names: %s", len(names), lines[0])
	}
	if diff := cmp.Diff("group-00", names[0]); diff != "" {
		t.Error(diff)
	}
}
