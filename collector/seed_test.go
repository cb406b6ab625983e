package collector

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// archive is a poller that knows when records arrived: those of every partition
// came evenly, one every so often, and the last at second 0. It is asked; it polls
// nothing.
type archive struct {
	pollFunc
	every time.Duration
	last  int64
	mute  map[string]bool // topics of which it does not tell
	each  time.Duration   // that a look-up takes

	rounds [][]snapshot.TimeQuestion
}

func (a *archive) Times(ctx context.Context, list []snapshot.TimeQuestion) []snapshot.TimeAnswer {
	a.rounds = append(a.rounds, list)
	answers := make([]snapshot.TimeAnswer, len(list))
	select {
	case <-time.After(a.each * time.Duration(len(list))):
	case <-ctx.Done():
		return answers
	}
	for i, q := range list {
		answers[i].Known = !a.mute[q.Topic]
		ago := epoch.Sub(q.Asked)
		if offset := a.last - int64(ago/a.every); ago >= 0 && answers[i].Known {
			answers[i].Found, answers[i].Offset = true, max(0, offset)
			answers[i].Stamp = epoch.Add(-time.Duration(a.last-answers[i].Offset) * a.every).Truncate(time.Millisecond)
			if answers[i].Stamp.Before(q.Asked) {
				answers[i].Stamp = q.Asked
			}
		}
	}
	return answers
}

func (a *archive) questions() (n int) {
	for _, r := range a.rounds {
		n += len(r)
	}
	return n
}

// old is an archive with a record a second for 30 hours.
func old() *archive { return &archive{every: time.Second, last: 108_000} }

// behind is a group that has not read for some hours, on partitions of the archive.
func (a *archive) behind(group, topic string, hours ...float64) []part {
	var logs []snapshot.Partition
	var offsets []int64
	for _, h := range hours {
		logs, offsets = append(logs, ends(0, a.last+1)), append(offsets, a.last-int64(3600*h))
	}
	return parts(logOf(topic, 1, logs...), kept(topic), groupOf(group, members(), commits(on(topic, offsets...))))
}

// After a start nobody knew how old the lag of a group was that had stopped long
// before, until the history was as long.
func TestSeed(t *testing.T) {
	a := old()
	w := storyOf(a, Options{Seed: true})
	all := a.behind("g", "t", 20, 0.5, 29)
	v := w.poll(0, all...)
	got := published(v)
	for series, want := range map[string]float64{
		"group_partition_lag_age_seconds g t 0": 72_000, "group_partition_lag_age_seconds g t 1": 1800, "group_lag_age_seconds g": 104_400,
	} {
		if n, ok := got[series]; !ok || math.Abs(n-want) > interval.Seconds() {
			t.Errorf("%s = %v, %v after one poll; want %v", series, n, ok, want)
		}
	}
	if n := a.questions(); n > 3*seedRounds {
		t.Errorf("%d questions about three partitions", n)
	}
	if got["group_complete g"] != 1 || got["polls_total complete"] != 1 {
		t.Error("the poll is not complete")
	}
	asked := a.questions()
	v = w.poll(10, all...)
	if n := published(v)["group_lag_age_seconds g"]; math.Abs(n-104_410) > interval.Seconds() || a.questions() != asked {
		t.Errorf("ten seconds later %v, and %d more questions", n, a.questions()-asked)
	}
}

// Whoever must not be asked is not: where it is off, topics whose older records may
// be in remote storage, and partitions without a leader or without a lag.
func TestSeedSpares(t *testing.T) {
	remote := func(is snapshot.Maybe[snapshot.TopicConfig]) part {
		return func(s *snapshot.Snapshot) { s.Topics[0].Config = is }
	}
	for _, tt := range []struct {
		name  string
		off   bool
		parts func(a *archive) []part
	}{
		{"nobody where it is off", true, func(a *archive) []part { return a.behind("g", "t", 20) }},
		{"topics in remote storage", false, func(a *archive) []part {
			return append(a.behind("g", "t", 20), remote(snapshot.Known(snapshot.TopicConfig{Delete: true, Remote: snapshot.Known(true)})))
		}},
		{"topics that may be", false, func(a *archive) []part {
			return append(a.behind("g", "t", 20), remote(snapshot.Known(snapshot.TopicConfig{Delete: true})))
		}},
		{"topics of which nothing is known", false, func(a *archive) []part {
			return append(a.behind("g", "t", 20), remote(snapshot.Maybe[snapshot.TopicConfig]{}))
		}},
		{"those without a lag", false, func(a *archive) []part {
			return parts(logOf("t", 1, ends(0, 10)), kept("t"), groupOf("g", members(), commits(on("t", 10))))
		}},
		{"those without a leader", false, func(a *archive) []part {
			return append(a.behind("g", "t", 20), func(s *snapshot.Snapshot) { s.Topics[0].Partitions[0].Leader = snapshot.Maybe[int32]{} })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := old()
			v := storyOf(a, Options{Seed: !tt.off}).poll(0, tt.parts(a)...)
			if n := a.questions(); n > 0 {
				t.Errorf("%d questions", n)
			}
			if age, ok := published(v)["group_lag_age_seconds g"]; ok && age > 0 {
				t.Errorf("%v s old, says nobody", age)
			}
		})
	}
}

