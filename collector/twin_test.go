package collector

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// twin follows the contract of the view in the dumbest way: flat maps that are
// changed in place, an absent entry for what is unknown. It knows what must be
// shown; the view must say the same.
type twin struct {
	now time.Time

	state     map[spot]PairState // every pair has one
	fresh     map[spot]bool
	read      map[spot]time.Time
	committed map[spot]int64
	lag       map[spot]int64
	lost      map[spot]int64
	available map[spot]int64
	owner     map[spot]string
	start     map[spot]int64 // of share groups
	begun     map[spot]bool
	ids       map[[2]string]byte // by group and topic

	groups map[string]*twinGroup
	topics map[string]*twinTopic
	gone   map[string]*twinTopic
	est    twinEstimates
}

type spot struct {
	group, topic string
	partition    int32
}

type twinGroup struct {
	complete                             bool
	state                                snapshot.GroupState
	stateAt, ownersAt, readAt, membersAt time.Time
	members                              int
}

type twinTopic struct {
	id               byte
	at               time.Time
	recreated, added int
	parts            []twinLog // nil: unknown
}

// twinLog is a partition's log; −1 is unknown.
type twinLog struct {
	start, end int64
	read       time.Time // the end
	startRead  time.Time
}

func newTwin() *twin {
	return &twin{
		state: map[spot]PairState{}, fresh: map[spot]bool{}, read: map[spot]time.Time{}, committed: map[spot]int64{},
		lag: map[spot]int64{}, lost: map[spot]int64{}, available: map[spot]int64{}, owner: map[spot]string{},
		start: map[spot]int64{}, begun: map[spot]bool{},
		ids: map[[2]string]byte{}, groups: map[string]*twinGroup{}, topics: map[string]*twinTopic{},
		gone: map[string]*twinTopic{}, est: newTwinEstimates(),
	}
}

func (w *twin) young(t time.Time) bool { return w.now.Sub(t) <= chaosStale }

// set makes a pair from nothing but what it is given.
func (w *twin) set(k spot, state PairState, read time.Time, fresh bool) {
	delete(w.committed, k)
	delete(w.lag, k)
	delete(w.lost, k)
	delete(w.available, k)
	delete(w.start, k)
	w.state[k], w.read[k], w.fresh[k] = state, read, fresh
}

// miss is a pair that was not renewed: as it was, until it is too old.
func (w *twin) miss(k spot) {
	if w.fresh[k] = false; !w.young(w.read[k]) {
		w.set(k, PairUnread, w.read[k], false)
	}
}

func (w *twin) forget(k spot) {
	w.set(k, 0, time.Time{}, false)
	delete(w.state, k)
	delete(w.read, k)
	delete(w.fresh, k)
	delete(w.owner, k)
	delete(w.begun, k)
	delete(w.est.pairs, k)
}

// pairs are those of a group that exist now, on one topic or, with "", on all.
func (w *twin) pairs(group, topic string) []spot {
	var list []spot
	for k := range w.state {
		if k.group == group && (topic == "" || k.topic == topic) {
			list = append(list, k)
		}
	}
	return list
}

func (w *twin) poll(s *snapshot.Snapshot, err error, now time.Time) {
	w.now = now
	if err == nil {
		w.est.clock.Begin(snapshot.InstantOf(s.Started))
	}
	for id := range w.groups {
		if _, there := s.Group(id); !there && err == nil {
			for _, k := range w.pairs(id, "") {
				w.forget(k)
			}
			delete(w.groups, id)
			delete(w.est.rewinds, id)
		}
	}
	for name, t := range w.topics {
		if _, there := s.Topic(name); !there && err == nil {
			w.gone[name] = t
			delete(w.topics, name)
			w.est.reset(name)
		} else if err != nil {
			w.missTopic(t)
		}
	}
	for id, g := range w.groups {
		if err == nil {
			continue
		}
		g.complete = false
		w.ageGroup(g)
		for _, k := range w.pairs(id, "") {
			w.miss(k)
			if !w.young(g.ownersAt) {
				delete(w.owner, k)
			}
		}
	}
	for i := range s.Topics {
		w.topic(&s.Topics[i], s.Finished)
	}
	for i := range s.Groups {
		w.group(&s.Groups[i], s)
	}
}

func (w *twin) missTopic(t *twinTopic) {
	if !w.young(t.at) {
		t.parts = nil
	}
	for i := range t.parts {
		if !w.young(t.parts[i].read) {
			t.parts[i] = twinLog{start: -1, end: -1}
		}
	}
}

