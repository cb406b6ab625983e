package report

// place is a figure in the tables.
type place struct{ row, size string }

// causes say in a few words why a target is missed, where that is known; they
// stand beside it. That of growth is of the row "growth".
var causes = map[place]string{}

// because adds the cause of a place to a target, if there is one and none yet.
func (t Target) because(of map[place]string, at place) Target {
	if t.Cause == "" {
		t.Cause = of[at]
	}
	return t
}
