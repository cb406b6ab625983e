package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
)

func ownership() dashboard.Dashboard {
	p := newPage(uidOwnership, "Kafka group ownership",
		"Who owned which partition of one group, how often that changed, and what nobody reads.")
	p.variables(variableSource(), variableCluster(), variableGroup(), variableGroupTopics())
	p.annotations(rounds(), rewinds())
	p.line(4, ownersMembers(), ownersIdle(), ownersUnowned(), roundsNow(), movedNow(), unstableNow())
	p.line(8, partitionsPerMember())
	p.line(4, groupStates())
	p.line(8, roundsPerHour(), movedOverTime(), unstableOverTime())
	p.line(9, membersAndUnowned(), wider(owners(), 16))
	p.line(10, partitionsThatMoved())
	p.line(7, generation())
	return p.d
}

// rewinds marks when committed positions went back.
func rewinds() dashboard.AnnotationQuery {
	q := line(fmt.Sprintf("max by (%s) (increase(lagwatch_group_rewinds_total{%s}[$__rate_interval])) > 0", K, thisGroup), "")
	return dashboard.AnnotationQuery{
		Name: "Rewinds", Datasource: source(), Enable: true, IconColor: orange, Target: q.target(0), Expr: &q.expr,
		TitleFormat: new("Rewind"), TextFormat: new("Committed positions of {{group}} went back: records are read again."),
	}
}

// grown is by how much a counter of the group has grown in the window that ends at
// each moment, in whole numbers: Prometheus extrapolates.
func grown(by, metric, window string) string {
	return fmt.Sprintf("round(max by (%s) (increase(%s{%s}[%s])))", by, metric, thisGroup, window)
}

// inAll is the window of everything that is shown.
const inAll = "$__range"

// ofAllSources adds the rounds of a group by what each is known from.
const ofAllSources = "sum by (" + K + ") (%s)"

func ownersMembers() dashboard.Panel {
	return panel{
		width: 4, title: "Members", unit: count,
		about:   "How many members the group has now. When it is 0 and the group is to run all the time, start its consumers.",
		none:    "Not known",
		queries: []query{number(most(K, "lagwatch_group_members", thisGroup), "members")},
	}.asStat()
}

func ownersIdle() dashboard.Panel {
	return panel{
		width: 4, title: "Idle members", unit: count,
		about:   "Members that own nothing now. Members beyond what can be assigned are spares: when it is blue, remove them, or keep them on purpose. Where there are unowned partitions as well, look at subscriptions and the assignor.",
		none:    "Not known",
		queries: []query{number(most(K, "lagwatch_group_idle_members", thisGroup), "idle")},
		colours: []step{below(plain), {1, blue}},
	}.asStat()
}

// unowned is how many partitions of the group's topics nobody owns. Not known of a
// group whose partitions are not shown.
func unowned() string {
	all := fmt.Sprintf(`sum by (%s) (max by (%s, topic, state) (lagwatch_group_topic_partitions{%s, state!="no_partition"}))`, K, K, thisGroup)
	owned := fmt.Sprintf("count by (%s) (%s)", K, most(K+", "+pair, "lagwatch_group_partition_owner", thisGroup))
	shown := fmt.Sprintf("%s * 0", most(K, "lagwatch_group_partition_lag", thisGroup))
	return fmt.Sprintf("clamp_min(\n  %s\n  - (%s or %s),\n  0\n)", all, owned, shown)
}

func ownersUnowned() dashboard.Panel {
	return panel{
		width: 4, title: "Unowned partitions", unit: count,
		about:   "Partitions of the group's topics that no member owns: nobody reads them. When it stays orange while the group has members, check that all members subscribe to all topics, and the assignor. Short spells are rebalances.",
		none:    "Not known",
		queries: []query{number(unowned(), "unowned")},
		colours: noneIsBetter,
	}.asStat()
}

func roundsNow() dashboard.Panel {
	return panel{
		width: 4, title: "Rebalances", unit: count,
		about:   "How often the group was given a new assignment in the shown time, up to a lower bound where the clients do not tell (see rebalances by source). A deploy makes a few; when it goes on, find which member comes and goes, below.",
		none:    "Not known",
		queries: []query{number(fmt.Sprintf(ofAllSources, grown(K+", source", "lagwatch_group_rebalances_total", inAll)), "rebalances")},
	}.asStat()
}