// A broker that does not answer is asked once a poll, and costs the others nothing.
func TestSeedWithoutAnswers(t *testing.T) {
	a := old()
	a.mute = map[string]bool{"mute": true}
	w := storyOf(a, Options{Seed: true})
	all := append(a.behind("g", "t", 20), a.behind("h", "mute", 25)...)
	v := w.poll(0, all...)
	about := func() (n int) {
		for _, r := range a.rounds {
			n += len(slices.DeleteFunc(slices.Clone(r), func(q snapshot.TimeQuestion) bool { return q.Topic != "mute" }))
		}
		return n
	}
	if n := about(); n != 1 {
		t.Errorf("asked %d times in one poll about what is not answered", n)
	}
	got := published(v)
	if _, ok := got["group_lag_age_seconds h"]; ok || math.Abs(got["group_lag_age_seconds g"]-72_000) > 10 || got["group_complete h"] != 1 {
		t.Errorf("ages %v and %v; complete %v", got["group_lag_age_seconds g"], got["group_lag_age_seconds h"], got["group_complete h"])
	}
	a.mute = nil
	if n := published(w.poll(10, all...))["group_lag_age_seconds h"]; math.Abs(n-90_010) > 10 {
		t.Errorf("%v s old once it is answered, want 90,010", n)
	}
}

// No question is asked twice at once, and few of one partition; what is asked about most
// partitions is bounded, and the greatest lags come first.
func TestSeedIsBounded(t *testing.T) { synctest.Test(t, seedIsBounded) }

func seedIsBounded(t *testing.T) {
	a := old()
	hours := make([]float64, 3*paceMost)
	for i := range hours {
		hours[i] = 1 + float64(i)/float64(len(hours))
	}
	all := a.behind("g", "t", hours...)
	w := storyOf(a, Options{Seed: true})
	v := w.poll(0, append(all, groupOf("same", members(), commits(on("t", a.last-int64(3600*hours[len(hours)-1])))))...)
	if len(a.rounds) > seedRounds {
		t.Errorf("%d rounds", len(a.rounds))
	}
	var first []int32
	for i, r := range a.rounds {
		seen, of := map[snapshot.TimeQuestion]bool{}, map[int32]int{}
		for _, q := range r {
			if of[q.Partition]++; seen[q] || of[q.Partition] > seedOfALog {
				t.Errorf("round %d asks again about partition %d", i, q.Partition)
			}
			seen[q] = true
			if i == 0 {
				first = append(first, q.Partition)
			}
		}
		if len(r) > paceMost {
			t.Errorf("round %d has %d questions to one broker", i, len(r))
		}
	}
	// The other group is as far behind on partition 0 as anyone on another. Every fifth
	// place is for anyone.
	want := []int32{1499, 0, 1498, 1497}
	if diff := cmp.Diff(want, first[:4]); diff != "" || len(first) > paceFirst {
		t.Errorf("asked first, of %d (-want +got):\n%s", len(first), diff)
	}
	if n, ok := published(v)["group_partition_lag_age_seconds g t 1499"]; !ok || math.Abs(n-3600*hours[1499]) > 10 {
		t.Errorf("the greatest lag is %v s old, %v", n, ok)
	}
	for n := 1; n < 20; n++ {
		v = w.poll(float64(10*n), all...)
	}
	for series, n := range published(v) {
		if series == "group_partition_lag_age_seconds g t 0" && math.Abs(n-3790) > 10 {
			t.Errorf("%s = %v in the end", series, n)
		}
	}
	if n := len(v.Groups[0].Topics[0].Pairs); n != len(hours) {
		t.Fatal(n)
	}
	for i := range v.Groups[0].Topics[0].Pairs {
		if !v.Groups[0].Topics[0].Pairs[i].LagAge.Known() {
			t.Fatalf("the age of partition %d is not known after 20 polls", i)
		}
	}
}

