package exercise

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"go.uber.org/goleak"

	"github.com/lagwatch/lagwatch/internal/lab"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const session = 3 * time.Second

// play does the exercise on a cluster of its own, and checks that nothing is left of
// it there.
func play(ctx context.Context, t *testing.T, o Options) (*Report, error) {
	t.Helper()
	c, err := lab.Start(lab.Options{Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	o.Brokers, o.Name, o.SessionTimeout = c.Addrs(), NewName(), session
	report, err := Run(ctx, o)
	t.Cleanup(func() {
		if t.Failed() {
			for _, s := range report.Steps {
				t.Logf("%s\n\n%s", s.Heading(), s.Text(Width))
			}
			t.Log("\n" + report.Text(Width))
		}
	})
	topics, problem := c.Admin().ListTopics(t.Context())
	if problem != nil || topics.Has(o.Name) {
		t.Errorf("afterwards there are topics %v, %v", topics.Names(), problem)
	}
	groups, problem := c.Admin().ListGroups(t.Context())
	if problem != nil || slices.Contains(groups.Groups(), o.Name) {
		t.Errorf("afterwards there are groups %v, %v", groups.Groups(), problem)
	}
	return report, err
}

func TestTheExerciseHolds(t *testing.T) {
	t.Parallel()
	shown := map[int]time.Time{}
	report, err := play(t.Context(), t, Options{Show: func(s *Step) { shown[s.Number] = time.Now() }})
	if err != nil {
		t.Fatal(err)
	}
	if !report.Held || len(report.Checks) != 8 || len(report.Steps) != 6 {
		t.Errorf("held: %v, with %d checks and %d steps", report.Held, len(report.Checks), len(report.Steps))
	}
	if len(report.Lost) > 0 || len(report.Skips) > 0 {
		t.Errorf("lost %v, skipped %v", report.Lost, report.Skips)
	}
	stuck := stuckAt(t, report)
	other := orders[stuck.Partition][1]
	for _, o := range []string{operation(other, 5), operation(other, 6), operation(other, 7)} { // done by whoever crashed
		if !slices.ContainsFunc(report.Duplicates, func(d Delivery) bool { return d.Operation == o }) {
			t.Errorf("%s was not done again", o)
		}
	}
	// On its other partition nothing was slow: only the last commit did not come.
	if !slices.ContainsFunc(report.Steps[5].Deliveries, func(d Delivery) bool {
		return d.Effect == EffectDuplicate && d.Number == 7 && d.Partition != stuck.Partition
	}) {
		t.Errorf("everything but what was slow had been committed before the crash")
	}
	// A consumer that leaves is replaced at once; one that crashed, after its session.
	if gone := shown[6].Sub(shown[5]); gone < session/2 {
		t.Errorf("the successors took over %v after the crash: somebody left the group", gone)
	}
	for _, columns := range []int{80, 108, 200} {
		fits(t, report, columns)
	}
	t.Run("each step shows what it is about", func(t *testing.T) { showsItsSteps(t, report) })
}

// stuckAt is the event that a worker was at when its consumer crashed.
func stuckAt(t *testing.T, r *Report) Delivery {
	t.Helper()
	all := r.Steps[4].Deliveries
	i := slices.IndexFunc(all, func(d Delivery) bool { return d.Held && d.Effect == EffectNone })
	if i < 0 {
		t.Fatal("no worker was slow in step 5")
	}
	return all[i]
}

// fits checks that the text fits a terminal.
func fits(t *testing.T, r *Report, columns int) {
	t.Helper()
	text := r.Text(columns)
	for _, s := range r.Steps {
		text += s.Text(columns)
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > min(columns, 110) {
			t.Errorf("%d columns of %d: %s", n, columns, line)
		}
	}
}

func showsItsSteps(t *testing.T, report *Report) {
	says := func(n int) string { return strings.Join(report.Steps[n-1].Says, "\n") }
	if want := "Partition 0: delivered 0, 1, 2, 3, 4, 5; done 0, 1, 3, 5; committed 2."; !strings.Contains(says(2), want) {
		t.Errorf("step 2 says %q", says(2))
	}
	late := func(d Delivery) bool { return d.Late && d.Held && d.Effect != EffectNone }
	if !slices.ContainsFunc(report.Steps[2].Deliveries, late) || len(report.Steps[2].Saw.Handovers) == 0 {
		t.Errorf("step 3: no late worker, or no handover, in %+v", report.Steps[2])
	}
	if want := "on partition 0 offsets 6, 7, 10 hold no event"; !strings.Contains(says(4), want) {
		t.Errorf("step 4 says %q", says(4))
	}
	if lag := value(report.Steps[4].Saw.Lag); lag != "8" {
		t.Errorf("step 5: lagwatch saw a lag of %s", lag)
	}
	p := stuckAt(t, report).Partition
	handed := Handover{p, report.Steps[4].Saw.Partitions[p].Owner, report.Steps[5].Saw.Partitions[p].Owner, known(int64(11), true)}
	if !slices.ContainsFunc(report.Steps[5].Saw.Handovers, func(h Handover) bool { return cmp.Equal(h, handed) }) {
		t.Errorf("step 6: lagwatch saw %+v, want among them %+v", report.Steps[5].Saw.Handovers, handed)
	}
}

// Where the highest done record is committed and not the boundary, a crash loses what
// was not done below it, and the exercise says so.
func TestTheWrongRuleIsNoticed(t *testing.T) {
	t.Parallel()
	report, err := play(t.Context(), t, Options{Rule: HighestDone})
	if err != nil {
		t.Fatal(err)
	}
	if report.Held {
		t.Error("it held")
	}
	key := stuckAt(t, report).Key
	for _, o := range []string{operation(key, 5), operation(key, 6)} { // the slow one when the crash came, and the one behind it
		if !slices.ContainsFunc(report.Lost, func(e Event) bool { return e.Operation == o }) {
			t.Errorf("%s is not among the lost: %v", o, report.Lost)
		}
	}
	for _, c := range report.Checks {
		if wrong := c.Name == "nothing lost" || c.Name == "no record skipped"; c.Held == wrong {
			t.Errorf("%s: held is %v: %s", c.Name, c.Held, c.Detail)
		}
	}
}

// Whenever it is stopped, nothing is left behind: at the start, and while a consumer
// that crashed is still counted as a member.
func TestStopped(t *testing.T) {
	for _, at := range []string{"1  ", "3  ", "6  "} {
		t.Run("at step "+at[:1], func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			report, err := play(ctx, t, Options{Begin: func(heading string) {
				if strings.HasPrefix(heading, at) {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) || report.Held {
				t.Errorf("held is %v, the error %v", report.Held, err)
			}
		})
	}
}

// What no waiting mends is said at once, with a remedy.
func TestASessionThatBrokersRefuse(t *testing.T) {
	t.Parallel()
	c, err := lab.Start(lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	began := time.Now()
	_, err = Run(t.Context(), Options{Brokers: c.Addrs(), Name: NewName(), SessionTimeout: 500 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "INVALID_SESSION_TIMEOUT") || !strings.Contains(err.Error(), "--session-timeout") {
		t.Errorf("the error is %v", err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it was said after %v", took)
	}
}

// What did not come in time is named, with what Kafka told the consumers.
func TestInVain(t *testing.T) {
	m := &member{name: "a", problem: kerr.NotCoordinator}
	x := &run{opts: Options{Patience: time.Millisecond}, members: map[string]*member{"a": m}}
	err := x.wait(t.Context(), "a miracle", func() bool { return false })
	if err == nil || !strings.Contains(err.Error(), "waited 1ms in vain for a miracle") || !errors.Is(err, kerr.NotCoordinator) {
		t.Errorf("the error is %v", err)
	}
}

// What was left behind is removed by what the error says, as it stands there. The tools
// only printed their usage: no address was given.
func TestRemediesCanBePasted(t *testing.T) {
	c, err := newCluster(Options{Brokers: []string{"127.0.0.1:1", "127.0.0.1:2"}, Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.client.Close()
	c.topic, c.group = true, true
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = c.remove(ctx)
	for _, want := range []string{
		"; kafka-consumer-groups.sh --bootstrap-server 127.0.0.1:1 --delete --group x removes it",
		"; kafka-topics.sh --bootstrap-server 127.0.0.1:1 --delete --topic x removes it",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want in it %q", err, want)
		}
	}
}
