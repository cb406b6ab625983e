package collector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// A view that no poll renews is shown as it is for stale_after, and then without what
// is too old.
func TestCurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := New(pollFunc(func(context.Context) (*snapshot.Snapshot, error) {
			now := time.Now()
			return &snapshot.Snapshot{Started: now, Finished: now, Groups: []snapshot.Group{{ID: "g", State: snapshot.StateStable}}}, nil
		}), Options{Cluster: "main", Interval: 10 * time.Second})
		w.Poll(t.Context())
		time.Sleep(30 * time.Second)
		if v := w.Current(); v != w.View() {
			t.Error("another view than the latest, which is not too old")
		}
		time.Sleep(time.Second)
		if v := w.Current(); v.Up || len(v.Groups) != 1 || v.Groups[0].State != snapshot.StateUnknown {
			t.Errorf("too old and shown: %+v", v)
		}
	})
}
