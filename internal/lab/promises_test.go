package lab

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// look is what a client sees of a scene at one moment.
type look struct {
	commits, ends map[int32]int64
	lag           map[int32]int64 // of the partitions with a commit
}

func (l look) total() int64 { return sum(l.lag) }

// scened is a scene that plays while its promise is being checked.
type scened struct {
	Scenario
	t *testing.T
	c *Cluster
}

func (s scened) look() look {
	s.t.Helper()
	ctx := testContext(s.t)
	commits, err := s.c.CommittedOffsets(ctx, s.Group, s.Topic)
	if err != nil {
		s.t.Fatal(err)
	}
	ends, err := s.c.EndOffsets(ctx, s.Topic)
	if err != nil {
		s.t.Fatal(err)
	}
	l := look{commits: commits, ends: ends, lag: make(map[int32]int64)}
	for p, next := range commits {
		l.lag[p] = ends[p] - next
	}
	return l
}

// after looks again once n more records have come in.
func (s scened) after(n int64, since look) look {
	s.t.Helper()
	var l look
	eventually(s.t, "records come in", func() bool {
		l = s.look()
		return sum(l.ends)-sum(since.ends) >= n
	})
	return l
}

// group describes a classic group.
func (s scened) group() kadm.DescribedGroup {
	s.t.Helper()
	described, err := s.c.Admin().DescribeGroups(testContext(s.t), s.Group)
	if err != nil {
		s.t.Fatal(err)
	}
	return described[s.Group]
}