func movedNow() dashboard.Panel {
	return panel{
		width: 4, title: "Moved", unit: count,
		about:   "How many partitions got another owner in the shown time. Many for few rebalances: an eager assignor moves everything each time; cooperative-sticky or the consumer protocol moves less.",
		none:    "Not known",
		queries: []query{number(grown(K, "lagwatch_group_partitions_moved_total", inAll), "moved")},
	}.asStat()
}

func unstableNow() dashboard.Panel {
	return panel{
		width: 4, title: "Unstable", unit: seconds,
		about:   "For how long the group was between two assignments in the shown time: classic groups read nothing meanwhile. When it is minutes, find the member that is slow to join or comes and goes.",
		none:    "Not known",
		queries: []query{number(grown(K, "lagwatch_group_unstable_seconds_total", inAll), "unstable")},
	}.asStat()
}

// wider is a panel with another width.
func wider(d dashboard.Panel, width uint32) dashboard.Panel {
	d.GridPos = &dashboard.GridPos{W: width}
	return d
}

// paged shows twenty rows of a timeline at a time, so that a group of a thousand
// partitions can be read.
func paged(d dashboard.Panel) dashboard.Panel {
	d.Options.(*statetimeline.Options).PerPage = new(20.0)
	return d
}

// owned are the partitions of the chosen topics with their owners, as the labels
// "at", TOPIC/PARTITION, and "member". Kafka tells a member's address without a port;
// what stands in for Kafka may tell one, which is another with each connection.
func owned() string {
	return fmt.Sprintf(`label_replace(
  label_join(
    label_join(%s, "at", "/", "topic", "partition"),
    "member", " @ ", "client_id", "host"
  ), "member", "$1", "member", "(.* @ /?[0-9.]+):[0-9]+"
)`, most(pair+", client_id, host", "lagwatch_group_partition_owner", itsTopics))
}

// over is an expression that is 0 where it has a series in the shown time, and none
// at that moment: Grafana draws what has no more samples on to the end.
func over(by, expr string) string {
	return fmt.Sprintf("%s\nor max by (%s) (last_over_time((%s)[$__range:] @ end())) * 0", expr, by, expr)
}

func partitionsPerMember() dashboard.Panel {
	return paged(panel{
		width: 24, title: "Partitions per member", unit: words,
		about:    "Each member, by client id and host, with how many partitions it owned when. Grey is a member that owned nothing or was not there. Many short bars are a member that comes and goes: look at its process. Uneven numbers: look at the assignor and at subscriptions.",
		none:     "Nobody owned anything in this time, or " + lessDetail + ".",
		queries:  []query{line(over("member", "count by (member) (max by (at, member) ("+owned()+"))"), "{{member}}")},
		mappings: []dashboard.ValueMapping{meanings(0, meaning{" ", faint})},
		colours:  []step{below(blue)},
	}.asTimeline())
}

func partitionsThatMoved() dashboard.Panel {
	inTime := "max by (at, member) (last_over_time((" + owned() + ")[$__range:] @ end()))"
	moved := "topk(50, count by (at) (" + inTime + ") > 1)"
	return paged(panel{
		width: 24, title: "Partitions that moved, and who owned them", unit: words,
		about:    "One line for each partition and each member that owned it, of the fifty partitions that had most owners in the shown time. A partition of which no line is blue was read by nobody then. Choose topics above to see fewer.",
		none:     "No partition had another owner in this time, or " + lessDetail + ".",
		queries:  []query{line("(\n"+over("at, member", "max by (at, member) ("+owned()+")")+"\n)\nand on (at) "+moved, "{{at}} {{member}}")},
		mappings: []dashboard.ValueMapping{meanings(0, meaning{" ", faint}, meaning{"owns", blue})},
	}.asTimeline())
}

