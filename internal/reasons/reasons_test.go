package reasons

import (
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var (
	// Few, since the race detector makes a run ten times as long; make test and make
	// reasons have more, without it.
	seeds   = flag.Int("seeds", 1, "how many seeds of each world")
	calmToo = flag.Int("calm", 1, "how many seeds of each world in which nothing happens")
	first   = flag.Uint64("first", 1, "the first of the seeds")
	one     = flag.String("world", "", "this world only")
	show    = flag.Uint64("show", 0, "show the run of this seed, poll by poll, and measure nothing; wants -world")
	into    = flag.String("write", "", "put the tables between the markers of this document")
	printed = flag.Bool("print", false, "print the tables")
)

// What happens to a group is recognised, and nothing is said of a calm one.
func TestReasons(t *testing.T) {
	if err := misused(); err != "" {
		t.Fatal(err)
	}
	list := chosen(t)
	if *show > 0 {
		list[0].inBubble(t, func() { list[0].show(os.Stdout, *show) })
		return
	}
	tallies := measure(t, list)
	for _, one := range tallies {
		if !one.met() {
			t.Errorf("%s: of %d runs %d right, %d without a reason, %d with another; polls after that %v; others said %+v",
				one.world.name, one.runs, one.first[right], one.first[none], one.first[other], one.later, one.wrong)
		}
	}
	if *printed {
		fmt.Print(table(tallies, *first))
	}
	if *into != "" {
		if err := write(*into, table(tallies, *first)); err != nil {
			t.Fatal(err)
		}
	}
}

// misused says what is wrong with the flags, "" if nothing is.
func misused() string {
	switch {
	case *show > 0 && *one == "":
		return "one run is shown: name its world too (make reasons WORLD=x SEED=n)"
	case *into != "" && (*one != "" || *show > 0):
		return "a document has all worlds: leave out the world and the seed"
	case *into != "" && *first != 1:
		return "a document has the seeds from 1 on: leave out the first"
	case *seeds < 1 || *calmToo < 1:
		return "nothing would be measured: give 1 seed or more"
	}
	return ""
}

func chosen(t *testing.T) []world {
	all := worlds()
	if *one == "" {
		return all
	}
	var names []string
	for i := range all {
		if all[i].name == *one {
			return all[i : i+1]
		}
		names = append(names, all[i].name)
	}
	t.Fatalf("no world is named %q; there are %q", *one, names)
	return nil
}

// inBubble does something on a clock of its own.
func (w *world) inBubble(t *testing.T, do func()) {
	synctest.Test(t, func(*testing.T) { do() })
}

// measure makes all runs, those of several worlds at the same time. It says every few
// seconds how far it is.
func measure(t *testing.T, list []world) []*tally {
	tallies := make([]*tally, len(list))
	var done atomic.Int64
	runs := 0
	t.Run("runs", func(t *testing.T) {
		for i := range list {
			w := &list[i]
			n := *seeds
			if len(w.want) == 0 {
				n = *calmToo
			}
			runs += n
			tallies[i] = &tally{world: w}
			t.Run(w.name, func(t *testing.T) {
				t.Parallel()
				for seed := range n {
					w.inBubble(t, func() { tallies[i].add(w.watch(*first + uint64(seed))) })
					done.Add(1)
				}
			})
		}
		stop := progress(&done, runs)
		t.Cleanup(stop)
	})
	return tallies
}

// progress says how far it is until it is stopped.
func progress(done *atomic.Int64, of int) (stop func()) {
	tick := time.NewTicker(3 * time.Second)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-tick.C:
				fmt.Fprintf(os.Stderr, "reasons: %d of %d runs\n", done.Load(), of)
			case <-ended:
				return
			}
		}
	}()
	return func() { tick.Stop(); close(ended) }
}
