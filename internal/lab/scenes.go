package lab

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// Scenarios are all scenes, in the order in which the demo lists them: those in
// which all is well, then one for each condition of rates/diagnosis. The caller
// owns the slice.
func Scenarios() []Scenario {
	return slices.Concat(calmScenes(), readingScenes(), positionScenes(), memberScenes(), stalledScenes(), fallingScenes())
}

// scene sets a scenario step by step. After a step failed the later ones do
// nothing, and ready stops what was started.
type scene struct {
	Scenario
	ctx context.Context
	c   *Cluster
	r   *Running
	err error
}

func set(ctx context.Context, c *Cluster, name string) *scene {
	s := &scene{ctx: ctx, c: c, r: c.newRunning()}
	s.Scenario, _ = Find(name)
	s.step(func() error { return c.adopt(s.r) })
	s.step(func() error { return c.CreateTopic(s.Topic, int32(s.Partitions)) })
	return s
}

func (s *scene) step(fn func() error) {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err == nil {
		s.err = fn()
	}
}

// backlog has n records per partition waiting, of which the group committed
// all but the last lag. They came in over the span that ends now.
func (s *scene) backlog(n, lag int, span time.Duration) {
	s.step(func() error { return s.c.Backlog(s.ctx, s.Topic, n, span) })
	s.step(func() error {
		next := make(map[int32]int64)
		for p := range int32(s.Partitions) {
			next[p] = int64(n - lag)
		}
		return s.c.CommitAll(s.ctx, s.Group, s.Topic, next)
	})
}

// produce starts the producer, to the scene's topic.
func (s *scene) produce(spec ProducerSpec) (p *Producer) {
	s.step(func() (err error) {
		spec.Topic = s.Topic
		if p, err = s.c.StartProducer(spec); err == nil {
			s.r.add(p)
		}
		return err
	})
	return p
}

// consume starts n members of the scene's group on its topic.
func (s *scene) consume(n int, spec ConsumerSpec) []*Consumer { return s.consumeFrom(0, n, spec) }

// consumeFrom starts n members, of which the first has the number first.
func (s *scene) consumeFrom(first, n int, spec ConsumerSpec) []*Consumer {
	var ms []*Consumer
	for i := first; i < first+n; i++ {
		s.step(func() error {
			m, err := s.c.StartConsumer(s.member(i, spec))
			if err == nil {
				s.r.add(m)
				ms = append(ms, m)
			}
			return err
		})
	}
	return ms
}

// member completes a spec with the scene's names.
func (s *scene) member(i int, spec ConsumerSpec) ConsumerSpec {
	spec.Group, spec.Topics = s.Group, []string{s.Topic}
	spec.ClientID = fmt.Sprintf("%s-%d", s.Group, i)
	return spec
}

// comeAndGo makes functions that let one more member join and leave. They
// must be called in turn, one at a time.
func (s *scene) comeAndGo(i int, spec ConsumerSpec) (come, leave func()) {
	var extra atomic.Pointer[Consumer]
	come = func() {
		m, err := s.c.StartConsumer(s.member(i, spec))
		if err != nil {
			s.failed(err)
			return
		}
		s.r.add(m)
		extra.Store(m)
	}
	leave = func() {
		if m := extra.Swap(nil); m != nil {
			s.r.end(m)
		}
	}
	return come, leave
}

// failed tells of what goes wrong once the scene plays.
func (s *scene) failed(err error) { s.c.logf("scene %s: %v", s.Name, err) }

// relieve lets the scene recover whenever it has gone as far as it may.
func (s *scene) relieve(on, off func()) { s.relieveAt(reliefAt, on, off) }

// relieveAt lets the scene recover whenever the lag of one partition is at.
func (s *scene) relieveAt(at int64, on, off func()) { s.swing(at, reliefUntil, on, off) }

// swing calls on whenever the lag of one partition is at, off whenever no
// partition's is above until, in turn.
func (s *scene) swing(at, until int64, on, off func()) {
	s.step(func() error {
		s.r.relieve(relief{s.Topic, s.Group, at, until, on, off}, reliefEvery)
		return nil
	})
}

// after calls fn once, when the scene has played for d.
func (s *scene) after(d time.Duration, fn func()) {
	s.step(func() error {
		s.r.after(d, fn)
		return nil
	})
}

// every calls fn again and again.
func (s *scene) every(d time.Duration, fn func()) {
	s.step(func() error {
		s.r.every(d, fn)
		return nil
	})
}

func (s *scene) ready() (*Running, error) {
	if s.err != nil {
		s.r.Stop()
		return nil, s.err
	}
	return s.r, nil
}

func setDelay(ms []*Consumer, d time.Duration) func() {
	return func() {
		for _, m := range ms {
			m.SetDelay(d)
		}
	}
}
