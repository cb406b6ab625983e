//go:build synctests

// The tag makes franz-go's locks fit for a bubble, see lab.Options.Network.

package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/collector/kafka"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// spell is a time in which one condition was a group's headline, "" for none.
type spell struct {
	headline string
	from, to time.Duration
	sentence string
}

func (s spell) String() string {
	return fmt.Sprintf("%s–%s %s: %s", s.from, s.to, s.headline, s.sentence)
}

// Every scene is recognised within two minutes, with no other headline before; nor
// after, but that one which recovered catches up until its trouble begins again. Where
// all is well there is no headline at all.
func TestScenesAreRecognised(t *testing.T) { recognised(t, 5*time.Minute) }

// The same for an hour: each scene comes back to its headline as often as it recovers.
func TestScenesAreRecognisedForAnHour(t *testing.T) { recognised(t, time.Hour) }

func recognised(t *testing.T, duration time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		seen := watch(t, duration)
		for _, s := range lab.Scenarios() {
			if problem := judge(s, seen[s.Group]); problem != "" {
				var all []string
				for _, sp := range seen[s.Group] {
					all = append(all, sp.String())
				}
				t.Errorf("%s: %s; its headlines were\n\t%s", s.Name, problem, strings.Join(all, "\n\t"))
			}
		}
	})
}

// soon is when a scene has its headline at the latest.
const soon = 2 * time.Minute

// judge is what is wrong with the headlines of a scene's group, "" if nothing.
func judge(s lab.Scenario, spells []spell) string {
	began := false
	for _, sp := range spells {
		switch {
		case sp.headline == s.Shows && sp.headline != "":
			if !began && sp.from > soon {
				return "late"
			}
			began = true
		case sp.headline != "" && !(began && s.Recovers && sp.headline == diagnosis.CatchingUp.String()):
			return "another headline, " + sp.headline
		case sp.headline == "" && began && !s.Recovers:
			return "no headline any more"
		}
	}
	if !began && s.Shows != "" {
		return "no " + s.Shows
	}
	return ""
}

// watch plays all scenes, watches them as the demo does, and tells what the headlines of
// each group were.
func watch(t *testing.T, duration time.Duration) map[string][]spell {
	t.Helper()
	c, err := lab.Start(lab.Options{Network: new(kfake.VirtualNetwork), Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if _, err := lab.StartScenarios(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	w := watcher(t, c)
	seen := make(map[string][]spell)
	for start := time.Now(); time.Since(start) < duration; {
		time.Sleep(time.Second)
		w.Poll(t.Context())
		at := time.Since(start).Round(time.Second)
		for group, f := range headlines(w.View()) {
			seen[group] = extend(seen[group], f, at)
		}
	}
	return seen
}

func extend(spells []spell, f diagnosis.Finding, at time.Duration) []spell {
	name := ""
	if f.Sentence != "" {
		name = f.Condition.String()
	}
	if n := len(spells); n > 0 && spells[n-1].headline == name {
		spells[n-1].to = at
		return spells
	}
	return append(spells, spell{name, at, at, f.Sentence})
}

// headlines are those of all groups of a view, empty findings where none is.
func headlines(v *collector.View) map[string]diagnosis.Finding {
	out := make(map[string]diagnosis.Finding)
	first := func(d diagnosis.Diagnosis) (f diagnosis.Finding) {
		if len(d.Findings) > 0 {
			f = d.Findings[0]
		}
		return f
	}
	for i := range v.Groups {
		out[v.Groups[i].ID] = first(v.Groups[i].Diagnosis)
	}
	for i := range v.Missing {
		out[v.Missing[i].ID] = first(v.Missing[i].Diagnosis)
	}
	return out
}

// watcher watches as the demo does.
func watcher(t *testing.T, c *lab.Cluster) *collector.Watcher {
	t.Helper()
	conf, err := settings("127.0.0.1:0", time.Second, c.Addrs(), lab.Scenarios())
	if err != nil {
		t.Fatal(err)
	}
	watched := &conf.Clusters[0]
	client, err := kafka.New(kafka.Options{
		Brokers: watched.Brokers, Interval: watched.Interval, RequestTimeout: watched.RequestTimeout,
		StartOffsetInterval: watched.StartOffsetInterval, StaleAfter: watched.StaleAfter,
		ReadCommitted: watched.ReadCommitted, Configs: true, Dial: c.Dial,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	thresholds := diagnosis.Defaults()
	for _, k := range diagnosis.Keys() {
		if v, ok := sooner[k.Name].(time.Duration); ok {
			*k.Of(&thresholds).(*time.Duration) = v
		}
	}
	return collector.New(client, collector.Options{
		Cluster: watched.Name, Interval: watched.Interval, StaleAfter: watched.StaleAfter, History: watched.History,
		Seed: watched.Seeds(), Expected: watched.ExpectedGroups,
		Thresholds: func(string) *diagnosis.Thresholds { return &thresholds },
	})
}
