package collector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// chaos makes random polls of a small cluster in which everything goes wrong
// that a snapshot can express. The same seed makes the same polls.
type chaos struct {
	*rand.Rand
	sec    float64
	outage int // polls that are still going to fail
	topics map[string]*chaosTopic
	lastID byte
}

type chaosTopic struct {
	id         byte
	start, end []int64
}

func newChaos(seed uint64) *chaos {
	return &chaos{Rand: rand.New(rand.NewPCG(seed, 42)), topics: map[string]*chaosTopic{}}
}

func (c *chaos) percent(n int) bool { return c.IntN(100) < n }

// next is the next poll, about ten seconds after the one before.
func (c *chaos) next() (*snapshot.Snapshot, error) {
	c.sec += 9.6 + 0.8*c.Float64()
	if c.outage == 0 && c.percent(6) {
		c.outage = 1 + c.IntN(6)
	}
	if c.outage > 0 {
		c.outage--
		s := poll(c.sec)
		s.ClusterID, s.Problems = "", c.problems(1)
		return s, errTest
	}
	s := poll(c.sec, c.cluster, c.logs, c.groups)
	s.Problems = c.problems(c.IntN(3))
	s.Requests = map[string]int{"Metadata": 1, "ListGroups": c.IntN(3)}
	return s, nil
}

func (c *chaos) problems(n int) []snapshot.Problem {
	var list []snapshot.Problem
	for range n {
		list = append(list, snapshot.Problem{Stage: snapshot.Stage(1 + c.IntN(6)), Reason: snapshot.Reason(c.IntN(17)), Count: 1 + c.IntN(9)})
	}
	return list
}

func (c *chaos) cluster(s *snapshot.Snapshot) {
	for id := range int32(1 + c.IntN(3)) {
		b := snapshot.Broker{ID: id, Addr: fmt.Sprintf("b%d:9092", id)}
		if c.percent(90) {
			b.Answered = snapshot.Known(c.percent(80))
		}
		s.Brokers = append(s.Brokers, b)
	}
}

// logs creates, deletes, recreates, grows and moves topics, and lists them with
// parts missing.
func (c *chaos) logs(s *snapshot.Snapshot) {
	for _, name := range []string{"a", "b", "c"} {
		t := c.topics[name]
		if t != nil && c.percent(4) {
			delete(c.topics, name)
			continue
		}
		if t == nil || c.percent(4) {
			c.lastID++
			t = &chaosTopic{id: max(1, c.lastID)}
			c.topics[name] = t
		}
		if len(t.end) == 0 || len(t.end) < 4 && c.percent(5) {
			t.start, t.end = append(t.start, 0), append(t.end, int64(c.IntN(50)))
		}
		c.list(s, name, t)
	}
}

func (c *chaos) list(s *snapshot.Snapshot, name string, t *chaosTopic) {
	id := t.id
	if c.percent(10) {
		id = 0
	}
	var logs []snapshot.Partition
	for i := range t.end {
		t.end[i] += int64(c.IntN(20))
		if c.percent(10) {
			t.start[i] = t.end[i] - int64(c.IntN(int(min(t.end[i], 20))+1))
		}
		p := ends(t.start[i], t.end[i])
		if c.percent(12) {
			p.End, p.Leader = snapshot.Maybe[snapshot.Reading]{}, snapshot.Maybe[int32]{}
		}
		if c.percent(4) {
			p.Start = snapshot.Maybe[snapshot.Reading]{}
		}
		if c.percent(85) {
			p = stableTo(max(t.start[i], t.end[i]-int64(c.IntN(9))), p)
		}
		logs = append(logs, p)
	}
	if c.percent(10) {
		logs = nil
	}
	logOf(name, id, logs...)(s)
	if c.percent(90) {
		s.Topics[len(s.Topics)-1].Config = snapshot.Known(snapshot.TopicConfig{
			Delete: c.percent(90), RetentionTime: snapshot.Known(time.Minute), RetentionBytes: c.percent(30), Remote: snapshot.Known(c.percent(20)),
		})
	}
}

func (c *chaos) groups(s *snapshot.Snapshot) {
	for _, id := range []string{"careful", "g", "h", "i", "shared"} {
		if c.percent(5) {
			continue
		}
		var p []groupPart
		switch n := c.IntN(100); {
		case n < 15:
		case n < 35:
			p = append(p, rebalancing(c.members()...))
		default:
			p = append(p, members(c.members()...))
		}
		switch read := c.percent(85); {
		case id == "shared" && read:
			p = append(p, shares(c.shares()...))
		case read:
			p = append(p, commits(c.commits()...))
		}
		if c.percent(10) {
			p = []groupPart{nothingKnown()}
		}
		if c.percent(50) {
			p = append(p, change(func(g *snapshot.Group) { g.Generation = snapshot.Known(c.Int32N(9)) }))
		}
		switch id {
		case "shared":
			p = append(p, sharesUnread()) // where they are read, it changes nothing
		case "careful":
			p = append(p, readCommitted())
		}
		groupOf(id, p...)(s)
	}
}

// shares are of this incarnation of a topic or another, with positions, errors
// and none, on partitions that do not exist included.
func (c *chaos) shares() []snapshot.TopicShares {
	var list []snapshot.TopicShares
	for _, name := range []string{"a", "b", "c"} {
		if c.percent(20) {
			continue
		}
		id := byte(c.IntN(3))
		if t := c.topics[name]; t != nil && c.percent(80) {
			id = t.id
		}
		var all []snapshot.Share
		for range 1 + c.IntN(5) {
			start := int64(c.IntN(100))
			all = append(all, []snapshot.Share{position(start, int64(c.IntN(50))), position(start, 0), lagUnknown(start), noPosition(), refusedShare()}[c.IntN(5)])
		}
		list = append(list, sharedOn(name, id, all...))
	}
	return list
}

// members share out partitions, of which some may not exist.
func (c *chaos) members() []snapshot.Member {
	list := make([]snapshot.Member, c.IntN(4))
	for i := range list {
		list[i] = snapshot.Member{ID: fmt.Sprintf("m%d", 10*c.IntN(3)+i), ClientID: "app", Host: "h"}
	}
	slices.SortFunc(list, func(a, b snapshot.Member) int { return int(a.ID[1]) - int(b.ID[1]) })
	if len(list) == 0 {
		return list
	}
	for _, name := range []string{"a", "b", "c"} {
		if c.percent(30) {
			m := &list[c.IntN(len(list))]
			m.Subscribed = append(m.Subscribed, name)
		}
		owned := map[int][]int32{}
		for p := range int32(5) {
			if c.percent(40) {
				i := c.IntN(len(list))
				owned[i] = append(owned[i], p)
			}
		}
		for i, p := range owned {
			list[i].Assignment = append(list[i].Assignment, owns(name, p...))
		}
	}
	return list
}

// commits are anywhere, beyond the end and on partitions that do not exist
// included.
func (c *chaos) commits() []snapshot.TopicCommits {
	var list []snapshot.TopicCommits
	for _, name := range []string{"a", "b", "c"} {
		if c.percent(30) {
			continue
		}
		var offsets []int64
		for range 5 {
			switch n := c.IntN(100); {
			case n < 40:
				offsets = append(offsets, none)
			case n < 50:
				offsets = append(offsets, unread)
			default:
				offsets = append(offsets, int64(c.IntN(300)))
			}
		}
		if t := on(name, offsets...); len(t.Partitions) > 0 {
			list = append(list, t)
		}
	}
	return list
}
