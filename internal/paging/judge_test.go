//go:build paging

package paging

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lagwatch/lagwatch/internal/promtest"
)

// judge compares who was told of what with what there was to tell.
func judge(n *night) {
	n.pages.atRisk.began = <-n.risky
	for _, x := range n.pages.all() {
		n.judgePage(x)
	}
	for _, x := range tickets() {
		n.judgeTicket(x)
	}
	n.judgeRest()
	n.judgeInhibited()
	n.t.Logf("\n%s", n.table())
	for _, x := range n.pages.all() {
		n.show(x)
	}
}

// judgePage wants one page soon, and that it is resolved once.
func (n *night) judgePage(x *trouble) {
	told, over := n.about(x, "firing"), n.about(x, "resolved")
	if len(told) != 1 || len(over) != 1 {
		n.t.Errorf("%v was told of %d times and resolved %d times:\n%s", x, len(told), len(over), history(n.pager.Notifications(), x))
		return
	}
	if told[0].To != x.to || over[0].To != x.to || told[0].GroupKey != over[0].GroupKey {
		n.t.Errorf("%v: told to %s and %s, want %s; groups %s and %s", x, told[0].To, over[0].To, x.to, told[0].GroupKey, over[0].GroupKey)
	}
	if after := usual(told[0].At.Sub(x.began)); after > soon || after < 0 {
		n.t.Errorf("%v pages after %v", x, after)
	}
	if over[0].At.Before(x.ended) {
		n.t.Errorf("%v was resolved %v before it was over", x, usual(x.ended.Sub(over[0].At)))
	}
	for _, a := range told[0].Alerts {
		if !x.same(a.Labels) {
			n.t.Errorf("a page for %v has an alert of another group: %v", x, a.Labels)
		}
		if x.is(a) {
			n.judgeText(x, a.Annotations)
		}
	}
}

// What a text has of how late a group is, and of how long it will take.
var (
	late  = regexp.MustCompile(`Oldest unread record: (-?[0-9.]+(ms|s)|([0-9]+[dhm] )+[0-9]+s) old`)
	drain = regexp.MustCompile(`Catches up in: (never|not known|[0-9.]+m?s|([0-9]+[dhm] )+[0-9]+s)`)
)

// unknown is what a page says instead where nobody can know.
const unknown = "How late it is, and how long it needs to catch up, nobody knows"

// judgeText wants group, topic, how late, how long to drain, and what to do first.
func (n *night) judgeText(x *trouble, notes map[string]string) {
	text := notes["summary"] + "\n" + notes["description"]
	lacks := func(what string, has bool) {
		if !has {
			n.t.Errorf("the text of %v lacks %s:\n%s", x, what, text)
		}
	}
	lacks("what to do first", strings.Contains(text, "First: "))
	lacks(x.says, strings.Contains(text, x.says))
	switch {
	case x.group != "":
		lacks("the group", strings.Contains(notes["summary"], x.group))
		lacks("the topic", strings.Contains(text, x.group+topicSuffix))
		known := late.MatchString(text) && drain.MatchString(text)
		lacks("how late, and how long to drain", known || strings.Contains(text, unknown))
		lacks("lagwatch explain", strings.Contains(text, "lagwatch explain '"+x.group+"'"))
	case x.cluster != "":
		lacks("the cluster", strings.Contains(notes["summary"], x.cluster))
	}
}

// judgeTicket wants that somebody was told, and where.
func (n *night) judgeTicket(x *trouble) {
	told := n.about(x, "firing")
	if len(told) == 0 {
		n.t.Errorf("nobody was told of %v", x)
		return
	}
	if told[0].To != x.to {
		n.t.Errorf("%v: told to %s, want %s", x, told[0].To, x.to)
	}
	for _, again := range told[1:] {
		if !x.repeats && !starts(again, x).Equal(starts(told[0], x)) {
			n.t.Errorf("%v has come twice:\n%s", x, history(told, x))
		}
	}
}

// starts is since when an alert fires.
func starts(n promtest.Notification, x *trouble) time.Time {
	i := slices.IndexFunc(n.Alerts, x.is)
	return n.Alerts[i].StartsAt
}

// judgeRest wants that nobody was told anything else. Of what was silenced it may be told that
// it is over, beside what silenced it: that is news to nobody.
func (n *night) judgeRest() {
	known := append(slices.Concat(n.pages.all(), tickets()), beside())
	ours := func(a promtest.Alert) bool {
		return slices.ContainsFunc(known, func(x *trouble) bool { return x.is(a) })
	}
	for _, got := range n.pager.Notifications() {
		news := slices.ContainsFunc(got.Alerts, ours)
		for _, a := range got.Alerts {
			if !ours(a) && (a.Status == "firing" || !news) {
				n.t.Errorf("%s: told of what is none, %s: %v %s", n.clock(got.At), a.Status, a.Labels, a.Annotations["summary"])
			}
		}
	}
}

// judgeInhibited wants that what was silenced was not told before what silenced it was over.
// That it fired meanwhile was waited for.
func (n *night) judgeInhibited() {
	ticket := &trouble{alert: "KafkaGroupPartitionsUnowned", cluster: "far", group: halfOwned}
	for _, got := range n.about(ticket, "firing") {
		if got.At.Before(n.pages.blind.ended) {
			n.t.Errorf("%v was told of while lagwatch was blind", ticket)
		}
	}
	for _, got := range n.about(beside(), "firing") {
		if got.At.Before(n.pages.stuck.ended) {
			n.t.Errorf("%v was told of beside the page", beside())
		}
	}
}

func (n *night) clock(at time.Time) string { return fmt.Sprintf("%.0f s", at.Sub(n.began).Seconds()) }

// history is what was told of a group, a line for each notification.
func history(all []promtest.Notification, x *trouble) string {
	var b strings.Builder
	for _, got := range all {
		for _, a := range got.Alerts {
			if x.same(a.Labels) {
				fmt.Fprintf(&b, "%s %s %s %s since %s\n", got.At.Format(time.TimeOnly), got.To, a.Name(), a.Status, a.StartsAt.Format(time.TimeOnly))
			}
		}
	}
	return b.String()
}

// table says how soon each trouble paged, and how soon that was resolved.
func (n *night) table() string {
	var b strings.Builder
	out := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "ALERT\tGROUP OR CLUSTER\tPAGES AFTER\tRESOLVED AFTER")
	for _, x := range n.pages.all() {
		after, over := "never", "never"
		if got := n.about(x, "firing"); len(got) > 0 {
			after = usual(got[0].At.Sub(x.began)).String()
		}
		if got := n.about(x, "resolved"); len(got) > 0 {
			over = usual(got[0].At.Sub(x.ended)).String()
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", x.alert, place(x), after, over)
	}
	out.Flush()
	fmt.Fprintln(&b)
	fmt.Fprintln(out, "TICKET OR NOTE\tGROUP OR CLUSTER\tTOLD AT")
	for _, x := range tickets() {
		for _, got := range n.about(x, "firing") {
			fmt.Fprintf(out, "%s\t%s\t%s\n", x.alert, place(x), n.clock(got.At))
		}
	}
	out.Flush()
	return b.String()
}

// place is the group, or the cluster where there is none.
func place(x *trouble) string { return cmp.Or(x.group, x.cluster) }

// show prints a page as it came.
func (n *night) show(x *trouble) {
	for _, got := range n.about(x, "firing") {
		for _, a := range got.Alerts {
			n.t.Logf("%s to %s:\n%s\n%s", a.Name(), got.To, a.Annotations["summary"], a.Annotations["description"])
		}
	}
}
