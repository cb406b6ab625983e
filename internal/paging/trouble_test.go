//go:build paging

package paging

import (
	"fmt"
	"time"

	"github.com/lagwatch/lagwatch/internal/promtest"
)

// trouble is one thing that somebody is to be told of.
type trouble struct {
	alert          string
	cluster, group string // empty where the alert has none
	to             string // the receiver of the example
	says           string // what its text has beside what all have
	repeats        bool   // it begins anew while the tests last

	began, ended time.Time
}

func (x *trouble) String() string {
	switch {
	case x.group != "":
		return x.alert + " of " + x.group
	case x.cluster != "":
		return x.alert + " of " + x.cluster
	}
	return x.alert
}

// is tells whether an alert is of this trouble.
func (x *trouble) is(a promtest.Alert) bool {
	return a.Name() == x.alert && x.same(a.Labels)
}

// same tells whether labels are of the same cluster and group.
func (x *trouble) same(labels map[string]string) bool {
	return labels["kafka_cluster"] == x.cluster && labels["group"] == x.group
}

func (x *trouble) begin() { x.began = time.Now() }
func (x *trouble) end()   { x.ended = time.Now() }

// poisoned is the partition with a record that cannot be processed. Its owner has another,
// also while the last of four is left out.
const poisoned = 1

// pages are those that wake somebody, one for each trouble.
type pages struct {
	stuck, hung, stalled, stopped, atRisk, losing, vanished, blind, down *trouble
}

func newPages() *pages {
	near := func(alert, group, to string) *trouble {
		return &trouble{alert: alert, cluster: "near", group: group, to: to}
	}
	p := &pages{
		stuck:    near("KafkaPartitionStalled", stuck, "platform-pager"),
		hung:     near("KafkaMemberStalled", hung, "platform-pager"),
		stalled:  near("KafkaGroupStalled", stalled, "platform-pager"),
		stopped:  near("KafkaGroupNoConsumers", stopped, "platform-pager"),
		atRisk:   near("KafkaGroupDataAtRisk", atRisk, "payments-pager"),
		losing:   near("KafkaGroupDataLost", losing, "payments-pager"),
		vanished: near("KafkaGroupCommitsVanished", vanishing, "platform-pager"),
		blind:    &trouble{alert: "LagwatchBlind", cluster: "far", to: "platform-pager"},
		down:     &trouble{alert: "LagwatchDown", to: "platform-pager"},
	}
	p.stuck.says = fmt.Sprintf("is stuck on %s%s/%d, owned by %[1]s-", stuck, topicSuffix, poisoned)
	p.hung.says = ", owned by " + hung + "-0 at"
	p.stalled.says = "none of its 3 members"
	p.losing.says = "retention has removed records"
	p.atRisk.says = "Retention may delete the oldest of what is unread on " + atRisk + topicSuffix + ", in "
	p.blind.says = "metadata: unreachable"
	p.down.says = "no alert of any consumer group can fire"
	return p
}

func (p *pages) all() []*trouble {
	return []*trouble{p.stuck, p.hung, p.stalled, p.stopped, p.atRisk, p.losing, p.vanished, p.blind, p.down}
}

// beside is a ticket of a group that pages too, for partitions that nobody owns. It is
// silenced by the page; that it is told after it, as long as it stays, may be or not.
func beside() *trouble {
	return &trouble{alert: "KafkaGroupPartitionsUnowned", cluster: "near", group: stuck, to: "platform-tickets"}
}

// tickets are what is for working hours, or for who looks. That polls fail in part is
// so while a group is refused.
func tickets() []*trouble {
	near := func(alert, group, to string) *trouble {
		return &trouble{alert: alert, cluster: "near", group: group, to: to}
	}
	return []*trouble{
		near("KafkaGroupHotPartition", "click-attribution", "search-tickets"),
		near("KafkaGroupNeverCommitted", "audit-tail", "search-tickets"),
		near("KafkaGroupPartitionsUnowned", "return-labels", "search-tickets"),
		near("KafkaGroupRebalanceStorm", "notification-sender", "platform-tickets"),
		near("KafkaGroupOpenTransaction", "booking-confirmation", "platform-tickets"),
		near("KafkaGroupUnreadable", "payroll-export", "platform-tickets"),
		near("KafkaGroupAtItsLimit", atLimit, "search-tickets"),
		near("LagwatchPollErrors", "", "platform-tickets"),
		{alert: "KafkaGroupPartitionsUnowned", cluster: "far", group: halfOwned, to: "platform-tickets"},
		near("KafkaGroupIdleMembers", "refund-approval", "channel"),
		// The scene rewinds every four minutes.
		{alert: "KafkaGroupRewound", cluster: "near", group: "price-cache", to: "channel", repeats: true},
	}
}
