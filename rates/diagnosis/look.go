package diagnosis

import (
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// look is a group at one poll: its facts, what is remembered of it, and what one walk
// over its partitions has shown.
type look struct {
	g *Group
	t *Thresholds
	m *Memory

	members []Member
	known   bool // who the members are
	sum     sum
	// standings are those of the partitions; nil where all are calm.
	standings []standing
	stall     *reason // why partitions are stopped, once it was asked
	slack     *reason // why they fall behind, once it was asked
	pacing    *paces  // what they drain, once it was asked

	// usuals are the longest usual pauses on each topic, once it was asked.
	usuals []float64
}

// reason is the one condition of a family that holds, if any does.
type reason struct {
	condition Condition
	proof     proof
}

// nothing is why nothing is wrong, and untold what cannot be told.
var (
	nothing = &reason{proof: clear}
	untold  = &reason{proof: unknown}
)

// of is what a reason says of one condition of its family.
func (r *reason) of(c Condition) proof {
	if r.proof.verdict == Holds && r.condition != c {
		return proof{verdict: Clear}
	}
	return r.proof
}

// proof is what a predicate has found, and how to say so where it holds.
type proof struct {
	verdict Verdict
	tell    func(*telling)
}

var (
	clear   = proof{verdict: Clear}
	unknown = proof{verdict: Unknown}
)

func holds(tell func(*telling)) proof { return proof{Holds, tell} }

// sum is what the partitions of a group add up to.
type sum struct {
	committed, uncommitted, unread int // by position
	available                      int64
	waiting, restless              int // with unread records, and of these not keeping up
	// usual is the longest pause that is usual on any of them, in seconds; 0 if none
	// is known.
	usual float64
	// ownerless is how many with unread records nobody owns.
	ownerless int
	// moved says that a position moved on in this poll.
	moved bool
	// lost and rewound say that some partition tells of it.
	lost, rewound, heldBack bool
}

func (l *look) begin() {
	l.members, l.known = l.g.Members.Get()
	for i := range l.g.Partitions {
		l.sum.add(&l.g.Partitions[i])
	}
	if l.sum.restless > 0 {
		l.standings = make([]standing, len(l.g.Partitions))
		for i := range l.g.Partitions {
			l.standings[i] = l.standing(&l.g.Partitions[i])
		}
		l.turns()
	}
}

func (s *sum) add(p *Partition) {
	switch p.Position {
	case Unread:
		s.unread++
	case Uncommitted:
		s.uncommitted++
		n, _ := p.Available.Get()
		s.available += n
	default:
		s.committed++
	}
	if p.unread() {
		s.waiting++
		if !p.Estimate.KeepsUp {
			s.restless++
		}
		if p.Owner < 0 {
			s.ownerless++
		}
	}
	if usual, ok := p.Estimate.Usual.Get(); ok {
		s.usual = max(s.usual, usual)
	}
	if to, ok := p.To.Get(); ok {
		from, _ := p.From.Get()
		s.moved, s.rewound = s.moved || to > from, s.rewound || p.From.Known() && to < from
	}
	s.lost = s.lost || p.Lost > 0
	s.heldBack = s.heldBack || p.HeldBack.Known()
}

// readable tells whether anything that needs positions can be evaluated.
func (l *look) readable() bool {
	return l.g.CommitsRead && (len(l.g.Partitions) == 0 || l.sum.unread < len(l.g.Partitions))
}

// unstable tells whether the group is between two assignments.
func (l *look) unstable() bool { return l.g.State.Unstable() }

func (l *look) share() bool { return l.g.Type == snapshot.TypeShare }

// judge asks the predicate of a condition.
func (l *look) judge(c Condition) proof {
	if l.g.Missing && c != CommitsVanished {
		return unknown
	}
	return predicates[c](l)
}

// predicates are the conditions, each of which is asked in every poll.
var predicates = [Conditions]func(*look) proof{
	Unreadable:        (*look).unreadable,
	DataLost:          (*look).dataLost,
	DataAtRisk:        (*look).dataAtRisk,
	CommitsVanished:   (*look).commitsVanished,
	NeverCommitted:    (*look).neverCommitted,
	NoConsumers:       (*look).noConsumers,
	Rebalancing:       (*look).rebalancing,
	UnownedPartitions: (*look).unownedPartitions,
	OpenTransaction:   (*look).openTransaction,
	StalledGroup:      (*look).stalledGroup,
	StalledMember:     (*look).stalledMember,
	StalledPartition:  (*look).stalledPartition,
	HotPartition:      (*look).hotPartition,
	SlowMember:        (*look).slowMember,
	SlowDependency:    (*look).slowDependency,
	UnderCapacity:     (*look).underCapacity,
	CatchingUp:        (*look).catchingUp,
	IdleMembers:       (*look).idleMembers,
	AbandonedTopic:    (*look).abandonedTopic,
	Rewound:           (*look).rewound,
	Standalone:        (*look).standalone,
}
