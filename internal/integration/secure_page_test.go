//go:build !breaking && !soak

package integration

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ofItself are the families that tell of lagwatch and its polls.
var ofItself = []string{
	"lagwatch_build_info", "lagwatch_polls_total", "lagwatch_poll_duration_seconds", "lagwatch_poll_errors_total",
	"lagwatch_last_success_timestamp_seconds", "lagwatch_kafka_requests_total", "lagwatch_group_read_age_seconds",
}

// ofWatching are parts of the names of families whose values follow from how long a
// lagwatch has watched, and not only from what there is.
var ofWatching = []string{"_arrival_", "_drain_", "_members_needed"}

// Families whose values change with time alone. Where the settings of topics are
// refused they are not known of records from before the start.
const (
	ages      = "_lag_age_seconds"
	headrooms = "_retention_headroom_seconds"
)

// content is every series of a page that tells of Kafka, by name and labels. One
// that changes with time alone is 1 unless it is 0.
type content map[string]float64

func contentOf(p *page) content {
	c := content{}
	for family, list := range p.families {
		watching := slices.ContainsFunc(ofWatching, func(part string) bool { return strings.Contains(family, part) })
		if !strings.HasPrefix(family, "lagwatch_") || slices.Contains(ofItself, family) || watching {
			continue
		}
		for _, s := range list {
			if s.value > 0 && ofTime(family) {
				s.value = 1
			}
			c[fmt.Sprintf("%s%v", family, s.labels)] = s.value // fmt sorts maps by key
		}
	}
	return c
}

func ofTime(family string) bool {
	return strings.HasSuffix(family, ages) || strings.HasSuffix(family, headrooms)
}

// withoutSettings is what stands on a page, too, where topics' settings are refused: whether
// data is at risk is not known then of groups that are behind.
func (c content) withoutSettings() content {
	c = maps.Clone(c)
	maps.DeleteFunc(c, func(series string, _ float64) bool {
		family, _, _ := strings.Cut(series, "map[")
		return ofTime(family) || strings.Contains(series, "condition:data_at_risk ")
	})
	return c
}

// without is the content but for the series of some groups or topics.
func (c content) without(label string, names ...string) content {
	c = maps.Clone(c)
	maps.DeleteFunc(c, func(series string, _ float64) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return strings.Contains(series, " "+label+":"+name+" ") || strings.Contains(series, "["+label+":"+name+" ") || strings.Contains(series, " "+label+":"+name+"]")
		})
	})
	return c
}

// reference is what a super user's lagwatch shows when it has read everything
// and nothing moves.
func (s *secured) reference() content {
	s.t.Helper()
	l := startLagwatch(s.t, s.cluster.Bootstrap(), "request_timeout: 800ms")
	defer l.end(s.t)
	var before content
	p := l.await(s.t, 60*time.Second, "two equal pages of complete polls", func(p *page) bool {
		now := contentOf(p)
		same := p.polls("complete") >= 2 && p.complete(p.groups()...) && cmp.Equal(before, now)
		before = now
		return same
	})
	return contentOf(p)
}

// shows waits until a lagwatch shows exactly this of Kafka.
func (l *lagwatch) showsContent(s *secured, want content) *page {
	s.t.Helper()
	return awaitEqual(s.t, l, 30*time.Second, "the page to be right", want, contentOf)
}
