//go:build !breaking && !soak

package integration

import "time"

// topicWithdrawn takes the permission on a topic away. Of a group that has
// committed there and has no members, nothing names the topic any more: Kafka
// leaves it out of the group's commits. But lagwatch knows that it was there and
// that it is refused now, so the group must not look whole with less lag. What
// was read in the first poll only is all that can be known.
func topicWithdrawn(s *secured) {
	s.allow("withdrawn-topic", theCluster, allGroups, allTopics, allSettings)
	w := s.as("withdrawn-topic", "start_offset_interval: 2s")
	w.showsContent(s, s.want)
	giveBack := w.withdraw("TOPIC", askedHidden)
	w.eachPoll(map[string]int{"metadata": 1, "describe_groups": 3})
	of := labels{"group": askedOther}
	p := w.await(s.t, 30*time.Second, "the topic's values to age out", func(p *page) bool {
		return len(p.find(endOf, labels{"topic": askedHidden})) == 0
	})
	if lag, ok := p.value("lagwatch_group_lag", of); ok && lag < 10 && !p.shows(0, "lagwatch_group_complete", of) {
		s.t.Errorf("%s has committed on a topic that is refused now; its lag is %v, not 10, and it is said to be complete", askedOther, lag)
	}
	if !p.complete(askedOnly) {
		s.t.Errorf("%s has nothing to do with it, and is not complete", askedOnly)
	}
	began := time.Now()
	giveBack()
	w.showsContent(s, s.want)
	s.t.Logf("all there %.1f s after the permission was given back", time.Since(began).Seconds())
}
