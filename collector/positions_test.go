package collector

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// shares are a share group's positions; the group becomes one.
func shares(list ...snapshot.TopicShares) groupPart {
	return func(g *snapshot.Group, s *snapshot.Snapshot) {
		g.Type, g.ProtocolType = snapshot.TypeShare, "share"
		g.Shares = snapshot.Known(snapshot.Shares{At: tenths(s.Started, 1), Topics: list})
	}
}

// sharesUnread is a share group whose positions could not be read.
func sharesUnread() groupPart {
	return change(func(g *snapshot.Group) { g.Type, g.ProtocolType = snapshot.TypeShare, "share" })
}

// sharedOn are positions on partitions 0, 1, … of a topic with that id.
func sharedOn(topic string, id byte, list ...snapshot.Share) snapshot.TopicShares {
	t := snapshot.TopicShares{Topic: topic, Partitions: list}
	t.ID[0] = id
	for i := range list {
		list[i].Partition = int32(i)
	}
	return t
}

func position(start, lag int64) snapshot.Share {
	return snapshot.Share{Start: snapshot.Known(start), Lag: snapshot.Known(lag)}
}

func lagUnknown(start int64) snapshot.Share { return snapshot.Share{Start: snapshot.Known(start)} }
func refusedShare() snapshot.Share          { return snapshot.Share{} }
func noPosition() snapshot.Share            { return snapshot.Share{NoPosition: true} }

func readCommitted() groupPart { return change(func(g *snapshot.Group) { g.ReadCommitted = true }) }

// What a share group's series say is what the broker says, and nothing that it
// does not know.
func TestShareGroups(t *testing.T) {
	logs := logOf("t", 1, ends(0, 10), ends(0, 10))
	group := func(parts ...groupPart) part { return groupOf("g", append(parts, members())...) }
	start := stage{0, parts(logs, group(shares(sharedOn("t", 1, position(4, 5), position(0, 10))))),
		lines("g complete lag=15", "  t/0 committed lag=5 start=4", "  t/1 committed lag=10 start=0")}
	runStages(t, []staleCase{
		{"out of order", "records done beyond the start offset would count as lag", []stage{
			{0, parts(logs, group(shares(sharedOn("t", 1, position(4, 1), position(10, 0))))),
				lines("g complete lag=1", "  t/0 committed lag=1 start=4", "  t/1 committed lag=0 start=10")},
		}},
		{"not begun", "a partition that nobody has read yet would have lag, or none would be known of an empty log", []stage{
			{0, parts(logOf("t", 1, ends(3, 10), ends(7, 7)), group(shares(sharedOn("t", 1, noPosition(), noPosition())))),
				lines("g complete lag=0", "  t/0 uncommitted available=7", "  t/1 uncommitted lag=0 available=0")},
		}},
		{"not in the answer", "a topic that the group has no state on would be unread", []stage{
			{0, parts(logs, groupOf("g", shares(), members(member("m", owns("t", 0))))),
				lines("g complete", "  t/0 uncommitted available=10 owner=m", "  t/1 uncommitted available=10")},
		}},
		{"position that is not told any more", "Kafka's -1 for a state that it could not read would be taken for a group that begins anew", []stage{
			start,
			{10, parts(logs, group(shares(sharedOn("t", 1, noPosition(), position(0, 10))))),
				lines("g incomplete lag=15", "  t/0 committed lag=5 start=4 old", "  t/1 committed lag=10 start=0")},
			{40, parts(logs, group(shares(sharedOn("t", 1, noPosition(), position(0, 10))))),
				lines("g incomplete lag=10", "  t/0 unread old", "  t/1 committed lag=10 start=0")},
			{50, parts(logs, group(shares(sharedOn("t", 1, noPosition(), position(0, 10))))),
				lines("g incomplete lag=10", "  t/0 unread old", "  t/1 committed lag=10 start=0")},
			{60, parts(logs, group(shares(sharedOn("t", 1, position(5, 4), position(0, 10))))),
				lines("g complete lag=14", "  t/0 committed lag=4 start=5", "  t/1 committed lag=10 start=0")},
		}},
		{"offsets deleted", "positions that an admin deleted would be unread for good", []stage{
			start,
			{10, parts(logs, groupOf("g", shares(), members(member("m", owns("t", 0))))),
				lines("g complete", "  t/0 uncommitted available=10 owner=m", "  t/1 uncommitted available=10")},
		}},
		{"error for a partition", "an error would be a position, or hide the partition beside it", []stage{
			start,
			{10, parts(logs, group(shares(sharedOn("t", 1, refusedShare(), position(1, 9))))),
				lines("g incomplete lag=14", "  t/0 committed lag=5 start=4 old", "  t/1 committed lag=9 start=1")},
			{40, parts(logs, group(shares(sharedOn("t", 1, refusedShare(), position(1, 9))))),
				lines("g incomplete lag=9", "  t/0 unread old", "  t/1 committed lag=9 start=1")},
		}},
		{"lag that the broker does not know", "an unknown lag would be 0 or the whole log, or hide the position", []stage{
			{0, parts(logs, group(shares(sharedOn("t", 1, lagUnknown(4), position(0, 10))))),
				lines("g incomplete lag=10", "  t/0 committed start=4 old", "  t/1 committed lag=10 start=0")},
			{10, parts(logs, group(shares(sharedOn("t", 1, position(5, 2), position(0, 10))))),
				lines("g complete lag=12", "  t/0 committed lag=2 start=5", "  t/1 committed lag=10 start=0")},
			{20, parts(logs, group(shares(sharedOn("t", 1, lagUnknown(6), position(0, 10))))),
				lines("g incomplete lag=12", "  t/0 committed lag=2 start=6 old", "  t/1 committed lag=10 start=0")},
			{50, parts(logs, group(shares(sharedOn("t", 1, lagUnknown(6), position(0, 10))))),
				lines("g incomplete lag=10", "  t/0 committed start=6 old", "  t/1 committed lag=10 start=0")},
		}},
		{"positions not read", "a share group would lose its lag at the first failure, or keep it for ever", []stage{
			start,
			{10, parts(logs, group(sharesUnread())), lines("g incomplete lag=15", "  t/0 committed lag=5 start=4 old", "  t/1 committed lag=10 start=0 old")},
			{40, parts(logs, group(sharesUnread())), lines("g incomplete", "  t/0 unread old", "  t/1 unread old")},
		}},
		{"log not read", "a lag that the broker tells would be lost because we could not read the log", []stage{
			{0, parts(logOf("t", 1, leaderless(), ends(0, 10)), group(shares(sharedOn("t", 1, position(4, 5), position(0, 10))))),
				lines("g complete lag=15", "  t/0 committed lag=5 start=4", "  t/1 committed lag=10 start=0")},
		}},
		{"topic recreated (fault 15)", "positions on the topic before would be shown for the new one", []stage{
			start,
			{10, parts(logOf("t", 2, ends(0, 3), ends(0, 0)), group(shares(sharedOn("t", 1, position(4, 5), position(0, 10))))),
				lines("g incomplete", "  t/0 unread old", "  t/1 unread old")},
			{20, parts(logOf("t", 2, ends(0, 3), ends(0, 0)), group(shares(sharedOn("t", 2, position(1, 2), noPosition())))),
				lines("g complete lag=2", "  t/0 committed lag=2 start=1", "  t/1 uncommitted lag=0 available=0")},
		}},
		{"fewer partitions (fault 16)", "a position on a partition that is gone would be lag", []stage{
			{0, parts(logOf("t", 1, ends(0, 10)), group(shares(sharedOn("t", 1, position(4, 5), position(0, 10))))),
				lines("g complete lag=5", "  t/0 committed lag=5 start=4", "  t/1 no_partition start=0")},
		}},
		{"several owners", "one of two members of a partition would be hidden", []stage{
			{0, parts(logs, groupOf("g", shares(sharedOn("t", 1, position(4, 5), position(0, 10))), members(
				member("a", owns("t", 0, 1)), member("b", owns("t", 0)), member("c", owns("t", 0))))),
				lines("g complete lag=15", "  t/0 committed lag=5 start=4 owner=a owner=b owner=c", "  t/1 committed lag=10 start=0 owner=a")},
		}},
	})
}

