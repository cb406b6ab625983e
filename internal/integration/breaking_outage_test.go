//go:build breaking

package integration

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/await"
)

// aPoll is the longest time from one poll's end to the next one's: intervals
// vary by a twentieth.
const aPoll = pollInterval + pollInterval/10 + pollLimit

// derived are the families of what is read from Kafka. They may be shown for
// stale_after, and not longer.
var derived = []string{
	lagOf, committedOf, ownerOf, endOf, startOf, "lagwatch_group_lag", "lagwatch_group_topic_lag",
	"lagwatch_group_members", "lagwatch_group_idle_members", "lagwatch_group_state", "lagwatch_topic_partitions",
}

// checkUpFalls checks that up is 0 from the first failed poll on, which is the
// first or the second after the brokers went.
func checkUpFalls(t *testing.T, outage []scrape, killed time.Time, whole *page) {
	t.Helper()
	fell := slices.IndexFunc(outage, func(s scrape) bool { return s.polls("failed") > whole.polls("failed") })
	if fell < 0 {
		t.Fatal("no poll failed")
	}
	after := outage[fell].asked.Sub(killed)
	t.Logf("up fell %s after the brokers went", seconds(after))
	if after > aPoll+slack {
		t.Errorf("the first failed poll shows only %s after the brokers went", seconds(after))
	}
	for _, s := range outage {
		failed := s.polls("failed") > whole.polls("failed")
		if s.shows(1, "lagwatch_up", nil) == failed || s.shows(0, "lagwatch_up", nil) != failed {
			t.Errorf("at %s, with %d failed polls, up is %v", clock(s.asked), s.polls("failed"), s.find("lagwatch_up", nil))
		}
		for _, group := range loadGroups {
			if failed && !s.shows(0, "lagwatch_group_complete", labels{"group": group}) {
				t.Errorf("at %s group %s is not marked incomplete", clock(s.asked), group)
			}
		}
	}
}

// checkAges checks that the ages grow in step with the clock: the last success
// stands still, and the age of a group is renewed by every poll.
func checkAges(t *testing.T, outage []scrape, killed time.Time) {
	t.Helper()
	last := outage[len(outage)-1]
	success, _ := last.value("lagwatch_last_success_timestamp_seconds", nil)
	if at := time.UnixMilli(int64(success * 1000)); at.Before(killed.Add(-2*pollInterval)) || at.After(killed.Add(pollLimit+slack)) {
		t.Errorf("the last success is said to be at %s; the brokers went at %s", clock(at), clock(killed))
	}
	for _, group := range loadGroups {
		final, _ := last.value("lagwatch_group_read_age_seconds", labels{"group": group})
		checkAge(t, outage, group, last.asked.Add(-time.Duration(final*float64(time.Second))))
		t.Logf("%s: read age %.1f s at the end, %s after the brokers went", group, final, seconds(last.asked.Sub(killed)))
	}
}

// checkAge checks that the age of a group that was last read at a moment grows
// from poll to poll, and is as old as the newest poll says.
func checkAge(t *testing.T, outage []scrape, group string, read time.Time) {
	t.Helper()
	ages := map[int]float64{} // by number of polls
	for _, s := range outage {
		age, ok := s.value("lagwatch_group_read_age_seconds", labels{"group": group})
		if !ok {
			t.Fatalf("at %s the read age of %s is not known", clock(s.asked), group)
		}
		ages[s.polls("")] = age
		actual := s.asked.Sub(read)
		if off := age - actual.Seconds(); actual > 3*time.Second && (off > (aPoll+s.took).Seconds() || off < -aPoll.Seconds()) {
			t.Errorf("at %s the read age of %s is %.2f s, and should be about %.2f s", clock(s.asked), group, age, actual.Seconds())
		}
	}
	polls := slices.Sorted(maps.Keys(ages))
	for i := 2; i < len(polls); i++ { // the first poll may have been good
		if ages[polls[i]] <= ages[polls[i-1]] {
			t.Errorf("the read age of %s fell from %.2f s to %.2f s", group, ages[polls[i-1]], ages[polls[i]])
		}
	}
}

// checkGoesStale checks that what was read is there, unchanged, until it is
// stale_after old, and gone afterwards.
func checkGoesStale(t *testing.T, outage []scrape, killed time.Time, staleAfter time.Duration, whole *page) {
	t.Helper()
	// A value is up to an interval and a poll old when the brokers go; it
	// leaves the page with the first poll that finds it too old.
	kept := killed.Add(staleAfter - aPoll)
	gone := killed.Add(staleAfter + aPoll + slack)
	lastSeen := map[string]time.Time{}
	for _, s := range outage {
		for _, family := range derived {
			n, all := len(s.families[family]), len(whole.families[family])
			if n > 0 {
				lastSeen[family] = s.asked
			}
			if s.asked.Add(s.took).Before(kept) && n != all {
				t.Errorf("%s: %d of %d series %s after the brokers went", family, n, all, seconds(s.asked.Sub(killed)))
			}
			if s.asked.After(gone) && n != 0 {
				t.Errorf("%s: still %d series %s after the brokers went", family, n, seconds(s.asked.Sub(killed)))
			}
		}
	}
	for _, family := range derived {
		t.Logf("%-45s %3d series, gone after %s", family, len(whole.families[family]), seconds(lastSeen[family].Sub(killed)))
	}
}

// checkErrorsGrow checks that every failed poll is counted with its reason.
func checkErrorsGrow(t *testing.T, outage []scrape, whole *page, reason string) {
	t.Helper()
	match := labels{"stage": "metadata", "reason": reason}
	first, last := outage[0], outage[len(outage)-1]
	failed := last.polls("failed") - whole.polls("failed")
	errors := last.sum("lagwatch_poll_errors_total", match) - first.sum("lagwatch_poll_errors_total", match)
	t.Logf("%d failed polls; poll_errors_total: %s", failed, errorCounts(last.page))
	if errors < float64(failed-2) {
		t.Errorf("%v errors of %v in %d failed polls", errors, match, failed)
	}
}

