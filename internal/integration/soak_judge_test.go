//go:build soak

package integration

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// judge scrapes twice a second and judges every page. What it remembers of a
// page is little, so that its own memory does not look like a leak.
type judge struct {
	t           *testing.T
	lagwatch    *lagwatch
	stock       stock
	quit, ended chan struct{}
	once        sync.Once

	mu     sync.Mutex
	newest *page
	notes  []note // since they were last summed up
	pages  int
	wrong  int
}

// note is what one page said of how much is known.
type note struct {
	asked      time.Time
	up         bool
	incomplete []string       // groups
	down       []string       // brokers
	errors     map[string]int // by stage and reason, since the start
}

func startJudge(t *testing.T, l *lagwatch, s stock) *judge {
	t.Helper()
	j := &judge{t: t, lagwatch: l, stock: s, quit: make(chan struct{}), ended: make(chan struct{}), newest: l.page(t)}
	go j.run()
	t.Cleanup(func() { j.stop() })
	return j
}

// stop returns how many pages were judged.
func (j *judge) stop() int {
	j.once.Do(func() { close(j.quit) })
	<-j.ended
	return j.pages
}

func (j *judge) run() {
	defer close(j.ended)
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p, err := j.lagwatch.read()
			if err == nil {
				err = errors.Join(sane(p), counts(j.newest, p), standing(p), j.stock.sound(p), once(p), honest(p))
			}
			j.take(p, err)
		case <-j.quit:
			return
		}
	}
}

func (j *judge) take(p *page, err error) {
	if err != nil {
		if j.wrong++; j.wrong <= 20 {
			j.t.Errorf("the page at %s: %v", clock(time.Now()), err)
		}
	}
	if p == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.newest = p
	j.pages++
	j.notes = append(j.notes, noteOf(p))
}

// last asks for the newest page that was judged.
func (j *judge) last(ask func(*page) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return ask(j.newest)
}

// drainTime are the families that may be +Inf.
var drainTime = regexp.MustCompile(`_drain_(low_|high_)?seconds$`)

// sane finds values that no series may have.
func sane(p *page) error {
	for family, list := range p.families {
		if !strings.HasPrefix(family, "lagwatch_") {
			continue
		}
		for _, s := range list {
			never := math.IsInf(s.value, 1) && drainTime.MatchString(family)
			if s.value < 0 || math.IsNaN(s.value) || math.IsInf(s.value, 0) && !never {
				return fmt.Errorf("%s is %v", seriesName(family, s), s.value)
			}
		}
	}
	return nil
}

// counts finds counters that went back, or away.
func counts(before, p *page) error {
	for family, list := range before.families {
		if !strings.HasPrefix(family, "lagwatch_") || !strings.HasSuffix(family, "_total") || strings.HasPrefix(family, "lagwatch_topic_") {
			continue
		}
		for _, s := range list {
			if group, ok := s.labels["group"]; ok && len(p.find("lagwatch_group_info", labels{"group": group})) == 0 {
				continue // gone with its group
			}
			if n, ok := p.value(family, s.labels); !ok || n < s.value {
				return fmt.Errorf("%s was %v and is %v (known: %v)", seriesName(family, s), s.value, n, ok)
			}
		}
	}
	return nil
}

// standing finds a false lag of the group that stands still: each partition
// shows exactly what it is behind, or nothing; so do the sums.
func standing(p *page) error {
	known := p.groupOffsets(lagOf, standingGroup)
	for at, lag := range known {
		if lag != standingLag {
			return fmt.Errorf("%s on %v: a lag of %d, and it is %d", standingGroup, at, lag, standingLag)
		}
	}
	for at, committed := range p.groupOffsets(committedOf, standingGroup) {
		if committed != int64(at.Partition) {
			return fmt.Errorf("%s on %v: committed %d, and it is %d", standingGroup, at, committed, at.Partition)
		}
	}
	sum, ok := p.value("lagwatch_group_lag", labels{"group": standingGroup})
	if ok != (len(known) > 0) || sum != float64(standingLag*len(known)) {
		return fmt.Errorf("%s: the group's lag is %v (known: %v) with %d partitions of %d", standingGroup, sum, ok, len(known), standingLag)
	}
	if p.complete(standingGroup) && len(known) != standingPartitions {
		return fmt.Errorf("%s: complete with %d partitions", standingGroup, len(known))
	}
	return nil
}

// once finds partitions with two owners, groups with two states or none, and
// more lag series than there are partitions.
func once(p *page) error {
	for _, group := range p.groups() {
		for at, owner := range p.owners(group) {
			if strings.Contains(string(owner), " ") && group != queueGroup && group != stockGroup {
				return fmt.Errorf("%v of %s has several owners: %s", at, group, owner)
			}
		}
		if n := p.sum("lagwatch_group_state", labels{"group": group}); n > 1 {
			return fmt.Errorf("%s is in %v states", group, n)
		}
		if n := len(p.find("lagwatch_group_info", labels{"group": group})); n != 1 {
			return fmt.Errorf("%s has %d rows of info", group, n)
		}
	}
	for group := range busyGroups {
		if n := len(p.groupOffsets(lagOf, group)); n > busyPartitions {
			return fmt.Errorf("%s has %d lag series on %d partitions", group, n, busyPartitions)
		}
	}
	return nil
}

func noteOf(p *page) note {
	n := note{asked: p.asked, up: p.shows(1, "lagwatch_up", nil), errors: map[string]int{}}
	for _, s := range p.find("lagwatch_group_complete", nil) {
		if s.value == 0 {
			n.incomplete = append(n.incomplete, s.labels["group"])
		}
	}
	for _, s := range p.find("lagwatch_broker_up", nil) {
		if s.value == 0 {
			n.down = append(n.down, s.labels["broker"])
		}
	}
	for _, s := range p.find("lagwatch_poll_errors_total", nil) {
		n.errors[s.labels["stage"]+"/"+s.labels["reason"]] = int(s.value)
	}
	return n
}

// said sums up what the pages said since a moment, and forgets them.
func (j *judge) said(since time.Time) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	before, away, pages := note{}, 0, 0
	groups, brokers := map[string]bool{}, map[string]bool{}
	for _, n := range j.notes {
		if n.asked.Before(since) {
			before = n
			continue
		}
		if pages++; !n.up {
			away++
		}
		for _, g := range n.incomplete {
			groups[g] = true
		}
		for _, b := range n.down {
			brokers[b] = true
		}
	}
	var reasons []string
	for reason, n := range j.notes[len(j.notes)-1].errors {
		if more := n - before.errors[reason]; more > 0 {
			reasons = append(reasons, fmt.Sprintf("%s %d", reason, more))
		}
	}
	slices.Sort(reasons)
	j.notes = j.notes[len(j.notes)-1:]
	return fmt.Sprintf("up 0 on %d of %d pages; brokers down %v; incomplete %v; %s", away, pages,
		slices.Sorted(maps.Keys(brokers)), slices.Sorted(maps.Keys(groups)), strings.Join(reasons, ", "))
}