func (w *twin) topic(s *snapshot.Topic, at time.Time) {
	t := w.topics[s.Name]
	known := t != nil
	if !known {
		t = &twinTopic{}
		w.topics[s.Name] = t
		if old := w.gone[s.Name]; old != nil {
			t.recreated, t.added = old.recreated, old.added
			if old.id != s.ID[0] || s.ID[0] == 0 {
				t.recreated++
			}
			delete(w.gone, s.Name)
		}
	}
	if known && t.id != 0 && s.ID[0] != 0 && t.id != s.ID[0] {
		t.recreated++
		t.at, t.parts = at, nil
		w.est.reset(s.Name)
	}
	w.est.configs[s.Name] = s.Config
	if s.ID[0] != 0 {
		t.id = s.ID[0]
	}
	if s.Partitions == nil {
		if !known {
			t.at = at
		}
		w.missTopic(t)
		return
	}
	if more := len(s.Partitions) - len(t.parts); len(t.parts) > 0 && more > 0 {
		t.added += more
	}
	parts := make([]twinLog, len(s.Partitions))
	for i, p := range s.Partitions {
		w.est.read(twinColumn{s.Name, i, false}, p.End, p.Start)
		w.est.read(twinColumn{s.Name, i, true}, p.LastStable, p.Start)
		parts[i] = twinLog{start: -1, end: -1}
		if i < len(t.parts) {
			parts[i] = t.parts[i]
		}
		if r, ok := p.Start.Get(); ok {
			parts[i].start, parts[i].startRead = r.Offset, timeOf(r.At)
		} else if !w.young(parts[i].startRead) {
			parts[i].start = -1
		}
		if r, ok := p.End.Get(); ok {
			parts[i].end, parts[i].read = r.Offset, timeOf(r.At)
		}
	}
	t.at, t.parts = at, parts
	w.missTopic(t)
}

func (w *twin) ageGroup(g *twinGroup) {
	if !w.young(g.stateAt) {
		g.state = snapshot.StateUnknown
	}
	if !w.young(g.membersAt) {
		g.members = -1
	}
}

func (w *twin) group(s *snapshot.Group, all *snapshot.Snapshot) {
	g := w.groups[s.ID]
	if g == nil {
		g = &twinGroup{members: -1}
		w.groups[s.ID] = g
	}
	if s.State != snapshot.StateUnknown {
		g.state, g.stateAt = s.State, all.Finished
	}
	m, described := s.Members.Get()
	if described {
		g.members, g.membersAt = len(m.List), m.At
	}
	w.ageGroup(g)

	c, read := s.Commits.Get()
	if sh, ok := s.Shares.Get(); ok {
		c.At, read = sh.At, true
	}
	g.complete = described && read
	w.est.isolated[s.ID] = s.ReadCommitted
	topics := map[string]bool{}
	offsets := map[spot]snapshot.Maybe[int64]{}
	shares := map[spot]snapshot.Share{}
	sh, _ := s.Shares.Get()
	for _, t := range sh.Topics {
		topics[t.Topic] = true
		for _, p := range t.Partitions {
			shares[spot{s.ID, t.Topic, p.Partition}] = p
		}
	}
	for _, t := range c.Topics {
		topics[t.Topic] = true
		for _, p := range t.Partitions {
			offsets[spot{s.ID, t.Topic, p.Partition}] = p.Offset
		}
	}
	assigned := map[spot]string{}
	for _, one := range m.List {
		for _, name := range one.Subscribed {
			topics[name] = true
		}
		for _, t := range one.Assignment {
			for _, p := range t.Partitions {
				if m.Assigned {
					topics[t.Topic] = true
					assigned[spot{s.ID, t.Topic, p}] = one.ID
				}
			}
		}
	}
	for _, k := range w.pairs(s.ID, "") {
		if !read || !m.Assigned {
			topics[k.topic] = true
		}
	}
	if m.Assigned {
		g.ownersAt = m.At
	}
	for _, k := range w.pairs(s.ID, "") {
		if !topics[k.topic] {
			w.forget(k)
		}
	}
	for name := range topics {
		w.groupTopic(g, s, name, all, c, read, offsets, shares, assigned)
	}
	for _, k := range w.pairs(s.ID, "") {
		if owner, ok := assigned[k]; ok {
			w.owner[k] = owner
		} else if m.Assigned || !w.young(g.ownersAt) {
			delete(w.owner, k)
		}
		g.complete = g.complete && w.fresh[k]
	}
	if g.complete {
		g.readAt = all.Finished
	}
}