func errorCounts(p *page) string {
	var parts []string
	for _, s := range p.families["lagwatch_poll_errors_total"] {
		parts = append(parts, s.labels["stage"]+"/"+s.labels["reason"]+" "+strconv.Itoa(int(s.value)))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// checkReturn waits until all of the load is back, and checks that the first
// poll that read everything brought the series back that were there before.
func checkReturn(t *testing.T, l *lagwatch, r *recorder, back time.Time, whole *page) {
	t.Helper()
	served := time.Now()
	awaitWhole(t, l, 60*time.Second)
	brokers := len(whole.families["lagwatch_broker_up"])
	// Kafka itself leaves out a broker that has not registered again.
	await.Until(t, time.Minute, "all brokers", func() bool { return len(l.page(t).families["lagwatch_broker_up"]) == brokers })
	now := time.Now()
	since := r.between(t, back, now.Add(pollInterval))
	checkAnswered(t, since)
	first := slices.IndexFunc(since, func(s scrape) bool {
		return s.shows(1, "lagwatch_up", nil) && s.complete(loadGroups...) && len(s.page.families["lagwatch_broker_up"]) == brokers
	})
	if first < 0 {
		t.Fatal("no page shows a complete poll")
	}
	p := since[first].page
	t.Logf("from the order to start: brokers serve after %s, the first complete poll shows after %s, all is back after %s; %d partial polls",
		seconds(served.Sub(back)), seconds(p.asked.Sub(back)), seconds(now.Sub(back)), p.polls("partial")-whole.polls("partial"))
	if diff := cmp.Diff(settledSeries(p, whole), settledSeries(p, p)); diff != "" {
		t.Errorf("the first complete poll brings not the series from before (-before +after):\n%s", diff)
	}
	// Members come back after their groups, and rebalance them then.
	diff := ""
	defer func() {
		if diff != "" {
			t.Logf("not the same series as before (-before +after):\n%s", diff)
		}
	}()
	await.Until(t, time.Minute, "the series from before", func() bool {
		diff = cmp.Diff(whole.series(), l.page(t).series())
		return diff == ""
	})
}

// settledSeries are the series of a page, without those about the owners of
// groups that rebalance on the page by.
func settledSeries(by, p *page) []string {
	return slices.DeleteFunc(p.series(), func(name string) bool {
		if !strings.HasPrefix(name, ownerOf) && !strings.HasPrefix(name, "lagwatch_group_idle_members") {
			return false
		}
		return slices.ContainsFunc(loadGroups, func(g string) bool {
			return g != standingGroup && !settled(by, g) && strings.Contains(name, " group="+g)
		})
	})
}

// checkLogsOnce checks that the log says once that the cluster went, once more
// where the reason became another, and once that it came back: as often as the
// page says it. That is once, unless returning brokers are too slow to answer.
func checkLogsOnce(t *testing.T, l *lagwatch, logged int, all []scrape) {
	t.Helper()
	rises := risesOf(all)
	went, came := l.log.lines(logged, `msg="the cluster cannot be read`), l.log.lines(logged, `msg="the cluster can be read again`)
	if len(came) != rises || len(went) < rises || len(went) > 2*rises {
		t.Errorf("up rose %d times; the log says %d times that the cluster went and %d times that it is back:\n%s", rises, len(went), len(came), l.log)
	}
	t.Logf("up rose %d times; %d lines logged; of the outage:\n%s", rises, len(l.log.lines(logged, "")), strings.Join(append(went, came...), "\n"))
}

// risesOf counts how often up rose from one poll to the next.
func risesOf(list []scrape) int {
	up := map[int]bool{} // by number of polls
	for _, s := range list {
		if s.err == nil {
			up[s.polls("")] = s.shows(1, "lagwatch_up", nil)
		}
	}
	rises, before := 0, true
	for _, n := range slices.Sorted(maps.Keys(up)) {
		if up[n] && !before {
			rises++
		}
		before = up[n]
	}
	return rises
}

// checkPollsEnd checks that polls follow one another at every interval, and
// end in time. What the machine made them wait for a processor comes on top.
func checkPollsEnd(t *testing.T, outage []scrape) {
	t.Helper()
	const limit = pollLimit + 100*time.Millisecond
	durations := map[int]time.Duration{} // by number of polls
	for i, s := range outage {
		took, ok := s.value("lagwatch_poll_duration_seconds", nil)
		if !ok {
			t.Errorf("at %s the page has no poll duration", clock(s.asked))
		}
		d := time.Duration(took * float64(time.Second))
		durations[s.polls("")] = d
		if s.asked.Sub(outage[0].asked) < aPoll+d {
			continue // it began before the first scrape
		}
		if starved, _ := within(outage, i, aPoll+d+s.took); d > limit+starved {
			t.Errorf("at %s a poll took %v, of which at most %v without a processor; want %v", clock(s.asked), d, starved, limit)
		}
	}
	longest, covered := time.Duration(0), time.Duration(0)
	for _, d := range durations {
		longest, covered = max(longest, d), covered+max(d, pollInterval*21/20)
	}
	last := outage[len(outage)-1]
	span, starved := last.asked.Sub(outage[0].asked), last.starvedBefore-outage[0].starvedBefore
	t.Logf("%d polls in %s, the longest of %s", len(durations), seconds(span), seconds(longest))
	if covered+2*aPoll+starved < span {
		t.Errorf("only %d polls in %s", len(durations), seconds(span))
	}
}
