package collector

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// onePoll is a story of a single good poll.
type onePoll struct {
	name  string
	wrong string // what a reader would be told if this did not hold
	parts []part
	want  string
}

func (c onePoll) run(t *testing.T) {
	if diff := cmp.Diff(c.want, tell(newStory().poll(0, c.parts...))); diff != "" {
		t.Errorf("%s (-want +got):\n%s", c.wrong, diff)
	}
}

func runAll(t *testing.T, cases []onePoll) {
	for _, c := range cases {
		t.Run(c.name, c.run)
	}
}

func TestLag(t *testing.T) {
	group := func(c ...snapshot.TopicCommits) part { return groupOf("g", members(), commits(c...)) }
	runAll(t, []onePoll{
		{
			"behind", "the plain case",
			[]part{logOf("orders", 1, ends(0, 100)), group(on("orders", 60))},
			lines("g complete lag=40", "  orders/0 committed commit=60 lag=40 lost=0"),
		},
		{
			"at the end", "a group that read all would have lag",
			[]part{logOf("orders", 1, ends(0, 100)), group(on("orders", 100))},
			lines("g complete lag=0", "  orders/0 committed commit=100 lag=0 lost=0"),
		},
		{
			"retention passed the commit (fault 4)", "removed offsets would count as lag, and what is lost would not show",
			[]part{logOf("orders", 1, ends(1_000_000, 1_000_500)), group(on("orders", 100))},
			lines("g complete lag=500", "  orders/0 committed commit=100 lag=500 lost=999900"),
		},
		{
			"retention emptied the log", "what is lost would be lag as well",
			[]part{logOf("orders", 1, ends(500, 500)), group(on("orders", 100))},
			lines("g complete lag=0", "  orders/0 committed commit=100 lag=0 lost=400"),
		},
		{
			"commit 0 at start 0", "a position of zero would be taken for none",
			[]part{logOf("orders", 1, ends(0, 7)), group(on("orders", 0))},
			lines("g complete lag=7", "  orders/0 committed commit=0 lag=7 lost=0"),
		},
		{
			"start moved beyond the end that was read before it", "lag would be negative",
			[]part{logOf("orders", 1, ends(105, 100)), group(on("orders", 90))},
			lines("g complete lag=0", "  orders/0 committed commit=90 lag=0 lost=15"),
		},
		{
			"committed beyond the end", "a cut log would look like a group that read all",
			[]part{logOf("orders", 1, ends(0, 40)), group(on("orders", 60))},
			lines("g complete lag=0", "  orders/0 beyond_end commit=60 lag=0 lost=0"),
		},
		{
			"several topics", "a sum would miss a topic or mix partitions of two",
			[]part{
				logOf("b", 2, ends(0, 10), ends(0, 20)), logOf("a", 1, ends(0, 5)),
				group(on("a", 1), on("b", 9, 18)),
			},
			lines("g complete lag=7",
				"  a/0 committed commit=1 lag=4 lost=0",
				"  b/0 committed commit=9 lag=1 lost=0", "  b/1 committed commit=18 lag=2 lost=0"),
		},
	})
}

func TestUncommitted(t *testing.T) {
	group := func(c ...snapshot.TopicCommits) part {
		return groupOf("g", members(member("m", owns("orders", 0, 1, 2))), commits(c...))
	}
	runAll(t, []onePoll{
		{
			"one of three committed (fault 2)", "the others would be -1, or whole logs in the sum",
			[]part{logOf("orders", 1, ends(0, 100), ends(0, 200), ends(0, 300)), group(on("orders", 90))},
			lines("g complete lag=10", "  orders/0 committed commit=90 lag=10 lost=0 owner=m",
				"  orders/1 uncommitted available=200 owner=m", "  orders/2 uncommitted available=300 owner=m"),
		},
		{
			"empty log, nothing committed (fault 3)", "3083 offsets that nobody can read would be lag",
			[]part{logOf("orders", 1, ends(3083, 3083)), group()},
			lines("g complete lag=0", "  orders/0 uncommitted lag=0 available=0 owner=m"),
		},
		{
			"start above zero, nothing committed (fault 3)", "the end would be taken for what there is to read",
			[]part{logOf("orders", 1, ends(3000, 3083)), group()},
			lines("g complete", "  orders/0 uncommitted available=83 owner=m"),
		},
		{
			"start moved beyond the end that was read before it", "there would be less than nothing to read",
			[]part{logOf("orders", 1, ends(12, 10)), groupOf("g", members(member("m", owns("orders", 0))), commits())},
			lines("g complete lag=0", "  orders/0 uncommitted lag=0 available=0 owner=m"),
		},
		{
			"nothing committed anywhere", "a sum of nothing would be a lag of 0",
			[]part{logOf("orders", 1, ends(0, 5), ends(0, 6), ends(0, 7)), group()},
			lines("g complete", "  orders/0 uncommitted available=5 owner=m",
				"  orders/1 uncommitted available=6 owner=m", "  orders/2 uncommitted available=7 owner=m"),
		},
		{
			"subscribed, not assigned", "partitions that nobody owns yet would be left out",
			[]part{
				logOf("orders", 1, ends(0, 5)),
				groupOf("g", members(snapshot.Member{ID: "m", Subscribed: []string{"orders"}}), commits()),
			},
			lines("g complete", "  orders/0 uncommitted available=5"),
		},
		{
			"committed on a topic that no member reads (fault 7)", "the lag of an abandoned topic would be hidden",
			[]part{
				logOf("orders", 1, ends(0, 5)), logOf("old", 2, ends(0, 9)),
				groupOf("g", members(member("m", owns("orders", 0))), commits(on("old", 2), on("orders", 5))),
			},
			lines("g complete lag=7", "  old/0 committed commit=2 lag=7 lost=0", "  orders/0 committed commit=5 lag=0 lost=0 owner=m"),
		},
	})
}