func (w *twin) groupTopic(g *twinGroup, of *snapshot.Group, name string, all *snapshot.Snapshot, c snapshot.Commits, read bool,
	offsets map[spot]snapshot.Maybe[int64], shares map[spot]snapshot.Share, assigned map[spot]string) {
	group := of.ID
	log, exists := all.Topic(name)
	unlisted := exists && log.Partitions == nil
	if unlisted {
		g.complete = false
	}
	had := w.pairs(group, name)
	if len(had) == 0 {
		delete(w.ids, [2]string{group, name})
	}
	if exists && log.ID[0] != 0 {
		if old := w.ids[[2]string{group, name}]; old != 0 && old != log.ID[0] {
			for _, k := range had {
				w.forget(k)
			}
			had = nil
		}
		w.ids[[2]string{group, name}] = log.ID[0]
	}
	wanted := map[spot]bool{}
	for k := range offsets {
		wanted[k] = true
	}
	for k := range shares {
		wanted[k] = true
	}
	for k := range assigned {
		wanted[k] = true
	}
	parts := map[spot]snapshot.Partition{}
	if exists {
		for _, p := range log.Partitions {
			wanted[spot{group, name, p.ID}] = true
			parts[spot{group, name, p.ID}] = p
		}
	}
	for _, k := range had {
		if !read || unlisted {
			wanted[k] = true
		} else if !wanted[k] {
			w.forget(k)
		}
	}
	for k := range wanted {
		if k.topic != name {
			continue
		}
		p, there := parts[k]
		if of.ReadCommitted {
			p.End = p.LastStable
		}
		if of.Type == snapshot.TypeShare {
			w.share(k, p, there || unlisted, shares, read, c.At, exists && otherTopic(of, name, log.ID), w.ownerNow(of, k, assigned))
			continue
		}
		offset, committed := offsets[k]
		switch {
		case !read || committed && !offset.Known():
			w.miss(k)
		case !there && !unlisted && committed:
			w.set(k, PairNoPartition, c.At, true)
			w.est.unplaced(k)
			w.committed[k] = offset.Or(0)
		case !there && !unlisted:
			w.forget(k)
		case committed:
			w.position(k, p, offset.Or(0), c.At, w.ownerNow(of, k, assigned))
		default:
			w.noPosition(k, p, c.At)
		}
	}
}

// ownerNow is who owns a partition, as far as that is known or was not long ago.
func (w *twin) ownerNow(of *snapshot.Group, k spot, assigned map[spot]string) string {
	if m, _ := of.Members.Get(); m.Assigned || !w.young(w.groups[of.ID].ownersAt) {
		return assigned[k]
	}
	return w.owner[k]
}

func (w *twin) position(k spot, p snapshot.Partition, offset int64, at time.Time, owner string) {
	end, okEnd := p.End.Get()
	start, okStart := p.Start.Get()
	if !okEnd || !okStart {
		w.miss(k)
		if s := w.state[k]; s != PairCommitted && s != PairBeyondEnd {
			w.set(k, PairUnread, at, false)
		}
		w.committed[k] = offset
		return
	}
	w.set(k, PairCommitted, timeOf(end.At), true)
	w.committed[k] = offset
	w.lag[k] = max(0, end.Offset-max(offset, start.Offset))
	w.lost[k] = max(0, start.Offset-offset)
	if offset > end.Offset {
		w.state[k] = PairBeyondEnd
	}
	where := rates.Position{At: snapshot.InstantOf(at), Committed: offset, Oldest: max(offset, start.Offset), Lag: w.lag[k], End: end.Offset}
	w.est.seen(k, where, p.Start, false, owner, timeOf(end.At))
}

func (w *twin) noPosition(k spot, p snapshot.Partition, at time.Time) {
	end, okEnd := p.End.Get()
	start, okStart := p.Start.Get()
	if !okEnd || !okStart {
		if w.state[k] == PairUncommitted && w.young(w.read[k]) {
			w.fresh[k] = false
		} else {
			w.set(k, PairUncommitted, at, false)
		}
		return
	}
	w.set(k, PairUncommitted, at, true)
	w.est.unplaced(k)
	w.available[k] = max(0, end.Offset-start.Offset)
	if end.Offset <= start.Offset {
		w.lag[k] = 0
	}
}

// otherTopic tells whether a share group's positions are on a topic of another
// id than the one that the log has.
func otherTopic(of *snapshot.Group, name string, id snapshot.TopicID) bool {
	s, _ := of.Shares.Get()
	for _, t := range s.Topics {
		if t.Topic == name {
			return t.ID[0] != 0 && id[0] != 0 && t.ID != id
		}
	}
	return false
}

func (w *twin) share(k spot, p snapshot.Partition, there bool, shares map[spot]snapshot.Share, read bool, at time.Time, other bool, owner string) {
	s, listed := shares[k]
	start, lag := s.Start.Or(-1), s.Lag.Or(-1)
	switch {
	case !read || other:
		w.miss(k)
	case !there && !listed:
		w.forget(k)
	case !there:
		w.set(k, PairNoPartition, at, true)
		w.est.unplaced(k)
	case !listed || s.NoPosition && !w.begun[k]:
		delete(w.begun, k)
		w.noPosition(k, p, at)
	case start < 0:
		w.miss(k)
	case lag < 0:
		w.miss(k)
		if _, had := w.lag[k]; !had || w.state[k] != PairCommitted {
			w.set(k, PairCommitted, at, false)
		}
		w.begun[k] = true
	default:
		w.set(k, PairCommitted, at, true)
		w.lag[k], w.begun[k] = lag, true
		if end, ok := p.End.Get(); ok {
			where := rates.Position{At: snapshot.InstantOf(at), Committed: max(0, end.Offset-lag), Oldest: start, Lag: lag, End: end.Offset}
			w.est.seen(k, where, p.Start, true, owner, at)
		}
	}
	if start >= 0 && listed && read && !other && w.state[k] != PairUncommitted {
		w.start[k] = start
	}
}
