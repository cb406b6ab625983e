package snapshot

import (
	"testing"
	"time"
)

// Unknown and zero stay apart, whatever is asked of a Maybe.
func TestMaybe(t *testing.T) {
	var unknown Maybe[int64]
	zero, seven := Known(int64(0)), Known(int64(7))

	if v, ok := unknown.Get(); v != 0 || ok {
		t.Errorf("the zero Maybe is %d, %v", v, ok)
	}
	if v, ok := zero.Get(); v != 0 || !ok {
		t.Errorf("a known zero is %d, %v", v, ok)
	}
	if unknown.Known() || !zero.Known() || !seven.Known() {
		t.Error("Known")
	}
	if unknown.Or(3) != 3 || zero.Or(3) != 0 || seven.Or(3) != 7 {
		t.Error("Or")
	}
}

func TestMaybeEqual(t *testing.T) {
	var unknown Maybe[int64]
	zero, seven := Known(int64(0)), Known(int64(7))
	all := []Maybe[int64]{unknown, zero, seven}
	for i, a := range all {
		for j, b := range all {
			if a.Equal(b) != (i == j) {
				t.Errorf("%+v equals %+v: %v", a, b, a.Equal(b))
			}
		}
	}
}

// Values that cannot be compared by == can be compared in tests.
func TestDeepEqual(t *testing.T) {
	members := func(owned int32) Maybe[Members] {
		return Known(Members{At: time.Unix(1, 0), List: []Member{{ID: "m", Assignment: []TopicPartitions{{"t", []int32{owned}}}}}})
	}
	if !members(1).Equal(members(1)) || members(1).Equal(members(2)) || members(1).Equal(Maybe[Members]{}) {
		t.Error("members")
	}
	commits := func(offset int64) Maybe[Commits] {
		return Known(Commits{At: time.Unix(1, 0), Topics: []TopicCommits{{"t", []Commit{{0, Known(offset)}}}}})
	}
	if !commits(1).Equal(commits(1)) || commits(1).Equal(commits(2)) {
		t.Error("commits")
	}
	a, _ := members(1).Get()
	b, _ := members(2).Get()
	if !a.Equal(a) || a.Equal(b) {
		t.Error("Members.Equal")
	}
	c, _ := commits(1).Get()
	d, _ := commits(2).Get()
	if !c.Equal(c) || c.Equal(d) {
		t.Error("Commits.Equal")
	}
}

func TestTopicIDKnown(t *testing.T) {
	if (TopicID{}).Known() || !(TopicID{15: 1}).Known() {
		t.Error("only the id of zeros is unknown")
	}
}
