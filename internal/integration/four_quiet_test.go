//go:build !breaking && !soak

package integration

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// standings is where all groups stand and who owns what.
type standings struct {
	Committed map[string]testkafka.Offsets
	Lag       map[string]testkafka.Offsets
	Start     testkafka.Offsets
	Owners    map[string]map[testkafka.TopicPartition]owner
	Members   map[string]int
}

// quiet waits until Kafka's admin client and a page say the same of everything.
func (f *four) quiet(l *lagwatch, step string) {
	f.t.Helper()
	var want standings
	diff := "no page"
	defer func() {
		if diff != "" {
			f.t.Logf("%s (-Kafka +page):\n%s", step, diff)
		}
	}()
	l.await(f.t, 2*time.Minute, step+": the page to say what Kafka does", func(p *page) bool {
		before := f.positions()
		got := f.shown(l.awaitPoll(f.t, before.After, f.groups()...))
		want = f.told(f.positions().Value)
		diff = cmp.Diff(want, got)
		return diff == ""
	})
	for _, group := range f.groups() {
		f.t.Logf("%s: %-14s %d members, %d owned partitions, lag %v", step, group, want.Members[group], len(want.Owners[group]), want.Lag[group])
	}
}

// shown is what a page says.
func (f *four) shown(p *page) standings {
	s := standings{
		Committed: map[string]testkafka.Offsets{}, Lag: map[string]testkafka.Offsets{},
		Start:  p.groupOffsets(shareStartOf, f.share),
		Owners: map[string]map[testkafka.TopicPartition]owner{}, Members: map[string]int{},
	}
	for _, group := range f.groups() {
		if group != f.share {
			s.Committed[group] = p.groupOffsets(committedOf, group)
		}
		s.Lag[group], s.Owners[group] = p.groupOffsets(lagOf, group), p.owners(group)
		s.Members[group] = shownInt(p, "lagwatch_group_members", labels{"group": group})
	}
	return s
}

// told is what Kafka's admin client says.
func (f *four) told(now testkafka.Positions) standings {
	f.t.Helper()
	s := standings{
		Committed: now.Committed, Start: now.Share[f.share].Starts,
		Lag:    map[string]testkafka.Offsets{f.share: now.Share[f.share].Lags},
		Owners: map[string]map[testkafka.TopicPartition]owner{}, Members: map[string]int{},
	}
	for group, committed := range now.Committed {
		s.Lag[group] = testkafka.Offsets{}
		for at, offset := range committed {
			s.Lag[group][at] = now.LastEnds[at] - offset
		}
	}
	for _, described := range f.describeAll() {
		s.Owners[described.Group], s.Members[described.Group] = ownersOf(described), len(described.Members)
	}
	return s
}

func (f *four) describeAll() []testkafka.GroupDescription {
	f.t.Helper()
	members, err := f.DescribeGroups(f.ctx, f.classic, f.consumer)
	f.must(err)
	share, err := f.DescribeShareGroups(f.ctx, f.share)
	f.must(err)
	streams, err := f.DescribeStreamsGroups(f.ctx, f.streams)
	f.must(err)
	return slices.Concat(slices.Collect(maps.Values(members.Value)), slices.Collect(maps.Values(share.Value)), slices.Collect(maps.Values(streams.Value)))
}

// ownersOf names owners as a page does.
func ownersOf(g testkafka.GroupDescription) map[testkafka.TopicPartition]owner {
	lists := map[testkafka.TopicPartition][]string{}
	for _, m := range g.Members {
		for _, at := range m.Assignment {
			lists[at] = append(lists[at], m.ClientID+"@"+strings.TrimPrefix(m.Host, "/"))
		}
	}
	out := map[testkafka.TopicPartition]owner{}
	for at, list := range lists {
		slices.Sort(list)
		out[at] = owner(strings.Join(list, " "))
	}
	return out
}
