package boundary

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// step is one call, and what it reports.
type step struct {
	do     string // deliver, done, commit, revoke
	offset int64
	ok     bool
}

func deliver(offsets ...int64) []step { return steps("deliver", true, offsets) }
func done(offsets ...int64) []step    { return steps("done", true, offsets) }
func dropped(offsets ...int64) []step { return steps("done", false, offsets) }
func refused(offsets ...int64) []step { return steps("deliver", false, offsets) }
func commit(offset int64) []step      { return steps("commit", true, []int64{offset}) }
func revoke() []step                  { return steps("revoke", true, []int64{0}) }

func steps(do string, ok bool, offsets []int64) []step {
	var out []step
	for _, o := range offsets {
		out = append(out, step{do, o, ok})
	}
	return out
}

func play(t *testing.T, tr *Tracker, all [][]step) {
	t.Helper()
	for _, list := range all {
		for _, s := range list {
			ok := true
			switch s.do {
			case "deliver":
				ok = tr.Deliver(s.offset)
			case "done":
				ok = tr.Done(s.offset)
			case "commit":
				tr.Committed(s.offset)
			case "revoke":
				tr.Revoke()
			}
			if ok != s.ok {
				t.Fatalf("%s %d: %v, want %v", s.do, s.offset, ok, s.ok)
			}
		}
	}
}

func TestNext(t *testing.T) {
	type position struct {
		Offset int64
		OK     bool
	}
	nothing := position{}
	for _, tt := range []struct {
		name  string
		steps [][]step
		want  position
	}{
		{"nothing was delivered", nil, nothing},
		{"nothing is done", [][]step{deliver(100, 101)}, nothing},
		{"the worked case", [][]step{deliver(100, 101, 102, 103), done(100, 101, 103)}, position{102, true}},
		{"in any order", [][]step{deliver(100, 101, 102, 103), done(103, 101, 100)}, position{102, true}},
		{"the first is not done", [][]step{deliver(100, 101, 102), done(101, 102)}, nothing},
		{"all are done", [][]step{deliver(100, 101), done(101, 100)}, position{102, true}},
		{"compaction left 102 out", [][]step{deliver(100, 101, 103, 104), done(100, 101, 103)}, position{104, true}},
		{"a gap before what is not done", [][]step{deliver(100, 105), done(100)}, position{105, true}},
		{"a gap at the start", [][]step{deliver(107, 108), done(107)}, position{108, true}},
		{"after the last one of a fetch, not the log's end", [][]step{deliver(100, 101), done(100, 101)}, position{102, true}},
		{"the next fetch shows what lay between", [][]step{deliver(100), done(100), commit(101), deliver(104)}, position{104, true}},
		{"the gap that a fetch began with is committed once", [][]step{deliver(100), done(100), deliver(104), commit(104)}, nothing},
		{"no progress since the commit", [][]step{deliver(100, 101, 102), done(100, 102), commit(101)}, nothing},
		{"progress since the commit", [][]step{deliver(100, 101, 102), done(100, 102), commit(101), done(101)}, position{103, true}},
		{"a commit that failed is due again", [][]step{deliver(100, 101), done(100)}, position{101, true}},
		{"an older commit that is told late", [][]step{deliver(100, 101, 102), done(100, 101), commit(102), commit(101)}, nothing},
		{"revoked", [][]step{deliver(100, 101), done(100), revoke()}, nothing},
		{"what finishes after the revocation", [][]step{deliver(100, 101), revoke(), dropped(100, 101)}, nothing},
		{"what arrives after the revocation", [][]step{deliver(100), revoke(), refused(101), dropped(101)}, nothing},
		{"done twice", [][]step{deliver(100, 101, 102), done(101), dropped(101)}, nothing},
		{"done twice, at the front", [][]step{deliver(100, 101), done(100), dropped(100)}, position{101, true}},
		{"done and never delivered", [][]step{deliver(100, 102), done(100), dropped(101, 103)}, position{102, true}},
		{"delivered twice", [][]step{deliver(100, 101), refused(101, 100), done(100)}, position{101, true}},
		{"delivered again when done", [][]step{deliver(100), done(100), refused(100)}, position{101, true}},
		{"no offset", [][]step{refused(-1), deliver(0), done(0)}, position{1, true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tr Tracker
			play(t, &tr, tt.steps)
			var got position
			got.Offset, got.OK = tr.Next()
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// What is in flight bounds the memory, however long a partition is assigned.
func TestWhatIsDoneIsForgotten(t *testing.T) {
	var tr Tracker
	for o := range int64(100_000) {
		tr.Deliver(o)
		if o >= 10 {
			tr.Done(o - 10)
		}
	}
	if len(tr.open) != 10 || cap(tr.open) > 100 {
		t.Errorf("%d records are open, in room for %d", len(tr.open), cap(tr.open))
	}
}
