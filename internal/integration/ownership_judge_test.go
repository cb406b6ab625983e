package integration

import (
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// judge compares every poll of a group with what its members have logged.
func (o *owning) judge() {
	o.t.Helper()
	log := o.log()
	j := judging{owning: o, log: log, moves: log.moves()}
	for _, l := range o.f.looks() {
		if g := l.group(o.group); g != nil && !l.began.After(o.last.began) {
			j.poll(l, g)
		}
	}
	j.total()
	if j.shown < len(o.changes)-1 {
		o.t.Errorf("%s: only %d polls showed a generation or epoch, while %d changes were made", o.group, j.shown, len(o.changes))
	}
	o.t.Logf("%-20s %d polls, of which %d showed a number, and %d of these when no member was about to hear of a later one", o.group, j.polls, j.shown, j.exact)
}

// heard is when all members had heard of what a coordinator said at a moment: it is
// ahead of them while a change is under way, and at the end of each they say the same.
func (o *owning) heard(at time.Time) time.Time {
	for _, mark := range o.marks {
		if !mark.Before(at) {
			return mark
		}
	}
	return at
}

// judging goes from poll to poll.
type judging struct {
	*owning
	log   *clientLog
	moves []time.Time

	before *collector.Group
	told   time.Time // when a poll began that showed the number, or nothing was counted before
	looked time.Time // when the one began that told the assignment
	first  int       // the number at first sight, as far as known
	base   int       // the first that was shown
	polls  int
	shown  int
	exact  int // shown when nothing was under way
}

func (j *judging) poll(l look, g *collector.Group) {
	j.t.Helper()
	j.polls++
	if j.before == nil {
		j.begin(&l, g)
	}
	if n, ok := g.Generation.Get(); ok && j.base == 0 {
		j.base = int(n)
	}
	j.jumps(&l, g)
	if number, ok := shows(&l, g); ok {
		j.number(&l, number)
		j.told = l.began
	}
	if g.OwnersAt.After(l.began) {
		j.looked = l.began
	}
	j.before = g
}

// begin takes the first poll as where counting begins.
func (j *judging) begin(l *look, g *collector.Group) {
	j.before, j.told, j.looked = g, l.began, l.began
	if j.first = j.log.first(); g.Generation.Known() {
		n, _ := g.Generation.Get()
		j.first = int(n)
	}
	if rebalances(g) != 0 || g.Ownership.Moved != 0 {
		j.t.Errorf(j.group+": at first sight there are %s", tally(g))
	}
}

// number checks a number that was shown: the members log it by the time at which all
// have heard of it, and none had logged a later one before the poll.
func (j *judging) number(l *look, number int) {
	j.t.Helper()
	least, most := j.log.number(l.began), j.log.number(j.heard(l.ended))
	if number < least || number > most {
		j.t.Errorf(j.group+": at %s the view shows %d, and the members log %d before and %d after", stamp(l.began), number, least, most)
	}
	j.shown++
	if least == most {
		j.exact++
	}
}

// jumps checks that a poll counted nothing that the members did not log since it was
// counted last.
func (j *judging) jumps(l *look, g *collector.Group) {
	j.t.Helper()
	heard := j.heard(l.ended)
	rounds := rebalances(g) - rebalances(j.before)
	if most := j.log.number(heard) - max(j.first, j.log.number(j.told)); rounds < 0 || rounds > most {
		j.t.Errorf(j.group+": at %s %d rebalances are counted, and the members log %d", stamp(l.began), rounds, most)
	}
	moved := int(g.Ownership.Moved) - int(j.before.Ownership.Moved)
	if most := between(j.moves, j.looked, heard); moved < 0 || moved > most {
		j.t.Errorf(j.group+": at %s %d partitions have moved, and the members log %d", stamp(l.began), moved, most)
	}
	if g.Ownership.Unstable < j.before.Ownership.Unstable {
		j.t.Errorf(j.group+": at %s the unstable time falls from %v to %v", stamp(l.began), j.before.Ownership.Unstable, g.Ownership.Unstable)
	}
}

// total checks what was counted in all: each generation and epoch since one was shown,
// and at most those before.
func (j *judging) total() {
	j.t.Helper()
	g := j.last.group(j.group)
	observed := int(g.Ownership.Rebalances[ownership.Observed])
	if want := j.log.number(j.last.ended) - j.base; rebalances(g)-observed != want || observed > j.base-j.first {
		j.t.Errorf("%s: in all there are %s; the members log %d rebalances since the first of which a poll could tell, and %d before",
			j.group, tally(g), want, j.base-j.first)
	}
	least, most := len(j.moves), len(j.moves)
	if j.log.shared {
		least = least / 2
	}
	if moved := int(g.Ownership.Moved); moved < least || moved > most {
		j.t.Errorf(j.group+": in all there are %s; the members log %d moves", tally(g), most)
	}
	rounds, moved := 0, 0
	for _, r := range g.Rounds {
		rounds, moved = rounds+r.Count, moved+r.Moved
	}
	if rounds != rebalances(g) || moved != int(g.Ownership.Moved) {
		j.t.Errorf(j.group+": the list of rounds has %d rebalances and %d moves; counted are %s", rounds, moved, tally(g))
	}
}

func stamp(at time.Time) string { return at.Format("15:04:05.000") }
