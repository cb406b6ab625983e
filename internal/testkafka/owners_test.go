package testkafka

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func report(t *testing.T, d *Driver, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := d.events.add([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOwnersFollowEvents(t *testing.T) {
	d := &Driver{events: newEventLog()}
	report(t, d,
		`{"event":"assigned","at":1,"consumer":"a","group":"g","memberId":"m","generation":1,"partitions":[],"assignment":[{"topic":"t","partition":1},{"topic":"t","partition":0}]}`,
		`{"event":"assigned","at":2,"consumer":"x","group":"other","assignment":[{"topic":"t","partition":7}]}`,
		`{"event":"revoked","at":3,"consumer":"a","group":"g","memberId":"m","generation":1,"partitions":[{"topic":"t","partition":1}],"assignment":[{"topic":"t","partition":0}]}`,
		`{"event":"committed","at":5,"before":4,"consumer":"a","group":"g","offsets":[{"topic":"t","partition":0,"offset":9}]}`,
		`{"event":"assigned","at":6,"consumer":"b","group":"g","assignment":[]}`,
	)
	want := map[string][]TopicPartition{"a": {{"t", 0}}, "b": {}}
	if diff := cmp.Diff(want, d.Owners("g")); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	state, ok := d.State("a")
	wantState := ConsumerState{"a", "g", "m", new(1), []TopicPartition{{"t", 0}}}
	if diff := cmp.Diff(wantState, state); diff != "" || !ok {
		t.Errorf("state, %v (-want +got):\n%s", ok, diff)
	}
	report(t, d, `{"event":"closed","at":7,"consumer":"a","group":"g"}`)
	if diff := cmp.Diff(map[string][]TopicPartition{"b": {}}, d.Owners("g")); diff != "" {
		t.Errorf("owners after close (-want +got):\n%s", diff)
	}
	commit := d.Events(3)[0]
	wantCommit := Event{
		Kind: Committed, At: time.Unix(0, 5), Before: time.Unix(0, 4),
		Consumer: "a", Group: "g", Offsets: Offsets{{"t", 0}: 9},
	}
	if diff := cmp.Diff(wantCommit, commit); diff != "" {
		t.Errorf("commit (-want +got):\n%s", diff)
	}
	if left := d.Events(100); len(left) != 0 {
		t.Errorf("events after the last: %v", left)
	}
}

func TestWaitAssigned(t *testing.T) {
	const whole = `{"event":"assigned","consumer":"a","group":"g","assignment":[{"topic":"t","partition":0}]}`
	tests := []struct {
		name    string
		happens func(*Driver) error
		wantErr bool
	}{
		{"assigned", func(d *Driver) error { return d.events.add([]byte(whole)) }, false},
		{"failed", func(d *Driver) error { return d.events.add([]byte(`{"event":"failed","consumer":"a","group":"g"}`)) }, true},
		{"died", func(d *Driver) error { d.events.end(errors.New("killed")); return nil }, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := &Driver{events: newEventLog()}
			asked := make(chan error, 1)
			first := true
			err := d.WaitAssigned(t.Context(), "g", func(owners map[string][]TopicPartition) bool {
				if first {
					first = false
					go func() { asked <- test.happens(d) }()
				}
				return Spread(1, 1)(owners)
			})
			if (err != nil) != test.wantErr {
				t.Errorf("error %v", err)
			}
			if err := <-asked; err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("deadline", func(t *testing.T) {
		d := &Driver{events: newEventLog()}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := d.WaitAssigned(ctx, "g", Spread(1, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestSpread(t *testing.T) {
	tests := []struct {
		name   string
		owners map[string][]TopicPartition
		want   bool
	}{
		{"two share", map[string][]TopicPartition{"a": {{"t", 0}}, "b": {{"t", 1}}}, true},
		{"two share, one idles", map[string][]TopicPartition{"a": {{"t", 0}}, "b": {{"t", 1}}, "c": {}}, true},
		{"one has all", map[string][]TopicPartition{"a": {{"t", 0}, {"t", 1}}}, false},
		{"one is free", map[string][]TopicPartition{"a": {{"t", 0}}, "b": {}}, false},
		{"one has two owners", map[string][]TopicPartition{"a": {{"t", 0}}, "b": {{"t", 0}}}, false},
		{"nobody", nil, false},
	}
	for _, test := range tests {
		if got := Spread(2, 2)(test.owners); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestEventKinds(t *testing.T) {
	for kind := Assigned; kind <= Failed; kind++ {
		if got, err := parseEventKind(kind.String()); got != kind || err != nil {
			t.Errorf("%v became %v, %v", kind, got, err)
		}
	}
	if _, err := parseEventKind("dropped"); err == nil {
		t.Error("an unknown event was read")
	}
}
