package exercise

// Rule says which position a consumer commits.
type Rule int

// The rules.
const (
	// Contiguous commits the boundary: everything below it is done.
	Contiguous Rule = iota
	// HighestDone commits the offset after the highest record that is done, which is
	// wrong: a crash loses what is not done below it. It is there so that a test can
	// show that the exercise notices.
	HighestDone
)

// next is the position of an assigned partition that is to be committed now.
func (r Rule) next(a *assigned) (int64, bool) {
	if r == HighestDone {
		return a.highest + 1, a.highest >= 0 && a.highest+1 > a.tenure.committed
	}
	return a.track.Next()
}
