package exercise

import (
	"strings"
	"testing"
)

// at is an event with its place.
func at(key string, number int, partition int32, offset int64) Event {
	e := newEvent(key, number)
	e.Partition, e.Offset = partition, offset
	return e
}

// deal is a member's time with partition 0: what it gets, what it does of that in
// which order, and what it commits.
type deal struct {
	member  string
	gets    []Event
	does    []string // operations
	commits int64    // −1 for nothing
}

func (d deal) play(l *ledger) {
	t := l.begin(d.member, 0)
	got := map[string]*delivery{}
	for _, e := range d.gets {
		got[e.Operation] = l.deliver(t, e)
	}
	for _, o := range d.does {
		l.apply(got[o])
	}
	if d.commits >= 0 {
		l.commit(t, d.commits)
	}
	l.end(t)
}

func TestVerify(t *testing.T) {
	one, two, three := at("order-16", 1, 0, 0), at("order-16", 2, 0, 1), at("order-16", 3, 0, 2)
	all := []Event{one, two, three}
	ops := func(events ...Event) []string { return operations(events, nil) }
	for _, tt := range []struct {
		name   string
		deals  []deal
		events []Event
		back   []Event
		fails  map[string]string // what a check's detail has to say
	}{
		{name: "all is well", events: all, deals: []deal{{"a", all, ops(all...), 3}}},
		{name: "a replay", events: all, deals: []deal{
			{"a", all, ops(one, two), 1}, {"b", []Event{two, three}, ops(two, three), 3},
		}},
		{name: "twice a replay", events: all, deals: []deal{
			{"a", all, ops(one, two), -1}, {"b", all, ops(one, two), 1}, {"c", []Event{two, three}, ops(two, three), 3},
		}},
		{name: "a lost event", events: all, deals: []deal{{"a", all, ops(one, three), 3}}, fails: map[string]string{
			"nothing lost":      "1 lost: order-16-2 (Paid, offset 1 of partition 0)",
			"no record skipped": "consumer a, which committed 3 of partition 0 while order-16-2 at 1 was not done",
		}},
		{name: "never delivered", events: all, deals: []deal{{"a", []Event{one, three}, ops(one, three), 3}}, fails: map[string]string{
			"nothing lost": "order-16-2",
		}},
		{name: "a skipped event that came late", events: []Event{one, two}, deals: []deal{{"a", []Event{one}, nil, 1}, {"b", []Event{one, two}, ops(one, two), 2}},
			fails: map[string]string{"no record skipped": "order-16-1 at 0"}},
		{name: "the wrong order", events: all, deals: []deal{{"a", all, ops(one, three, two), 3}}, fails: map[string]string{
			"order": "order-16-2 had its effect after order-16-3",
		}},
		{name: "done again although committed", events: []Event{one}, deals: []deal{{"a", []Event{one}, ops(one), 1}, {"b", []Event{one}, ops(one), 1}},
			fails: map[string]string{"duplicates": "order-16-1 was absorbed 1 times, and done 0 times without a commit"}},
		{name: "done without a commit and not again", events: []Event{one}, deals: []deal{{"a", []Event{one}, ops(one), -1}},
			fails: map[string]string{"duplicates": "order-16-1 was absorbed 0 times, and done 1 times without a commit"}},
		{name: "a withdrawn event", events: []Event{one}, back: []Event{two}, deals: []deal{{"a", []Event{one, two}, ops(one, two), 2}},
			fails: map[string]string{"nothing withdrawn": "order-16-2 was delivered"}},
		{name: "a key on two partitions", events: []Event{one, at("order-16", 2, 3, 0)}, deals: []deal{{"a", []Event{one, at("order-16", 2, 3, 0)}, ops(one, two), 1}},
			fails: map[string]string{"one partition per order": "order-16 is on partitions 0 and 3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := &run{ledger: newLedger(), produced: tt.events, withdrawn: tt.back, report: &Report{}}
			for _, d := range tt.deals {
				d.play(x.ledger)
			}
			for _, c := range x.verify() {
				want, fails := tt.fails[c.Name]
				if c.Held == fails || !strings.Contains(c.Detail, want) {
					t.Errorf("%s: held is %v: %s", c.Name, c.Held, c.Detail)
				}
			}
		})
	}
}

func TestWhatLagwatchDidNotSeeFails(t *testing.T) {
	x := &run{ledger: newLedger(), report: &Report{Steps: []*Step{{Number: 1}, {Number: 2, Differs: []string{"lag: lagwatch 1, consumers 2"}}}}}
	for _, c := range x.verify() {
		if failed := c.Name == "lagwatch"; c.Held == failed || failed && c.Detail != "step 2: lag: lagwatch 1, consumers 2" {
			t.Errorf("%+v", c)
		}
	}
}

// The lists of a report are lists where there is nothing, too: a script asks for
// their length.
func TestNothingIsAList(t *testing.T) {
	x := &run{ledger: newLedger(), report: &Report{}}
	x.verify()
	if x.report.Lost == nil || x.report.Duplicates == nil || x.report.Skips == nil {
		t.Errorf("%+v", x.report)
	}
}
