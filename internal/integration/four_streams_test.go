//go:build !breaking && !soak

package integration

import (
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// instancesComeAndGo has a second instance of the streams application join and
// leave under load. Whenever the threads have settled, the page's owners,
// members and epoch are those of the threads and the coordinator; on every page
// in between each partition has one lag series and one owner at most, and no
// commit goes back.
func (f *four) instancesComeAndGo(l *lagwatch) {
	f.t.Helper()
	steady := steadySeries{groups: []string{f.streams}, want: f.streamsPlaces}
	stop := l.watch(f.t, steady.check)
	f.settledInstances(l, "first instance", 2)
	f.startInstance("b", 1)
	f.settledInstances(l, "second joined", 3)
	f.must(f.StopStreams(f.ctx, f.instance("a")))
	f.settledInstances(l, "first left", 1)
	f.t.Logf("%d pages checked meanwhile", stop())
}

// tasks is what threads and page both tell of the streams group.
type tasks struct {
	Members, Epoch int
	State          string
	Owners         map[testkafka.TopicPartition]owner
}

// settledInstances waits until so many threads share all tasks and the page
// says the same as they do.
func (f *four) settledInstances(l *lagwatch, step string, threads int) {
	f.t.Helper()
	began := time.Now()
	f.must(f.WaitAssigned(f.ctx, f.streams, testkafka.Spread(threads, 2*f.partitions)))
	assigned := time.Since(began)
	var want, got tasks
	defer func() {
		if diff := cmp.Diff(want, got); diff != "" {
			f.t.Errorf("%s (-threads +page):\n%s", step, diff)
		}
	}()
	l.await(f.t, time.Minute, step+": the page to say what the threads do", func(p *page) bool {
		want, got = f.reportedTasks(), f.shownTasks(p)
		return cmp.Equal(want, got)
	})
	f.t.Logf("%s: %d threads, epoch %d: assigned after %.1f s, on the page %.1f s later",
		step, want.Members, want.Epoch, assigned.Seconds(), (time.Since(began) - assigned).Seconds())
}

// reportedTasks is what the threads log; the epoch is the coordinator's.
func (f *four) reportedTasks() tasks {
	f.t.Helper()
	described, err := f.DescribeStreamsGroups(f.ctx, f.streams)
	f.must(err)
	g := described.Value[f.streams]
	out := tasks{State: "stable", Owners: map[testkafka.TopicPartition]owner{}}
	if g.Epoch != nil {
		out.Epoch = *g.Epoch
	}
	for thread, partitions := range f.Owners(f.streams) {
		out.Members++
		for _, at := range partitions {
			out.Owners[at] = owner(thread + "@127.0.0.1")
		}
	}
	return out
}

func (f *four) shownTasks(p *page) tasks {
	of := labels{"group": f.streams}
	out := tasks{
		Members: shownInt(p, "lagwatch_group_members", of), Epoch: shownInt(p, "lagwatch_group_generation", of),
		Owners: p.owners(f.streams),
	}
	for _, state := range p.find("lagwatch_group_state", of) {
		if state.value == 1 {
			out.State = state.labels["state"]
		}
	}
	return out
}
