//go:build paging

package paging

import (
	"fmt"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// heal ends the troubles.
func (n *night) heal() {
	n.say("troubles end")
	p := n.pages
	for _, m := range n.stuck.members {
		m.Release(n.stuck.topic, poisoned)
	}
	n.leaveOut(n.stuck, 0)
	n.hung.members[0].Resume()
	for _, m := range n.stalled.members {
		m.Resume()
	}
	n.stopped.come(2)
	n.vanishing.come(2)
	n.atRisk.setDelay(time.Millisecond)
	n.stopLosing()
	n.losing.setDelay(time.Millisecond)
	for _, x := range []*trouble{p.stuck, p.hung, p.stalled, p.stopped, p.vanished, p.atRisk, p.losing} {
		x.end()
	}
}

// replaceLagwatch ends lagwatch, and half a minute later there is another.
func (n *night) replaceLagwatch() {
	n.say("lagwatch ends")
	n.lagwatch.end(n.t)
	n.pass(30 * time.Second)
	n.startLagwatch()
}

func (n *night) startLagwatch() {
	n.lagwatch.start(n.t)
	n.until("the scrape of another lagwatch", fmt.Sprintf(`up{instance=%q} == 1`, n.lagwatch.address))
	n.say("another lagwatch is scraped")
}

// holdOn lets the troubles go on until the new lagwatch, which knows nothing of what was
// usual, says of its own that they do; and until the groups are so late that another
// alert fires, which Alertmanager silences: nobody is to hear of that, now or later.
//
// Of a group that does nothing at all it could not say so in less than 12 minutes, which
// no threshold makes shorter. The last verdict stands for 15, see the tests of the rules.
func (n *night) holdOn() {
	for _, x := range []struct{ group, condition string }{{stuck, "stalled_partition"}, {hung, "stalled_member"}, {stopped, "no_consumers"}} {
		n.until("the new lagwatch to say "+x.condition+" of "+x.group,
			fmt.Sprintf(`lagwatch_group_condition{kafka_cluster="near",group=%q,condition=%q} == 1`, x.group, x.condition))
	}
	n.say("the new lagwatch says itself what has stopped")
	for _, group := range []string{stuck, hung, stalled, stopped} {
		n.until("KafkaGroupLagAgeHigh of "+group, fmt.Sprintf(`ALERTS{alertstate="firing",alertname="KafkaGroupLagAgeHigh",group=%q}`, group))
	}
	n.say("what has stopped is very late")
	x := beside()
	n.until(x.String(), fmt.Sprintf(`ALERTS{alertstate="firing",alertname=%q,kafka_cluster="near",group=%q}`, x.alert, x.group))
}

// until waits until an expression finds something, for a quarter of an hour as time
// usually passes.
func (n *night) until(what, expr string) {
	n.t.Helper()
	await.Until(n.t, fast(15*time.Minute), what, func() bool {
		v, err := n.prometheus.Query(n.t.Context(), expr)
		n.must(err)
		return len(v) > 0
	})
}

// farComesBack ends the outage of a cluster. The ticket that its group has earned meanwhile
// fires by now, and nobody was told.
func (n *night) farComesBack() {
	ticket := &trouble{alert: "KafkaGroupPartitionsUnowned", cluster: "far", group: halfOwned}
	n.until(ticket.String(), fmt.Sprintf(`ALERTS{alertstate="firing",alertname=%q,kafka_cluster="far",group=%q}`, ticket.alert, halfOwned))
	if len(n.about(ticket, "firing")) > 0 {
		n.t.Errorf("%v was told of while lagwatch was blind", ticket)
	}
	n.say("the far cluster is back")
	n.reach(lab.LinkUp)
	n.pages.blind.end()
}

// rollingRestarts replaces the members of two groups, one by one.
func (n *night) rollingRestarts() {
	n.say("two rolling restarts begin")
	n.rolled.roll(12, n.pass)
	n.rolledSoft.roll(12, n.pass)
	n.say("two rolling restarts are over")
}

// brokerRestarts takes each broker away for a minute, one after the other. Nothing fails
// over meanwhile, which is worse than what Kafka does.
func (n *night) brokerRestarts() {
	for broker := range n.near.Addrs() {
		n.say("broker %d is away", broker)
		n.must(n.near.SetLink(int32(broker), lab.LinkDown))
		n.pass(time.Minute)
		n.must(n.near.SetLink(int32(broker), lab.LinkUp))
		n.pass(time.Minute)
	}
	n.say("all brokers are back")
}

// secondRun is that of the batch job: it reads what has come in since the first, and ends.
func (n *night) secondRun() {
	n.say("the batch job runs again, with a lag of %d", n.batch.lag())
	n.batch.come(1)
	await.Until(n.t, time.Minute, "the batch job", func() bool { return n.batch.lag() <= 1 })
	n.batch.leave()
}

// lagwatchIsDown until somebody was told, and again until that is resolved.
func (n *night) lagwatchIsDown() {
	n.say("lagwatch is down")
	n.lagwatch.end(n.t)
	n.pages.down.begin()
	n.wait("firing", 2*soon, n.pages.down)
	n.startLagwatch()
	n.pages.down.end()
	n.wait("resolved", 15*time.Minute, n.pages.down)
}
