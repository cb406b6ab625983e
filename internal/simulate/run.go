package simulate

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// Topic and Group are what traces call the simulated ones.
const (
	Topic = "topic"
	Group = "group"
)

// Run is a simulated trace, and the broker that it is of.
type Run struct {
	Trace trace.Trace
	// Looks are what the polls saw of the group as a whole: one for each, in the order
	// of time, those included that failed and are not in Trace.
	Looks []Look
	world *world
}

// Make simulates a scenario.
func (s Scenario) Make(seed uint64) Run {
	name := fnv.New64a()
	name.Write([]byte(s.Name))
	r := rand.New(rand.NewPCG(seed, name.Sum64()))
	return simulate(s.Build(r), r, trace.Header{Name: s.Name, Seed: seed})
}

func simulate(setup Setup, r *rand.Rand, header trace.Header) Run {
	w := newWorld(setup, r)
	header.Interval = trace.Moment(setup.Polls.Every)
	run := Run{Trace: trace.Trace{Header: header}, world: w}
	last := int(setup.Length.Seconds() / step)
	for _, look := range setup.Polls.schedule(r, last) {
		for w.at < look.commits {
			w.step()
		}
		if w.now() < w.downUntil {
			continue
		}
		positions, group := w.committed(), w.look()
		for w.at < look.ends {
			w.step()
		}
		if r.Float64() < setup.Polls.Lost {
			group.Poll = -1
			run.Looks = append(run.Looks, group)
			continue
		}
		group.Poll = len(run.Trace.Polls)
		run.Looks = append(run.Looks, group)
		run.Trace.Polls = append(run.Trace.Polls, w.poll(look, positions))
	}
	for w.at < last {
		w.step()
	}
	return run
}

// look is when a poll reads, in steps.
type look struct{ commits, ends int }

// schedule is when polls look, up to a step.
func (p Polls) schedule(r *rand.Rand, last int) []look {
	var list []look
	every := p.Every.Seconds()
	first := r.Float64() * every
	for k := 0.0; ; k++ {
		begin := 1 + int((first+every*(k+p.Jitter*r.Float64()))/step)
		end := begin + int(math.Round(p.Between.Seconds()*r.Float64()/step))
		if end > last {
			return list
		}
		if n := len(list); n > 0 && begin <= list[n-1].ends {
			continue // the poll before is not done
		}
		list = append(list, look{begin, end})
	}
}

// position is what is committed, and since when.
type position struct {
	committed int64
	since     float64 // 0 if it never changed
}

func (w *world) committed() []position {
	list := make([]position, len(w.parts))
	for i, p := range w.parts {
		list[i] = position{p.committed, p.commitAt}
	}
	return list
}

// poll is what one saw that read the commits before.
func (w *world) poll(at look, committed []position) trace.Poll {
	read := float64(at.commits) * step
	begun := moment(read)
	poll := trace.Poll{At: begun, Restart: w.restart}
	if w.restart {
		w.begin(read)
	}
	for i, p := range w.parts {
		if w.random.Float64() < w.setup.Polls.LostOne {
			continue
		}
		was := committed[i]
		p.seen.observe(w.now(), was.committed, was.since)
		truth := w.truth(p, was.committed)
		if was.since > 0 {
			age := read - was.since
			truth.CommitAge = &age
		}
		poll.Logs = append(poll.Logs, trace.Log{Topic: Topic, Partition: int32(i), Start: p.start, End: p.end(), At: moment(w.now())})
		poll.Positions = append(poll.Positions, trace.Position{
			Group: Group, Topic: Topic, Partition: int32(i), Committed: was.committed, At: begun,
			Owner: p.ownerName(), Truth: truth,
		})
	}
	return poll
}

// begin forgets what polls have seen, as they do.
func (w *world) begin(now float64) {
	w.restart = false
	for _, p := range w.parts {
		p.cut, p.seen = now, seen{}
	}
}

func (p *partition) ownerName() string {
	if p.owner == nobody {
		return ""
	}
	return "member-" + strconv.Itoa(p.owner)
}

// moment rounds to the millisecond.
func moment(seconds float64) trace.Moment {
	return trace.Moment(math.Round(seconds*1000)) * trace.Moment(time.Millisecond)
}

// Retain is how long records are kept, 0 for ever.
func (r Run) Retain() time.Duration { return r.world.setup.Retain }

// Deleted tells when a record that is there at a moment really is deleted: not before
// its time, at the next moment at which somebody looks. False if never.
func (r Run) Deleted(partition int32, offset int64, now trace.Moment) (at trace.Moment, ok bool) {
	p, keep := r.world.parts[partition], r.world.setup.Retain.Seconds()
	if keep == 0 || offset >= p.end() {
		return 0, false
	}
	looks := math.Floor((max(p.passed(offset)+keep, now.Seconds())+step/2)/looksEvery) + 1
	return moment(looks * looksEvery), true
}

// Lookup answers as a broker does: the first offset that arrived at a moment or later
// (negative for before the beginning), and when that was; false if there was none
// until now.
func (r Run) Lookup(partition int32, at, now trace.Moment) (offset int64, stamp trace.Moment, found bool) {
	p := r.world.parts[partition]
	// A broker has milliseconds only, in questions and in timestamps, which are rounded.
	asked := at - at%trace.Moment(time.Millisecond)
	if asked < at {
		asked += trace.Moment(time.Millisecond)
	}
	offset = p.since(asked.Seconds() - 0.0005)
	if stamp = moment(p.passed(offset)); offset >= p.end() || stamp > now {
		return 0, 0, false
	}
	return offset, stamp, true
}

// Partitions is how many there are.
func (r Run) Partitions() int { return len(r.world.parts) }