// Two members of one client on one host are one owner series, as two would be
// the same series twice.
func TestOwnersOfOneClient(t *testing.T) {
	other := member("c", owns("t", 0))
	other.ClientID = "other"
	v := newStory().poll(0, logOf("t", 1, ends(0, 10)), groupOf("g", shares(sharedOn("t", 1, position(4, 5))), members(
		member("a", owns("t", 0)), member("b", owns("t", 0)), other)))
	n := map[string]int{}
	samples(v, func(m *Metric, _ float64, labels []string) {
		if m.Name == Prefix+"group_partition_owner" {
			n[labels[4]+"@"+labels[5]]++
		}
	})
	if diff := cmp.Diff(map[string]int{"app@10.0.0.7": 1, "other@10.0.0.7": 1}, n); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A group that reads committed records only is behind the last stable offset:
// an open transaction is no lag of its, and a last stable offset that could not
// be read is no high watermark.
func TestReadCommitted(t *testing.T) {
	group := func(parts ...groupPart) part {
		return groupOf("g", append(parts, members(), commits(on("t", 5, 5)))...)
	}
	open := logOf("t", 1, stableTo(7, ends(0, 100)), stableTo(5, ends(0, 100)))
	want := lines("g complete lag=2", "  t/0 committed commit=5 lag=2 lost=0", "  t/1 committed commit=5 lag=0 lost=0")
	runStages(t, []staleCase{
		{"open transaction", "records that it may not read yet would count as lag", []stage{
			{0, parts(open, group(readCommitted())), want},
		}},
		{"the other level", "an open transaction would hide lag from a group that reads all", []stage{
			{0, parts(open, group()), lines("g complete lag=190", "  t/0 committed commit=5 lag=95 lost=0", "  t/1 committed commit=5 lag=95 lost=0")},
		}},
		{"last stable offset not read", "the high watermark would stand in for it", []stage{
			{0, parts(open, group(readCommitted())), want},
			{10, parts(logOf("t", 1, ends(0, 200), stableTo(9, ends(0, 200))), group(readCommitted())),
				lines("g incomplete lag=6", "  t/0 committed commit=5 lag=2 lost=0 old", "  t/1 committed commit=5 lag=4 lost=0")},
			{40, parts(logOf("t", 1, ends(0, 200), stableTo(9, ends(0, 200))), group(readCommitted())),
				lines("g incomplete lag=4", "  t/0 unread commit=5 old", "  t/1 committed commit=5 lag=4 lost=0")},
		}},
	})
}
