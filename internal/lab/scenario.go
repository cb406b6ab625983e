package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Scenario is a named scene: a topic, a group on it, traffic, and what is to
// be seen. Scenes share nothing, so any set of them can run at once.
type Scenario struct {
	Name    string // as on the command line
	Summary string // one sentence: what happens
	Topic   string
	Group   string

	// Shows is the condition of rates/diagnosis, by its name, that holds of
	// the group before any other once the scene has played for a minute or
	// two; "" where none does. A scene that Recovers now and then, so that it
	// can go on for days, has it in the times between.
	Shows    string
	Recovers bool

	// What whoever watches has to be told of the group: Expected says that its
	// absence is a fault, ReadCommitted that it reads committed records only.
	Expected, ReadCommitted bool

	// Members is how many the group has once the scene is set; of a scene that
	// changes them on purpose, those that stay. Partitions is how many the
	// topic has, and members own all but Unowned of them.
	Members, Partitions, Unowned int

	// Setup sets the scene and returns when its traffic has started. ctx
	// bounds the setting only. A group that is to be behind is so when Setup
	// returns; its members may still be joining.
	Setup func(ctx context.Context, c *Cluster) (*Running, error)
}

// Find is the scenario of that name.
func Find(name string) (Scenario, bool) {
	for _, s := range Scenarios() {
		if s.Name == name {
			return s, true
		}
	}
	return Scenario{}, false
}

// Running is a scene, or several, with its traffic. Its methods may be
// called concurrently; they are of no use after Stop.
type Running struct {
	cluster *Cluster
	ctx     context.Context // of the goroutines
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	once    sync.Once

	mu    sync.Mutex
	parts map[stopper]struct{} // producers, consumers and inner scenes
}

func (c *Cluster) newRunning() *Running {
	ctx, cancel := context.WithCancel(context.Background())
	return &Running{cluster: c, ctx: ctx, cancel: cancel, parts: make(map[stopper]struct{})}
}

// Stop ends the traffic: members leave their groups. It waits for all
// goroutines of the scene. More calls do nothing but wait.
func (r *Running) Stop() {
	r.once.Do(func() {
		r.cancel()
		r.wg.Wait()
		r.mu.Lock()
		parts := maps.Clone(r.parts)
		r.mu.Unlock()
		var wg sync.WaitGroup
		for p := range parts {
			wg.Go(p.Stop)
		}
		wg.Wait()
		r.cluster.release(r)
	})
}

func (r *Running) add(p stopper) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parts[p] = struct{}{}
}

// end stops a part before the scene stops.
func (r *Running) end(p stopper) {
	p.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.parts, p)
}

// background runs fn until the scene stops; fn returns when its context ends.
func (r *Running) background(fn func(ctx context.Context)) {
	r.wg.Go(func() { fn(r.ctx) })
}

// after calls fn once, d from now, unless the scene stops before.
func (r *Running) after(d time.Duration, fn func()) {
	r.background(func(ctx context.Context) {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-ctx.Done():
		case <-t.C:
			fn()
		}
	})
}

// every calls fn at an interval until the scene stops.
func (r *Running) every(d time.Duration, fn func()) {
	r.background(func(ctx context.Context) {
		tick := time.NewTicker(d)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				fn()
			}
		}
	})
}

// StartScenarios sets the named scenes, or all when no name is given, and
// returns when all have started, which takes well below a second. When it
// fails nothing is left running. ctx bounds the setting only. What plays ends
// with its cluster, or before with Stop.
//
// Backlogs are there when it returns. Who watches begins then: to one who saw
// them being written, their timestamps are wrong, for they tell of the past.
//
// The logs of the scenes' topics are kept short from then on, see
// keepPerPartition.
func StartScenarios(ctx context.Context, c *Cluster, names ...string) (*Running, error) {
	scenes, err := pick(names)
	if err != nil {
		return nil, err
	}
	r := c.newRunning()
	if err := c.adopt(r); err != nil {
		return nil, err
	}
	var g errgroup.Group
	for _, s := range scenes {
		g.Go(func() error {
			inner, err := s.Setup(ctx, c)
			if err != nil {
				return fmt.Errorf("setting scene %s: %w", s.Name, err)
			}
			r.add(inner)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		r.Stop()
		return nil, err
	}
	r.every(trimEvery, func() {
		for _, s := range scenes {
			c.trim(s.Topic, s.Group, keepPerPartition)
		}
	})
	return r, nil
}

func pick(names []string) ([]Scenario, error) {
	if len(names) == 0 {
		return Scenarios(), nil
	}
	var (
		out  []Scenario
		errs []error
		seen = make(map[string]bool)
	)
	for _, name := range names {
		s, ok := Find(name)
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("no scene is named %q", name))
		case seen[name]:
			errs = append(errs, fmt.Errorf("scene %q is named twice", name))
		}
		seen[name] = true
		out = append(out, s)
	}
	return out, errors.Join(errs...)
}
