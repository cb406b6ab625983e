package diagnosis

import (
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// batches watches a group whose members come and leave, present and absent for some
// time each, and returns for how long no_consumers was shown in each absence.
func batches(t *testing.T, limits Thresholds, times ...[2]time.Duration) (shown []time.Duration) {
	t.Helper()
	var m Memory
	now := begin
	for _, n := range times {
		for since := time.Duration(0); since < n[0]; since += 10 * time.Second {
			g := healthy().on(moves).on(commitsEvery(10))
			now += 1e10
			g.Now = now
			check(t, m.Observe(g, &limits), g)
		}
		shown = append(shown, 0)
		for since := time.Duration(0); since < n[1]; since += 10 * time.Second {
			g := healthy().leave().on(waits(since.Seconds())).on(commitsEvery(46))
			now += 1e10
			g.Now = now
			d := m.Observe(g, &limits)
			check(t, d, g)
			if d.Verdicts[NoConsumers] == Holds {
				shown[len(shown)-1] += 10 * time.Second
			}
		}
	}
	return shown
}

// A job that drains its topic each hour and leaves was an outage for fifty of every
// sixty minutes, for ever: what it usually leaves between commits is known of its runs only.
func TestBatch(t *testing.T) {
	hourly := [2]time.Duration{5 * time.Minute, 55 * time.Minute}
	shown := batches(t, Defaults(), hourly, hourly, hourly, hourly, [2]time.Duration{5 * time.Minute, 3 * time.Hour})
	if shown[0] < 50*time.Minute || shown[1] < 50*time.Minute {
		t.Errorf("nothing is known of its habits yet, and it was shown for %v", shown)
	}
	if shown[2] > 0 || shown[3] > 0 {
		t.Errorf("shown for %v between two runs", shown[2:4])
	}
	if shown[4] < 110*time.Minute {
		t.Errorf("it did not come for three hours, and was shown for %v of them", shown[4])
	}
}

// What is configured was not asked: `gone` counted only while no usual pause was known.
func TestBatchConfigured(t *testing.T) {
	limits := Defaults()
	limits.Gone = 2 * time.Hour
	if shown := batches(t, limits, [2]time.Duration{5 * time.Minute, 110 * time.Minute}); shown[0] > 0 {
		t.Errorf("shown for %v", shown[0])
	}
}

// Outages of a group that works for longer than it is away are no habit of it.
func TestOutagesAreNoHabit(t *testing.T) {
	outage := [2]time.Duration{2 * time.Hour, time.Hour}
	for i, shown := range batches(t, Defaults(), outage, outage, outage, outage) {
		if shown < 55*time.Minute {
			t.Errorf("outage %d was shown for %v of an hour", 1+i, shown)
		}
	}
}

// So with commits of nobody's: a batch without members has a habit as well.
func TestBatchWithoutMembers(t *testing.T) {
	var m Memory
	limits := Defaults()
	var shown [4]int
	for poll := range 4 * 360 {
		g := healthy().leave().on(commitsEvery(46))
		g.ProtocolType = ""
		if n := poll % 360; n < 30 {
			g.on(moves)
		} else {
			g.on(waits(float64(10 * (n - 29))))
		}
		g.Now = begin + 1e10*(1+snapshot.Instant(poll))
		if m.Observe(g, &limits).Verdicts[NoConsumers] == Holds {
			shown[poll/360]++
		}
	}
	if shown[0] == 0 || shown[2] > 2 || shown[3] > 0 {
		t.Errorf("shown in %v polls of the four hours", shown)
	}
}

// A reset to the latest offsets amid an outage was taken for a return of the members: the
// group seemed to be one that rests twice, and its next crash was told after 36 minutes.
func TestResetAmidAnOutage(t *testing.T) {
	limits := Defaults()
	var m Memory
	const crash, again = 100, 560 // polls, of ten seconds each
	for i := range 600 {
		g := healthy().on(moves).on(commitsEvery(10))
		switch {
		case i >= again:
			g = healthy().leave().on(waits(float64(10 * (i - again)))).on(commitsEvery(10))
		case i >= crash && i < 460:
			g = healthy().leave().on(waits(float64(10 * (i - crash)))).on(commitsEvery(10))
		}
		if i == 280 {
			g.on(moves)
		}
		g.Now = begin + snapshot.Instant(i)*1e10
		if m.Observe(g, &limits).Verdicts[NoConsumers] == Holds && i >= again {
			if i > again+6 {
				t.Errorf("told after %d polls", i-again)
			}
			return
		}
	}
	t.Error("never told")
}