// A broker that takes long for a look-up was asked 500 questions after each poll,
// answered none in time, and delayed every view.
func TestSeedFromASlowBroker(t *testing.T) {
	for _, each := range []time.Duration{5 * time.Millisecond, 50 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			a := old()
			a.each = each
			hours := make([]float64, 600)
			for i := range hours {
				hours[i] = 1 + float64(i)/100
			}
			w := storyOf(a, Options{Seed: true})
			late, known := 0, 0
			for n := range 60 {
				began := time.Now()
				v := w.poll(float64(10*n), a.behind("g", "t", hours...)...)
				if time.Since(began) >= seedTime {
					late++
				}
				known = 0
				for i := range v.Groups[0].Topics[0].Pairs {
					known += int(truth(v.Groups[0].Topics[0].Pairs[i].LagAge.Known()))
				}
			}
			if want := min(600, int(60*time.Second/each/10)); late > 1 || known < want {
				t.Errorf("%v for each: %d views two seconds late, %d ages known, want %d", each, late, known, want)
			}
		})
	}
}

// A broker that never answers delayed every view for good.
func TestSeedGivesUpForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &slowArchive{archive: old()}
		w := storyOf(slow, Options{Seed: true})
		var asked []int
		for n := range 100 {
			before := slow.asked
			if w.poll(float64(10*n), slow.behind("g", "t", 20)...); slow.asked > before {
				asked = append(asked, n)
			}
		}
		if diff := cmp.Diff([]int{0, 2, 5, 10, 19, 36, 67, 98}, asked); diff != "" {
			t.Errorf("asked after polls (-want +got):\n%s", diff)
		}
	})
}

// Brokers are asked at the same time: a slow one was waited for after each round.
func TestSeedDoesNotWaitForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &slowTopic{quick: old(), slow: &slowArchive{archive: old()}}
		w := storyOf(a, Options{Seed: true})
		all := append(a.quick.behind("g", "t", 20), a.quick.behind("h", "slow", 20)...)
		all = append(all, func(s *snapshot.Snapshot) { s.Topics[0].Partitions[0].Leader = snapshot.Known(int32(2)) })
		got := published(w.poll(0, all...))
		if n := got["group_lag_age_seconds g"]; math.Abs(n-72_000) > 10 {
			t.Errorf("%v s old, want 72,000", n)
		}
		if _, ok := got["group_lag_age_seconds h"]; ok {
			t.Error("an age that nobody told")
		}
	})
}

// slowTopic is two brokers: that of the topic "slow" never answers.
type slowTopic struct {
	pollFunc
	quick *archive
	slow  *slowArchive
}

func (s *slowTopic) Times(ctx context.Context, list []snapshot.TimeQuestion) []snapshot.TimeAnswer {
	if list[0].Topic == "slow" {
		return s.slow.Times(ctx, list)
	}
	return s.quick.Times(ctx, list)
}

// Topics whose timestamps are not believed, with greater lags, took all places: an
// honest group was never asked about.
func TestSeedIsNotStarved(t *testing.T) {
	l := newLiar(map[string]time.Duration{"lies": 90 * 24 * time.Hour, "ok": 0})
	w := storyOf(l, Options{Seed: true})
	logs, offsets := make([]snapshot.Partition, seedPairs+1000), make([]int64, seedPairs+1000)
	for ; l.sec <= 200; l.sec += 10 {
		for i := range logs {
			logs[i], offsets[i] = ends(0, l.end()), l.last-72_000
		}
		all := parts(logOf("lies", 1, logs...), kept("lies"), groupOf("g", members(), commits(on("lies", offsets...))))
		if l.sec >= 100 { // the others were found out
			all = append(all, logOf("ok", 2, ends(0, l.end())), kept("ok"), groupOf("h", members(), commits(on("ok", l.last-36_000))))
		}
		if age, ok := published(w.poll(l.sec, all...))["group_partition_lag_age_seconds h ok 0"]; ok {
			if math.Abs(age-36_000-l.sec) > 10 {
				t.Errorf("%v s old after %v s", age, l.sec)
			}
			return
		}
	}
	t.Errorf("of unknown age after 100 s; asked %d times about the others, %d times about this", l.asked["lies"], l.asked["ok"])
}

// The wall clock is set: ages were off by as much, and then the timestamps were blamed
// for an hour. Here it is the brokers' clocks that are set, and what the seeder has
// seen of its own.
func TestSeedWhenTheClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{24 * time.Hour, -24 * time.Hour, 3 * time.Minute, -3 * time.Minute, 100 * time.Second} {
		for name, off := range map[string][2]time.Duration{"to the right time": {-by, 0}, "to the wrong time and back": {0, -by}} {
			l := newLiar(map[string]time.Duration{"t": off[0]})
			w := storyOf(l, Options{Seed: true})
			for ; l.sec <= 900; l.sec += 10 {
				if l.sec == 40 || l.sec == 120 && off[0] == 0 {
					l.off["t"] = off[1]
					w.estimates.seeds.ahead -= by
					off[1] = 0
				}
				v := w.poll(l.sec, logOf("t", 1, ends(0, l.end())), kept("t"), groupOf("g", members(), commits(on("t", l.last-72_000))))
				age, ok := published(v)["group_partition_lag_age_seconds g t 0"]
				if right := ok && math.Abs(age-72_000-l.sec) <= 10; !right && l.off["t"] == 0 {
					t.Errorf("by %v, %s: after %v s it is %v, %v", by, name, l.sec, age, ok)
					break
				}
			}
		}
	}
}

