//go:build !breaking && !soak

package integration

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// settling follows one group: what its members report, and what the page says.
type settling struct {
	*kafka
	l          *lagwatch
	group      string
	protocol   testkafka.Protocol
	partitions int
	// members is how many there are by now.
	members int
	// fresh says that no member was there in the round before. Classic members
	// can't tell their generation then.
	fresh bool
}

// change has a member join, with a new member id, or one leave.
func (s *settling) change(join, leave string) {
	s.t.Helper()
	if join != "" {
		s.consumer(testkafka.ConsumerSpec{
			ID: s.group + "-" + join, Group: s.group, Topics: []string{"owners"}, Protocol: s.protocol,
			Processing: time.Millisecond, MaxPollRecords: 50,
		})
		s.members++
	}
	if leave != "" {
		s.must(s.CloseConsumer(s.ctx, s.group+"-"+leave))
		s.members--
	}
}

// membership is what the page and the members both tell of a group.
type membership struct {
	Members, Idle int
	State         string
	Owners        map[testkafka.TopicPartition]owner
	// Generation is that of classic groups, or the epoch; 0 where it isn't
	// compared.
	Generation int
}

// settled waits until the members have settled and the page says the same as
// they do.
func (s *settling) settled(step string) {
	s.t.Helper()
	began := time.Now()
	s.must(s.WaitAssigned(s.ctx, s.group, testkafka.Spread(s.members, s.partitions)))
	assigned := time.Since(began)
	var want, got membership
	defer func() {
		if diff := cmp.Diff(want, got); diff != "" {
			s.t.Errorf("%s, %s (-members +page):\n%s", s.group, step, diff)
		}
	}()
	s.l.await(s.t, 20*time.Second, step+": the page to say what the members do", func(p *page) bool {
		// The members may go through one more round without any change.
		want, got = s.reported(), s.shown(p)
		return cmp.Equal(want, got)
	})
	generation := "which can't be told"
	if want.Generation != 0 {
		generation = fmt.Sprint(want.Generation)
	}
	s.t.Logf("%-18s %-12s %d members, generation %s: assigned after %.1f s, on the page %.1f s later",
		s.group, step, want.Members, generation, assigned.Seconds(), (time.Since(began) - assigned).Seconds())
}

// tellsGeneration is whether the page can know it: see fresh.
func (s *settling) tellsGeneration() bool { return s.protocol == testkafka.Consumer || !s.fresh }

// reported is what the members report. While they differ in their generation it
// is −1, which no page shows.
func (s *settling) reported() membership {
	m := membership{State: "stable", Owners: map[testkafka.TopicPartition]owner{}}
	for id, partitions := range s.Owners(s.group) {
		m.Members++
		for _, at := range partitions {
			m.Owners[at] = owner(id + "@127.0.0.1")
		}
		state, _ := s.State(id)
		switch {
		case !s.tellsGeneration():
		case state.Generation == nil || m.Generation != 0 && m.Generation != *state.Generation:
			m.Generation = -1
		default:
			m.Generation = *state.Generation
		}
	}
	return m
}

// shown is what a page shows of the group.
func (s *settling) shown(p *page) membership {
	of := labels{"group": s.group}
	m := membership{Owners: p.owners(s.group), State: "unknown"}
	m.Members = shownInt(p, "lagwatch_group_members", of)
	m.Idle = shownInt(p, "lagwatch_group_idle_members", of)
	if s.tellsGeneration() {
		m.Generation = shownInt(p, "lagwatch_group_generation", of)
	}
	for _, state := range p.find("lagwatch_group_state", of) {
		if state.value == 1 {
			m.State = state.labels["state"]
		}
	}
	return m
}

// shownInt is a value on the page; −2 if there is none.
func shownInt(p *page, name string, of labels) int {
	if n, ok := p.value(name, of); ok {
		return int(n)
	}
	return -2
}

// steadySeries checks page after page that groups keep exactly their series.
type steadySeries struct {
	groups    []string
	want      []testkafka.TopicPartition
	committed map[string]testkafka.Offsets // on the page before
}

func (s *steadySeries) check(p *page) error {
	if err := checkSeries(p, s.groups, s.want); err != nil {
		return err
	}
	if s.committed == nil {
		s.committed = map[string]testkafka.Offsets{}
	}
	for _, group := range s.groups {
		now := p.groupOffsets(committedOf, group)
		for at, offset := range s.committed[group] {
			if now[at] < offset {
				return fmt.Errorf("%s at %v: committed went back from %d to %d", group, at, offset, now[at])
			}
		}
		s.committed[group] = now
		for at, owner := range p.owners(group) {
			if strings.Contains(string(owner), " ") {
				return fmt.Errorf("%s at %v has several owners: %s", group, at, owner)
			}
		}
	}
	return nil
}

// checkSeries checks that each group has exactly one lag and one committed
// offset for each partition.
func checkSeries(p *page, groups []string, want []testkafka.TopicPartition) error {
	for _, group := range groups {
		for _, name := range []string{lagOf, committedOf} {
			if diff := cmp.Diff(want, placesOf(p.groupOffsets(name, group))); diff != "" {
				return fmt.Errorf("%s of %s (-want +page):\n%s", name, group, diff)
			}
		}
	}
	return nil
}
