//go:build !breaking && !soak

package integration

import (
	"slices"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/exercise"
)

// The ownership exercise holds on real Kafka: no event lost while partitions move
// and a consumer crashes, each order in its order, duplicates equal the records
// between effect and commit, and lagwatch saw all of it. Afterwards its topic and
// its group are gone.
func TestExercise(t *testing.T) {
	k := useKafka(t)
	name, began := exercise.NewName(), time.Now()
	report, err := exercise.Run(k.ctx, exercise.Options{
		Brokers: k.cluster.Bootstrap(), Name: name, SessionTimeout: 6 * time.Second,
		Show: func(s *exercise.Step) {
			t.Logf("%.1f s: %s\n\n%s", time.Since(began).Seconds(), s.Heading(), s.Text(exercise.Width))
		},
	})
	t.Logf("%.1f s\n%s", time.Since(began).Seconds(), report.Text(exercise.Width))
	if err != nil {
		t.Fatal(err)
	}
	if !report.Held {
		t.Error("it did not hold")
	}
	if len(report.Steps) != 6 || len(report.Duplicates) == 0 {
		t.Errorf("%d steps and %d duplicates: it was not played to the end", len(report.Steps), len(report.Duplicates))
	}
	k.waitUntil("the topic to be gone on every broker", func() bool { return !slices.Contains(k.topics(), name) })
	if left := k.committed(name).Value[name]; len(left) > 0 {
		t.Errorf("the group still has commits: %v", left)
	}
}