// Timestamps that had lied were believed for one poll each hour, when they got another
// chance: they were checked afterwards.
func TestSeedChecksBeforeItTells(t *testing.T) {
	for _, off := range []time.Duration{-24 * time.Hour, -10 * time.Minute, -3 * time.Minute, 10 * time.Minute} {
		l := newLiar(map[string]time.Duration{"t": off})
		w := storyOf(l, Options{Seed: true})
		for ; l.sec <= 2.5*3600; l.sec += 10 {
			v := w.poll(l.sec, logOf("t", 1, ends(0, l.end())), kept("t"), groupOf("g", members(), commits(on("t", l.last-72_000))))
			if age, ok := published(v)["group_partition_lag_age_seconds g t 0"]; ok && l.sec > 600 {
				t.Errorf("off by %v: %v s old after %v s", off, age, l.sec)
				break
			}
		}
		if l.asked["t"] < 3 {
			t.Errorf("off by %v: no other chance, %d questions", off, l.asked["t"])
		}
	}
}

// Ages of groups that replay from beyond the history came and went: a log was asked one
// question in a round, whatever the number of groups on it.
func TestSeedManyGroupsOnOneLog(t *testing.T) {
	for n, most := range map[int]int{1: 0, 5: 0, 10: 20} { // losses in 61 polls
		l := newLiar(map[string]time.Duration{"t": 0})
		w := storyOf(l, Options{Seed: true})
		gone, known := 0, map[int]bool{}
		for ; l.sec <= 600; l.sec += 10 {
			all := parts(logOf("t", 1, ends(0, l.end())), kept("t"))
			group := func(i int) (string, int64) { return fmt.Sprint("g", i), 1000 + int64(i*90_000/n) + 2*int64(l.sec) }
			for i := range n {
				name, offset := group(i)
				all = append(all, groupOf(name, members(), commits(on("t", offset))))
			}
			got := published(w.poll(l.sec, all...))
			for i := range n {
				name, offset := group(i)
				age, ok := got["group_partition_lag_age_seconds "+name+" t 0"]
				if ok && math.Abs(age-l.sec-float64(l.last-offset)) > 10 {
					t.Errorf("%v s old, want %v", age, l.sec+float64(l.last-offset))
				}
				if known[i] && !ok {
					gone++
				}
				known[i] = ok
			}
		}
		if len(known) != n || gone > most {
			t.Errorf("%d groups: an age was lost %d times; %d questions", n, gone, l.asked["t"])
		}
	}
}

// liar is brokers whose records come one a second for good, with timestamps that are
// off by so much, by topic; it is asked sec after the epoch, when the first last have
// arrived for long.
type liar struct {
	pollFunc
	sec   float64
	last  int64
	off   map[string]time.Duration
	asked map[string]int
}

func newLiar(off map[string]time.Duration) *liar {
	return &liar{last: 108_000, off: off, asked: map[string]int{}}
}

func (l *liar) end() int64 { return l.last + int64(l.sec) }

func (l *liar) Times(_ context.Context, list []snapshot.TimeQuestion) []snapshot.TimeAnswer {
	answers := make([]snapshot.TimeAnswer, len(list))
	for i, q := range list {
		l.asked[q.Topic]++
		first := epoch.Add(l.off[q.Topic] - time.Duration(l.last)*time.Second)
		offset := max(0, int64((q.Asked.Sub(first)+time.Second-1)/time.Second))
		if answers[i].Known = true; offset < l.end() {
			answers[i].Found, answers[i].Offset = true, offset
			answers[i].Stamp = first.Add(time.Duration(offset) * time.Second)
		}
	}
	return answers
}

// What is asked must not take the time of the next poll.
func TestSeedIsOverInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &slowArchive{archive: old()}
		w := storyOf(slow, Options{Seed: true})
		began := time.Now()
		w.poll(0, slow.behind("g", "t", 20)...)
		if took := time.Since(began); took != seedTime {
			t.Errorf("it took %v", took)
		}
		if slow.asked != 1 {
			t.Errorf("asked %d times, the first of which took all the time", slow.asked)
		}
	})
}

// slowArchive answers when it is told to stop.
type slowArchive struct {
	*archive
	asked int
}

func (s *slowArchive) Times(ctx context.Context, list []snapshot.TimeQuestion) []snapshot.TimeAnswer {
	s.asked++
	<-ctx.Done()
	return make([]snapshot.TimeAnswer, len(list))
}