// promises check what the scenes' summaries say, as far as a few seconds tell.
// Trouble that begins later is seen in conditions_test.go of cmd/lagwatch-lab, where
// minutes take seconds.
var promises = map[string]func(s scened){
	"stalled-group":   keepsUp,
	"hung-member":     keepsUp,
	"slow-dependency": keepsUp,
	"rewound":         keepsUp,
	"unreadable": func(s scened) {
		eventually(s.t, "the commits are refused", func() bool {
			_, err := s.c.CommittedOffsets(testContext(s.t), s.Group, s.Topic)
			return errors.Is(err, kerr.GroupAuthorizationFailed)
		})
		before := s.c.Lag(s.Group, s.Topic)
		commits := func() (n int64) {
			for _, c := range s.c.Fake().GroupInfo(s.Group).Commits[s.Topic] {
				n += c.Offset
			}
			return n
		}
		first := commits()
		eventually(s.t, "the members go on", func() bool { return commits() >= first+10 })
		if len(before) != s.Partitions {
			s.t.Errorf("commits on %d partitions", len(before))
		}
	},
	"data-lost": func(s scened) {
		eventually(s.t, "a log begins after what the group committed", func() bool {
			info := s.c.Fake().GroupInfo(s.Group)
			for _, p := range s.c.Fake().PartitionInfos(s.Topic) {
				if info.Commits[s.Topic][p.Partition].Offset < p.LogStartOffset {
					return true
				}
			}
			return false
		})
	},
	"data-at-risk": func(s scened) {
		before := s.look()
		after := s.after(18, before)
		if lag := after.total(); lag < 3400 || lag > 3800 || sum(after.commits) <= sum(before.commits) {
			s.t.Errorf("lag %v, then %v: want it to stay at about 1200 a partition", before.lag, after.lag)
		}
	},
	"open-transaction": func(s scened) {
		before := s.look()
		after := s.after(20, before)
		for _, p := range s.c.Fake().PartitionInfos(s.Topic) {
			if p.LastStableOffset >= p.HighWatermark || after.commits[p.Partition] > p.LastStableOffset {
				s.t.Errorf("partition %d is stable to %d of %d, and the group at %d",
					p.Partition, p.LastStableOffset, p.HighWatermark, after.commits[p.Partition])
			}
		}
	},
	"commits-vanished": func(s scened) {
		eventually(s.t, "the group is gone", func() bool { return s.c.Fake().GroupInfo(s.Group) == nil })
	},
	"abandoned-topic": func(s scened) {
		keepsUp(s)
		old, err := s.c.CommittedOffsets(testContext(s.t), s.Group, "coupons")
		g := s.group()
		if err != nil || len(old) != 2 || g.AssignedPartitions().Lookup("coupons", 0) {
			s.t.Errorf("%v, commits %v on the old topic, assigned %v", err, old, g.AssignedPartitions())
		}
	},
	"unowned-partition": func(s scened) {
		before := s.look()
		after := s.after(24, before)
		for p := range after.commits {
			moved := after.commits[p] > before.commits[p]
			if owned := int(p) < s.Partitions-s.Unowned; owned != moved {
				s.t.Errorf("partition %d went from %d to %d", p, before.commits[p], after.commits[p])
			}
		}
	},
	"slow-member": func(s scened) {
		before := s.look()
		eventually(s.t, "the lag grows on partitions 0 and 1, and is less elsewhere", func() bool {
			now := s.look()
			least, most := min(now.lag[0]-before.lag[0], now.lag[1]-before.lag[1]), int64(0)
			for p := int32(2); p < 6; p++ {
				most = max(most, now.lag[p])
			}
			return least > 10 && most < min(now.lag[0], now.lag[1])
		})
	},
	"catching-up": func(s scened) {
		before := s.look().total()
		eventually(s.t, "the lag shrinks", func() bool { return s.look().total() < before-20 })
		if before < 9000 {
			s.t.Errorf("lag %d, want some 12000", before)
		}
	},
	"healthy": keepsUp,
	"slow": func(s scened) {
		before := s.look()
		var after look
		eventually(s.t, "each partition advances", func() bool {
			after = s.look()
			for p := range after.commits {
				if after.commits[p] == before.commits[p] {
					return false
				}
			}
			return sum(after.ends)-sum(before.ends) >= 90
		})
		came, grew := sum(after.ends)-sum(before.ends), after.total()-before.total()
		if before.total() < 1000 || grew < came/6 {
			s.t.Errorf("lag %d grew by %d while %d came: want at least 1000, and growing by a third of what comes",
				before.total(), grew, came)
		}
	},
	"hot-partition": func(s scened) {
		before := s.look()
		after := s.after(120, before)
		if hot := after.lag[0]; hot < after.total()*8/10 || hot <= before.lag[0] {
			s.t.Errorf("lag %v, then %v: want it on partition 0, and growing there", before.lag, after.lag)
		}
		if came := after.ends[0] - before.ends[0]; came*10 < (sum(after.ends)-sum(before.ends))*7 {
			s.t.Errorf("end offsets %v, then %v: want most of the records in partition 0", before.ends, after.ends)
		}
	},
	"stuck-partition": func(s scened) {
		before := s.look()
		after := s.after(40, before)
		for p := range after.commits {
			moved := after.commits[p] - before.commits[p]
			if stuck := p == stuckTopicPartition; stuck != (moved == 0) {
				s.t.Errorf("partition %d moved by %d", p, moved)
			}
		}
		if after.lag[stuckTopicPartition] < 20 {
			s.t.Errorf("lag %v: want at least 20 on the stuck partition", after.lag)
		}
	},
	"stopped": func(s scened) {
		eventually(s.t, "all members leave", func() bool {
			g := s.c.Fake().GroupInfo(s.Group)
			return g.State == "Empty" && g.Epoch > 1
		})
		before := s.look()
		after := s.after(10, before)
		if d := cmp.Diff(before.commits, after.commits); d != "" || len(after.commits) != s.Partitions {
			s.t.Errorf("commits moved (-before +after):\n%s", d)
		}
		if after.total() < before.total()+10 || before.total() < 700 {
			s.t.Errorf("lag %d, then %d", before.total(), after.total())
		}
	},
	"uncommitted": func(s scened) {
		before := s.look()
		after := s.after(10, before)
		if len(after.commits) != 0 {
			s.t.Errorf("committed %v", after.commits)
		}
		if g := s.group(); g.State != "Stable" || !g.AssignedPartitions().Lookup(s.Topic, 2) {
			s.t.Errorf("group is %s and owns %v", g.State, g.AssignedPartitions())
		}
	},
	"standalone": func(s scened) {
		before := s.look()
		after := s.after(40, before)
		if sum(after.commits) <= sum(before.commits) {
			s.t.Errorf("commits %v, then %v", before.commits, after.commits)
		}
		if g := s.group(); g.State != "Empty" || len(g.Members) != 0 {
			s.t.Errorf("group is %s with %d members", g.State, len(g.Members))
		}
	},
	"rebalancing": func(s scened) {
		members := make(map[int]bool)
		first := s.c.Fake().GroupInfo(s.Group).Epoch
		eventually(s.t, "two more generations, with 3 and 4 members", func() bool {
			g := s.c.Fake().GroupInfo(s.Group)
			members[len(g.Members)] = true
			return g.Epoch >= first+2 && members[3] && members[4]
		})
	},
	"kip848": func(s scened) {
		ctx := testContext(s.t)
		listed, err := s.c.Admin().ListGroups(ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		if typ := listed[s.Group].GroupType; typ != "consumer" {
			s.t.Errorf("group is of type %q", typ)
		}
		described, err := s.c.Admin().DescribeConsumerGroups(ctx, s.Group)
		if err != nil {
			s.t.Fatal(err)
		}
		if g := described[s.Group]; g.State != "Stable" || len(g.Members) != s.Members {
			s.t.Errorf("group is %s with %d members", g.State, len(g.Members))
		}
		keepsUp(s)
	},
	"idle-members": func(s scened) {
		var idle int
		for _, m := range s.group().Members {
			a, ok := m.Assigned.AsConsumer()
			if ok && len(a.Topics) == 0 {
				idle++
			}
		}
		if idle != s.Members-s.Partitions {
			s.t.Errorf("%d idle members, want %d", idle, s.Members-s.Partitions)
		}
		keepsUp(s)
	},
}

// keepsUp wants offsets to be committed while little more is behind than what
// comes in between two commits, at the peak of a burst.
func keepsUp(s scened) {
	before := s.look()
	var after look
	eventually(s.t, "commits advance, and little is behind", func() bool {
		after = s.look()
		return sum(after.commits) >= sum(before.commits)+15 && after.total() <= 120
	})
}
