package collector

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// What is cheap to tell is never too little, or a view with too many series
// would pass for one with few.
func TestMostSeries(t *testing.T) {
	everyWay(t, func(t *testing.T, o Options) {
		clusters(t, 9, 25, o, func(t *testing.T, views []*View) {
			for _, v := range views {
				if most, n := v.mostSeries(), countSeries(v); n > most {
					t.Errorf("%d series, at most %d expected", n, most)
				}
			}
		})
	})
	for name, views := range pages() {
		for _, v := range views {
			if most, n := v.mostSeries(), countSeries(v); n > most || most > 3*n+50 {
				t.Errorf("%s: %d series, at most %d expected", name, n, most)
			}
		}
	}
}

// Much of one thing leaves no room for what was forgotten of it.
func TestMostSeriesOfMuch(t *testing.T) {
	const much = 100
	var topics []part
	var owned []snapshot.TopicPartitions
	var placed []snapshot.TopicCommits
	for i := range much {
		name := fmt.Sprintf("t%02d", i)
		topics = append(topics, logOf(name, 1, stableTo(5, ends(0, 9))))
		owned, placed = append(owned, owns(name, 0)), append(placed, on(name, 1))
	}
	var sharing []snapshot.Member
	for i := range much {
		m := member(fmt.Sprintf("m%02d", i), owns("t00", 0))
		m.ClientID = m.ID
		sharing = append(sharing, m)
	}
	shared := change(func(g *snapshot.Group) { g.Type = snapshot.TypeShare })
	for name, all := range map[string][]part{
		"topics":        topics,
		"group topics":  append(topics, groupOf("g", members(member("m", owned...)), commits(placed...))),
		"owners":        append(topics[:1:1], groupOf("g", members(sharing...), shares(sharedOn("t00", 1, position(1, 8))), shared)),
		"many of those": append(crowd(much, func(int) int64 { return 1 }, present), topics...),
		"brokers, errors, requests": {func(s *snapshot.Snapshot) {
			s.Requests = map[string]int{}
			for i := range int32(much) {
				s.Brokers = append(s.Brokers, snapshot.Broker{ID: i})
				s.Requests[fmt.Sprint(i)] = 1
				s.Problems = append(s.Problems, snapshot.Problem{Stage: snapshot.Stage(1 + i%6), Reason: snapshot.Reason(i % 17), Count: 1})
			}
		}},
	} {
		v := newStoryWith(Options{Publish: allFamilies}).poll(0, all...)
		if most, n := v.mostSeries(), countSeries(v); n > most || n < much {
			t.Errorf("%s: %d series, at most %d expected", name, n, most)
		}
	}
	// What other families leave room for hides nothing here.
	ofTopics := func(_, family string, _ bool) bool { return strings.HasPrefix(family, "group_topic_") }
	v := newStoryWith(Options{Publish: ofTopics}).poll(0, append(topics, groupOf("g", members(member("m", owned...)), commits(placed...)))...)
	if most, n := v.mostSeries(), countSeries(v); n > most || n < much {
		t.Errorf("group topics alone: %d series, at most %d expected", n, most)
	}
}
