package exercise

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/collector/kafka"
)

// Options say where the exercise takes place, and how.
type Options struct {
	// Brokers are bootstrap addresses, host:port; at least one.
	Brokers []string
	// TLS gives the settings for a connection to a host, and SASL is how to
	// authenticate, of all clients and of lagwatch. Default plaintext, and not at all.
	TLS  kafka.TLSFunc
	SASL *kafka.SASL
	// Name is that of the topic, the group and the transactional id: see [NewName].
	Name string
	// SessionTimeout is how long the group waits for a consumer that crashed. The
	// brokers bound it; Kafka's default for the least is 6 s.
	SessionTimeout time.Duration
	// Patience is how long each wait may take. Default 60 s.
	Patience time.Duration
	// Rule is what consumers commit by; for tests, since any but the default is wrong.
	Rule Rule
	// Begin is called with a heading when something begins that may take a while: each
	// step, and the removal. Show is called when a step has ended. nil means that
	// nobody is told. Both are called by the goroutine that called [Run].
	Begin func(heading string)
	Show  func(*Step)
}

// NewName is a name that no topic or group has.
func NewName() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "lagwatch-exercise-" + hex.EncodeToString(b[:])
}

// run is one exercise.
type run struct {
	opts      Options
	ledger    *ledger
	gates     gates
	cluster   *cluster
	watch     *watch
	members   map[string]*member // that run
	gone      []*member          // that crashed
	produced  []Event
	withdrawn []Event
	report    *Report

	mark, handovers int              // what earlier steps have shown
	first           *rounds          // what lagwatch had counted in the first; most is what consumers had by then, below zero
	owners          map[int32]string // at the end of the last
}

// Run does the exercise and removes what it created, also when ctx ends or
// something fails. An error says that it could not be done to the end; what it found
// is in the report, which is there with an error too.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Patience == 0 {
		o.Patience = 60 * time.Second
	}
	x := &run{
		opts: o, ledger: newLedger(), members: map[string]*member{},
		report: &Report{
			Brokers: o.Brokers, Topic: o.Name, Group: o.Name,
			Steps: []*Step{}, Checks: []Check{}, Lost: []Event{}, Duplicates: []Delivery{}, Skips: []Skip{},
		},
	}
	var err error
	if x.cluster, err = newCluster(o); err != nil {
		return x.report, err
	}
	defer x.cluster.client.Close()
	if err = x.all(ctx); err == nil {
		x.report.Checks = append(x.report.Checks, x.verify()...)
	}
	removed := x.remove()
	if err == nil {
		x.report.add("removed", "topic and group are gone", removed)
	}
	x.report.Held = err == nil && !slices.ContainsFunc(x.report.Checks, func(c Check) bool { return !c.Held })
	return x.report, errors.Join(err, removed)
}

// all are the steps. The watcher and the members have ended when it returns.
func (x *run) all(ctx context.Context) error {
	if err := x.bounded(ctx, x.cluster.create); err != nil {
		return err
	}
	var err error
	if x.watch, err = newWatch(x.opts); err != nil {
		return err
	}
	watching, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		x.watch.run(watching)
	}()
	defer func() {
		for _, m := range slices.Concat(slices.Collect(maps.Values(x.members)), x.gone) {
			m.stop()
		}
		stop()
		<-ended
	}()
	return x.script(ctx)
}

// remove removes what was created, in its own time: ctx may be over.
func (x *run) remove() error {
	if !x.cluster.topic {
		return nil
	}
	x.begin("Removing topic and group")
	ctx, cancel := context.WithTimeout(context.Background(), removalTimeout+x.opts.SessionTimeout)
	defer cancel()
	return x.cluster.remove(ctx)
}

func (x *run) begin(heading string) {
	if x.opts.Begin != nil {
		x.opts.Begin(heading)
	}
}

// bounded calls f with a context that ends with the patience.
func (x *run) bounded(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, x.opts.Patience)
	defer cancel()
	return f(ctx)
}

// wait waits for a condition. The error says what it waited for, and what Kafka told
// the consumers; where there is no sense in waiting it comes at once.
func (x *run) wait(ctx context.Context, what string, ok func() bool) error {
	var hopeless error
	err := x.bounded(ctx, func(ctx context.Context) error {
		return until(ctx, func() bool {
			hopeless = x.hopeless()
			return hopeless != nil || ok()
		})
	})
	switch {
	case hopeless != nil:
		return fmt.Errorf("waiting for %s: %w", what, hopeless)
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	}
	return errors.Join(fmt.Errorf("waited %s in vain for %s", x.opts.Patience, what), x.problems())
}

func (x *run) hopeless() error {
	for _, m := range x.members {
		if err := m.hopeless(); err != nil {
			return err
		}
	}
	return nil
}

// problems are what Kafka told the consumers last.
func (x *run) problems() error {
	var all error
	for _, m := range x.members {
		all = errors.Join(all, m.failed())
	}
	return all
}

// settle waits until operations had their effect and nothing more goes on.
func (x *run) settle(ctx context.Context, what string, operations []string) error {
	return x.wait(ctx, what, func() bool { return x.ledger.has(operations...) && x.quiet() })
}

func (x *run) quiet() bool {
	for _, m := range x.members {
		if !m.quiet() {
			return false
		}
	}
	return true
}

// join starts a consumer and waits until the group's partitions are shared out evenly
// among all of them.
func (x *run) join(ctx context.Context, name string) error {
	x.cluster.group = true
	m, err := x.startMember(name)
	if err != nil {
		return err
	}
	x.members[name] = m
	return x.shared(ctx)
}

func (x *run) shared(ctx context.Context) error {
	return x.wait(ctx, fmt.Sprintf("%d partitions to be shared out among %d consumers", partitions, len(x.members)), x.evenly)
}

// evenly tells whether every partition has an owner, all members are in one
// generation, and none has two partitions more than another.
func (x *run) evenly() bool {
	n, generations := map[string]int{}, map[int32]bool{}
	for _, owner := range x.ledger.owners() {
		n[owner]++
	}
	total, least, most := 0, partitions, 0
	for name, m := range x.members {
		generations[m.generation()] = true
		total += n[name]
		least, most = min(least, n[name]), max(most, n[name])
	}
	return total == partitions && most-least <= 1 && len(generations) == 1
}
