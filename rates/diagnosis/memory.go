package diagnosis

import (
	"math"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Memory is what is remembered of a group from poll to poll: for how many polls each
// condition has held, and what was usual. The zero Memory remembers nothing. It is
// some 200 bytes while nothing is wrong, and belongs to one goroutine at a time.
type Memory struct {
	began, last snapshot.Instant // the first poll and the latest; 0 before
	states      [Conditions]state
	past        past
	trouble     *trouble // nil where nothing holds or begins to
	events      *events  // nil where there were none in the window
}

// state is what is known of one condition.
type state struct {
	// streak is in how many polls in succession it held, or did not if it is below 0;
	// unsure in how many it could not be evaluated since.
	streak int8
	unsure uint8
	shown  Verdict
}

// trouble is what is remembered of the conditions that hold or begin to.
type trouble struct {
	since    [Conditions]snapshot.Instant
	findings [Conditions]*Finding         // of those that are shown, as they were told when last seen
	seen     [Conditions]snapshot.Instant // when that was
	told     []Finding                    // in the last poll; never changed
	commands commands
}

// Observe takes in what one poll has found of the group and says what holds. A
// condition begins after it held in some polls in succession and ends after it did
// not in some, so that nothing flaps; one that cannot be evaluated stays what it was for
// some polls. A poll that is not after the one before is not taken in.
//
// Neither g nor what it points to is kept. What is returned is never changed.
func (m *Memory) Observe(g *Group, t *Thresholds) Diagnosis {
	if m.began == 0 {
		m.began = g.Now
	} else if g.Now.Sub(m.last) <= 0 {
		return m.diagnosis()
	}
	m.past.change(g, m.last)
	r := rooms.Get().(*room)
	defer r.leave()
	l := r.enter(g, t, m)
	l.begin()
	m.remember(l)
	m.last = g.Now
	var proofs [Conditions]proof
	for c := range proofs {
		proofs[c] = l.judge(Condition(c))
	}
	m.settle(l, &proofs)
	return m.diagnosis()
}

// settle decides what is shown. What ends does so before anything begins: of those
// that exclude each other there is one.
func (m *Memory) settle(l *look, proofs *[Conditions]proof) {
	for c := range proofs {
		s := &m.states[c]
		polls := l.t.Leave
		if s.shown == Holds && proofs[c].verdict == Clear { // it costs a look at others
			polls = leave(Condition(c), proofs, l.t)
		}
		s.see(proofs[c].verdict, polls, l.t.Keep)
	}
	quiet, shown := true, 0
	for c := range proofs {
		s := &m.states[c]
		if s.streak > 0 && s.shown != Holds && int(s.streak) >= enter(Condition(c), l.t) && !m.excluded(Condition(c)) {
			s.shown = Holds
		}
		quiet = quiet && s.shown != Holds && s.streak <= 0
		if s.shown == Holds {
			shown++
		}
	}
	if quiet {
		m.trouble = nil
		return
	}
	if m.trouble == nil {
		m.trouble = &trouble{}
	}
	told := make([]Finding, 0, shown)
	for c := range proofs {
		told = m.trouble.note(told, Condition(c), &m.states[c], proofs[c], l)
	}
	m.trouble.told = told
}

// see takes in a verdict. It ends what is shown after so many polls without it, or in
// which it could not be evaluated, and begins nothing.
func (s *state) see(v Verdict, leave, keep int) {
	switch v {
	case Unknown:
		s.unsure = min(s.unsure, math.MaxUint8-1) + 1
		if int(s.unsure) > min(keep, math.MaxUint8-1) {
			*s = state{unsure: s.unsure}
		}
		return
	case Holds:
		s.streak = min(max(s.streak, 0), math.MaxInt8-1) + 1
	case Clear:
		s.streak = max(min(s.streak, 0), math.MinInt8+1) - 1
		if s.shown != Holds || int(s.streak) <= -min(leave, math.MaxInt8) {
			s.shown = Clear
		}
	}
	s.unsure = 0
}

// enter is in how many polls in succession a condition must hold.
func enter(c Condition, t *Thresholds) int {
	if c == UnownedPartitions {
		return min(t.EnterUnowned, math.MaxInt8)
	}
	return min(t.Enter, math.MaxInt8)
}

// leave is in how many polls in succession a condition must not hold: in more where
// another reason for the same trouble holds in its place.
func leave(c Condition, proofs *[Conditions]proof, t *Thresholds) int {
	for _, f := range families {
		for other := f[0]; other <= min(f[1], UnderCapacity); other++ {
			if c >= f[0] && c <= f[1] && other != c && proofs[other].verdict == Holds {
				return max(t.Leave, t.Switch)
			}
		}
	}
	return t.Leave
}

// families are conditions of which one at most holds: the reasons for one trouble, and
// that it is over.
var families = [][2]Condition{{StalledGroup, StalledPartition}, {HotPartition, CatchingUp}}

// excluded tells whether another one of its family is shown.
func (m *Memory) excluded(c Condition) bool {
	for _, f := range families {
		for other := f[0]; other <= f[1]; other++ {
			if c >= f[0] && c <= f[1] && other != c && m.states[other].shown == Holds {
				return true
			}
		}
	}
	return false
}

// note takes in what proves a condition, or forgets it, and adds the finding where it is
// shown. One that is shown and was not seen in this poll stands as it was, and says of when
// that is: what else is known of the group may differ. There must be room for all that are
// shown.
func (r *trouble) note(told []Finding, c Condition, s *state, p proof, l *look) []Finding {
	switch {
	case s.streak <= 0 && s.shown != Holds:
		r.since[c], r.findings[c] = 0, nil
		return told
	case r.since[c] == 0:
		r.since[c] = l.g.Now
	}
	switch {
	case p.verdict == Holds && s.shown == Holds:
		told = append(told, l.tell(c, p, r))
		r.findings[c], r.seen[c] = &told[len(told)-1], l.g.Now
	case r.findings[c] != nil:
		f := *r.findings[c]
		f.Sentence += "; last seen so " + span(max(1, l.ago(r.seen[c]))) + " ago"
		told = append(told, f)
	}
	return told
}

// diagnosis is what is shown.
func (m *Memory) diagnosis() (d Diagnosis) {
	for c := range m.states {
		d.Verdicts[c] = m.states[c].shown
	}
	if m.trouble != nil && len(m.trouble.told) > 0 {
		d.Findings = m.trouble.told
	}
	return d
}