func TestNoSuchPartition(t *testing.T) {
	runAll(t, []onePoll{
		{
			"fewer partitions than commits (fault 16)", "the poll would break, or commits on nothing would be lag",
			[]part{logOf("orders", 1, ends(0, 10)), groupOf("g", members(), commits(on("orders", 4, 50, 60)))},
			lines("g complete lag=6", "  orders/0 committed commit=4 lag=6 lost=0",
				"  orders/1 no_partition commit=50", "  orders/2 no_partition commit=60"),
		},
		{
			"the topic does not exist", "a deleted topic would be lag, or its commits would be hidden",
			[]part{groupOf("g", members(), commits(on("orders", 4)))},
			lines("g complete", "  orders/0 no_partition commit=4"),
		},
		{
			"subscribed to a topic that does not exist", "a partition would be made up",
			[]part{groupOf("g", members(snapshot.Member{ID: "m", Subscribed: []string{"later"}}), commits())},
			lines("g complete"),
		},
	})
}

func TestFirstSight(t *testing.T) {
	runAll(t, []onePoll{
		{
			"commits not read", "owners that are known would be hidden",
			[]part{logOf("orders", 1, ends(0, 10)), groupOf("g", members(member("m", owns("orders", 0))))},
			lines("g incomplete", "  orders/0 unread owner=m old"),
		},
		{
			"one commit not read", "a sum without that partition would be called complete",
			[]part{logOf("orders", 1, ends(0, 10), ends(0, 10)), groupOf("g", members(), commits(on("orders", 4, unread)))},
			lines("g incomplete lag=6", "  orders/0 committed commit=4 lag=6 lost=0", "  orders/1 unread old"),
		},
		{
			"committed, no leader", "a commit that is known would be hidden, or a sum without it called complete",
			[]part{logOf("orders", 1, ends(0, 10), leaderless()), groupOf("g", members(), commits(on("orders", 4, 8)))},
			lines("g incomplete lag=6", "  orders/0 committed commit=4 lag=6 lost=0", "  orders/1 unread commit=8 old"),
		},
		{
			"uncommitted, no leader", "a partition that was not read would count as renewed",
			[]part{logOf("orders", 1, leaderless()), groupOf("g", members(member("m", owns("orders", 0))), commits())},
			lines("g incomplete", "  orders/0 uncommitted owner=m old"),
		},
		{
			"committed, topic not readable", "the same by an ACL",
			[]part{logOf("orders", 1), groupOf("g", members(), commits(on("orders", 4)))},
			lines("g incomplete", "  orders/0 unread commit=4 old"),
		},
		{
			"subscribed, topic not readable", "a group of which a whole topic is unknown would be called complete",
			[]part{
				logOf("orders", 1, ends(0, 10)), logOf("secret", 2),
				groupOf("g", members(snapshot.Member{ID: "m", Subscribed: []string{"orders", "secret"}}), commits(on("orders", 4))),
			},
			lines("g incomplete lag=6", "  orders/0 committed commit=4 lag=6 lost=0"),
		},
		{
			"not described", "lag would wait for members, or ownership that is unknown be called complete",
			[]part{logOf("orders", 1, ends(0, 10)), groupOf("g", commits(on("orders", 4)))},
			lines("g incomplete lag=6", "  orders/0 committed commit=4 lag=6 lost=0"),
		},
		{
			"nothing read", "a group without readable parts would be hidden, or have a lag of 0",
			[]part{groupOf("g", nothingKnown())},
			lines("g incomplete"),
		},
		{
			"nothing there", "an empty group would be incomplete, or have a lag of 0",
			[]part{groupOf("g", members(), commits())},
			lines("g complete"),
		},
	})
}

// The objective is asked for once, when a group is first seen, by its name.
func TestObjective(t *testing.T) {
	w := newStory()
	asked := map[string]int{}
	w.rules.objective = func(g string) Objective {
		asked[g]++
		return Objective{Age: time.Duration(len(g)) * time.Minute}
	}
	w.poll(0, groupOf("ab"))
	w.fail(10)
	v := w.poll(20, groupOf("ab"), groupOf("abc"))
	if got := [2]time.Duration{v.Groups[0].Objective.Age, v.Groups[1].Objective.Age}; got != [2]time.Duration{2 * time.Minute, 3 * time.Minute} {
		t.Errorf("objectives = %v", got)
	}
	if diff := cmp.Diff(map[string]int{"ab": 1, "abc": 1}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
