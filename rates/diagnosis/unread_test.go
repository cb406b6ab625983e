package diagnosis

import "testing"

// A group of which nothing could be read had 0 partitions as evidence: how many there are
// is not known then.
func TestNoEvidenceOfWhatWasNotRead(t *testing.T) {
	limits := Defaults()
	d, _ := view{fresh: true, polls: 20, poll: func(g *Group, _ int) {
		g.CommitsRead, g.Partitions, g.Topics = false, nil, nil
	}}.watch(&Memory{}, &limits)
	if len(d.Findings) != 1 || d.Findings[0].Condition != Unreadable {
		t.Fatal(titles(d))
	}
	if e := d.Findings[0].Evidence; len(e) > 0 {
		t.Errorf("evidence %v", e)
	}
}
