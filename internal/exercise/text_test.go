package exercise

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

func TestStepText(t *testing.T) {
	got := func(e Event, by string, effect Effect, change func(*Delivery)) Delivery {
		d := Delivery{Event: e, Member: by, Effect: effect}
		change(&d)
		return d
	}
	same := func(*Delivery) {}
	s := &Step{
		Number: 3, Title: "A third consumer joins",
		Says: []string{"Consumer c joins, and what is said of that is longer than one line of the left column.", "Another paragraph."},
		Deliveries: []Delivery{
			got(at("order-17", 2, 1, 2), "a", EffectDuplicate, func(d *Delivery) { d.Late, d.Held = true, true }),
			got(at("order-24", 2, 2, 2), "a", EffectNone, func(d *Delivery) { d.Held = true }),
			got(at("order-24", 3, 2, 4), "a", EffectNone, same),
			got(at("order-22", 1, 1, 1), "b", EffectFirst, same), // of an order that is not followed
			got(at("order-22", 2, 1, 3), "c", EffectDuplicate, func(d *Delivery) { d.Again = true }),
		},
		Saw: Sight{State: "stable", Members: known(3, true), Generation: known(int32(5), true), Rebalances: 4, Moved: 3, LastKnown: true,
			Partitions: []PartitionSight{
				{0, "a", known(int64(2), true), known(int64(6), true), known(int64(4), true)},
				{1, "", nil, nil, nil},
			},
			Handovers: []Handover{{1, "a", "c", known(int64(2), true)}, {2, "a", "b", nil}},
		},
		Differs: []string{"owner of partition 1: lagwatch ?, consumers c"},
	}
	golden(t, "step.txt", s.Heading()+"\n\n"+s.Text(Width))
	golden(t, "step_narrow.txt", s.Heading()+"\n\n"+s.Text(80))
	golden(t, "nothing.txt", (&Step{Saw: Sight{State: "unknown"}}).Text(Width))
}

func TestReportText(t *testing.T) {
	r := &Report{
		Duplicates: []Delivery{{Event: at("order-17", 2, 1, 2)}, {Event: at("order-22", 2, 1, 3)}},
		Checks: []Check{
			{"order", true, "the first effects of each order came in the order of its events"},
			{"nothing lost", false, "3 lost: order-16-5 (Delivered, offset 11 of partition 0), order-16-6 (Returned, offset 13 of partition 0), order-16-7"},
		},
	}
	golden(t, "report.txt", r.Text(200))
	golden(t, "report_narrow.txt", r.Text(80))
}
