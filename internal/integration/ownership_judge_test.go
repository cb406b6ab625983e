package integration

import (
	"time"

	"github.com/lagwatch/lagwatch/collector"
)

// judge compares every poll of a group with what its members have logged.
func (o *owning) judge(end look) {
	o.t.Helper()
	log := o.log()
	j := judging{owning: o, log: log, moves: log.moves()}
	for _, l := range o.f.looks() {
		if g := l.group(o.group); g != nil && !l.began.After(end.began) {
			j.poll(l, g)
		}
	}
	j.total(&end)
	if j.shown == 0 || j.exact*2 < j.shown {
		o.t.Errorf("only %d of %d polls that showed a generation or epoch came when all members had heard of it", j.exact, j.shown)
	}
	o.t.Logf("%d polls, of which %d showed a number and %d that of all members at that time", j.polls, j.shown, j.exact)
}

// judging goes from poll to poll.
type judging struct {
	*owning
	log   *clientLog
	moves []time.Time

	before *collector.Group
	told   time.Time // when a poll began that showed the number, or nothing was counted before
	looked time.Time // when the one began that told the assignment
	first  int       // the number at first sight
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
		j.t.Errorf("at first sight there are %s", tally(g))
	}
}

// number checks a number that was shown: the members log it by the time at which all
// could have heard of it, and none logged a later one before the poll.
func (j *judging) number(l *look, number int) {
	j.t.Helper()
	least, most := j.log.number(l.began), j.log.number(l.ended.Add(hearing))
	if number < least || number > most {
		j.t.Errorf("at %s the view shows %d, and the members log %d before and %d after", stamp(l.began), number, least, most)
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
	heard := l.ended.Add(hearing)
	rounds := rebalances(g) - rebalances(j.before)
	if most := j.log.number(heard) - max(j.first, j.log.number(j.told)); rounds < 0 || rounds > most {
		j.t.Errorf("at %s %d rebalances are counted, and the members log %d", stamp(l.began), rounds, most)
	}
	moved := int(g.Ownership.Moved) - int(j.before.Ownership.Moved)
	if most := between(j.moves, j.looked, heard); moved < 0 || moved > most {
		j.t.Errorf("at %s %d partitions have moved, and the members log %d", stamp(l.began), moved, most)
	}
	if g.Ownership.Unstable < j.before.Ownership.Unstable {
		j.t.Errorf("at %s the unstable time falls from %v to %v", stamp(l.began), j.before.Ownership.Unstable, g.Ownership.Unstable)
	}
}

// total checks what was counted in all.
func (j *judging) total(end *look) {
	j.t.Helper()
	g := end.group(j.group)
	if want := j.log.number(end.ended) - j.first; rebalances(g) != want {
		j.t.Errorf("in all there are %s; the members log %d rebalances", tally(g), want)
	}
	least, most := len(j.moves), len(j.moves)
	if j.log.shared {
		least = least / 2
	}
	if moved := int(g.Ownership.Moved); moved < least || moved > most {
		j.t.Errorf("in all there are %s; the members log %d moves", tally(g), most)
	}
	rounds, moved := 0, 0
	for _, r := range g.Rounds {
		rounds, moved = rounds+r.Count, moved+r.Moved
	}
	if rounds != rebalances(g) || moved != int(g.Ownership.Moved) {
		j.t.Errorf("the list of rounds has %d rebalances and %d moves; counted are %s", rounds, moved, tally(g))
	}
}

func stamp(at time.Time) string { return at.Format("15:04:05.000") }
