package collector

import "time"

// pace is how fast one broker is asked. What it answers late is of no use to anybody,
// and it works on that all the same: so it is asked little until it has shown that it
// is quick, and after a round without any answer not at all for some polls.
type pace struct {
	most  int // questions in a round
	pause int // polls without questions after the last failure; 0 if it answers
	left  int // of the pause
}

const (
	paceFirst, paceMost = 50, 500 // questions in a round
	pauseMost           = 30      // polls
)

// pauses tells whether the broker is left alone after this poll.
func (p *pace) pauses() bool {
	if p.left == 0 {
		return false
	}
	p.left--
	return true
}

// heard takes in how a round went: so many questions, answers, and how much of the
// time it took. It tells whether there may be another one.
func (p *pace) heard(asked, known int, took, limit time.Duration) bool {
	if slow := took > limit/3; known == 0 || slow {
		p.most = max(p.most/2, 1)
	} else if asked == p.most {
		p.most = min(p.most+p.most/10+1, paceMost)
	}
	if known == 0 {
		p.pause = min(max(2*p.pause, 1), pauseMost)
		p.left = p.pause
		return false
	}
	p.pause = 0
	return true
}