func groupStates() dashboard.Panel {
	bad := []string{"preparing_rebalance", "completing_rebalance", "assigning", "reconciling", "not_ready"}
	held := fmt.Sprintf("max by (state) (max_over_time(lagwatch_group_state{%s}[$__range] @ end())) == 1", thisGroup)
	p := panel{
		width: 24, title: "State", unit: words,
		about:    "Which state Kafka gave the group when. Orange ones are between two assignments; grey ones have no members. When it does not settle, look above which member comes and goes, and at the members' session and poll timeouts.",
		none:     "Not known: the group could not be read.",
		queries:  []query{line(most("state", "lagwatch_group_state", thisGroup)+"\nand on (state) ("+held+")", "{{state}}")},
		mappings: []dashboard.ValueMapping{meanings(0, meaning{" ", faint}, meaning{" ", ""})},
		colours:  []step{below(blue)},
	}
	for _, s := range bad {
		p.special = append(p.special, named(s, set("displayName", inWords(s)), set("thresholds", steps(below(orange)))))
	}
	p.special = append(p.special, named("stable", set("thresholds", steps(below(green)))))
	for _, s := range []string{"empty", "dead"} {
		p.special = append(p.special, named(s, set("thresholds", steps(below(plain)))))
	}
	return p.asTimeline()
}

func roundsPerHour() dashboard.Panel {
	return panel{
		width: 8, title: "Rebalances per hour", unit: count,
		about:   "Rebalances in the hour before each moment, by what they are known from: generation and epoch are Kafka's own numbers; observed is what polls saw, a lower bound. A step that stays for an hour is one deploy; a slope that goes on is a storm.",
		none:    "Not known",
		queries: []query{line(grown("source", "lagwatch_group_rebalances_total", "1h"), "{{source}}")},
	}.asLines()
}

func movedOverTime() dashboard.Panel {
	return panel{
		width: 8, title: "Partitions moved per hour", unit: count,
		about:   "How many partitions got another owner in the hour before each moment. What a new owner begins with is what was committed last: expect some records twice.",
		none:    "Not known",
		queries: []query{line(grown(K, "lagwatch_group_partitions_moved_total", "1h"), "moved")},
		special: []override{named("moved", fixed(blue))},
	}.asLines()
}

func unstableOverTime() dashboard.Panel {
	return panel{
		width: 8, title: "Time between two assignments", unit: share,
		about:   "The share of time in which the group was between two assignments. At 100 % it does not settle at all: find the member that does not join or leave in time.",
		none:    "Not known",
		queries: []query{line(growth(K, "lagwatch_group_unstable_seconds_total", thisGroup), "unstable")},
		special: []override{named("unstable", fixed(orange), set("max", 1))},
	}.asLines()
}

func membersAndUnowned() dashboard.Panel {
	steps := set("custom.lineInterpolation", "stepAfter")
	return panel{
		width: 8, title: "Members and unowned partitions", unit: count,
		about: "Idle members and unowned partitions at one time: members do not subscribe to what is unowned, or the assignor cannot deal it out. Unowned partitions without members: the group is stopped.",
		none:  "Not known: the group could not be described.",
		queries: []query{
			line(most(K, "lagwatch_group_members", thisGroup), "members"),
			line(most(K, "lagwatch_group_idle_members", thisGroup), "idle"),
			line(unowned(), "unowned partitions"),
		},
		special: []override{
			named("members", fixed(green), steps, set("decimals", 0), set("custom.fillOpacity", 0)), named("idle", fixed(blue), steps, set("custom.fillOpacity", 0)),
			named("unowned partitions", fixed(orange), steps),
		},
	}.asLines()
}

func generation() dashboard.Panel {
	return panel{
		width: 24, title: "Generation or epoch", unit: words,
		about:   "Kafka's own number of the group's rounds. Each step up is one, or more; an epoch also moves on with the metadata of topics. A step down: the group was deleted and made anew, or the offsets topic was lost: check its commits.",
		none:    "Not known: a classic group whose members do not tell its generation (only newer Java clients do), or one that had no members.",
		queries: []query{line(most(K, "lagwatch_group_generation", thisGroup), "generation or epoch")},
		special: []override{named("generation or epoch", fixed(blue), set("custom.lineInterpolation", "stepAfter"), set("custom.fillOpacity", 0), set("custom.axisSoftMin", nil))},
	}.asLines()
}
