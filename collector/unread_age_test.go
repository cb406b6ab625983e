package collector

import (
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// unreadPoll is a poll of a topic: of each partition the end of its log, the last stable
// offset, and what the group has committed. One without an end is not read.
type unreadPoll [][3]int64

func (p unreadPoll) parts(more ...groupPart) []part {
	var logs []snapshot.Partition
	var offsets []int64
	for _, at := range p {
		log := leaderless()
		if at[0] > 0 {
			log = stableTo(at[1], ends(0, at[0]))
		}
		logs, offsets = append(logs, log), append(offsets, at[2])
	}
	return parts(logOf("t", 1, logs...), groupOf("g", append(more, members(), commits(on("t", offsets...)))...))
}

// ended is a partition without an open transaction.
func ended(end, committed int64) [3]int64 { return [3]int64{end, end, committed} }

// Alerts go by how old unread records are. What may be markers of transactions leaves that
// at 0; what has arrived since the last commit, or is too much, does not.
func TestUnreadAge(t *testing.T) {
	const (
		asLag = "as the lag"
		zero  = "0"
		gone  = "absent"
	)
	one := func(polls ...[3]int64) (all []unreadPoll) {
		for _, p := range polls {
			all = append(all, unreadPoll{p})
		}
		return all
	}
	for name, tt := range map[string]struct {
		polls     []unreadPoll // every ten seconds; the last stands for a minute more
		committed bool         // the group reads committed records only
		want      string
	}{
		"ten since lagwatch started":             {polls: one(ended(110, 100)), want: zero},
		"eleven since then":                      {polls: one(ended(111, 100)), want: asLag},
		"one arrives":                            {polls: one(ended(105, 100), ended(106, 100)), want: asLag},
		"one arrived, and all else is read":      {polls: one(ended(105, 100), ended(106, 105)), want: zero},
		"the first records after all was read":   {polls: one(ended(100, 100), ended(102, 100)), want: asLag},
		"left by a commit":                       {polls: one(ended(100, 90), ended(104, 98)), want: zero},
		"left by a commit, and more has arrived": {polls: one(ended(100, 90), ended(104, 98), ended(105, 98)), want: asLag},
		"too much was left by a commit":          {polls: one(ended(100, 50), ended(111, 100)), want: asLag},
		"went back by more than a few":           {polls: one(ended(100, 100), ended(100, 50)), want: asLag},
		// What is beyond the last stable offset is not unread yet, and its growth no arrival.
		"before an open transaction":        {polls: one([3]int64{120, 105, 100}, [3]int64{130, 105, 100}), committed: true, want: zero},
		"a transaction ends":                {polls: one([3]int64{120, 105, 100}, [3]int64{121, 121, 100}), committed: true, want: asLag},
		"a reader of all there":             {polls: one([3]int64{108, 105, 100}, [3]int64{109, 105, 100}), want: asLag},
		"one partition of two has records":  {polls: []unreadPoll{{ended(101, 100), ended(200, 100)}}, want: asLag},
		"each of two has a marker":          {polls: []unreadPoll{{ended(101, 100), ended(202, 200)}}, want: zero},
		"another one was never read":        {polls: []unreadPoll{{ended(101, 100), {0, 0, 100}}}, want: gone},
		"another one was read, and has all": {polls: []unreadPoll{{ended(101, 100), ended(200, 200)}}, want: zero},
	} {
		t.Run(name, func(t *testing.T) {
			w, kind := newStory(), change(func(g *snapshot.Group) { g.ReadCommitted = tt.committed })
			var v *View
			for i := range len(tt.polls) + 6 {
				v = w.poll(float64(10*i), tt.polls[min(i, len(tt.polls)-1)].parts(kind)...)
			}
			e := v.Groups[0].Estimates
			age, known := e.LagAge.Get()
			if tt.want != gone && (!known || age < 50) {
				t.Fatalf("the lag is %v s old (%v)", age, known)
			}
			want := map[string]float64{asLag: age, zero: 0, gone: absent}[tt.want]
			shows(t, v, map[string]float64{"group_unread_age_seconds g": want})
		})
	}
}

// Of a share group no position is behind markers: what it has not acknowledged are records.
func TestUnreadAgeOfShareGroups(t *testing.T) {
	w := newStory()
	v := w.every(0, 60, func(float64) []part {
		return parts(logOf("t", 1, ends(0, 101)), groupOf("g", members(), shares(sharedOn("t", 1, position(100, 1)))))
	})
	age, known := v.Groups[0].Estimates.LagAge.Get()
	if !known || age < 50 {
		t.Fatalf("the lag is %v s old (%v)", age, known)
	}
	shows(t, v, map[string]float64{"group_unread_age_seconds g": age})
}

// While Kafka cannot be read, records get older and markers do not; then neither is known.
func TestUnreadAgeOfOldValues(t *testing.T) {
	w := newStory()
	see := func(sec float64, p [3]int64) *View { return w.poll(sec, unreadPoll{p}.parts()...) }
	unread := func(v *View, want float64) {
		t.Helper()
		shows(t, v, map[string]float64{"group_unread_age_seconds g": want})
	}
	see(0, ended(90, 80))
	unread(see(10, ended(101, 100)), 0)
	unread(w.fail(30), 0)
	unread(w.fail(50), absent)
	see(60, ended(101, 101))
	unread(see(70, ended(103, 101)), 7.5) // the first of two since 60.2 s, in the middle of its half
	unread(w.fail(90), 7.5+20.1)          // the end was read at 70.2 s, this poll has failed at 90.3 s
	unread(w.fail(110), absent)
}
