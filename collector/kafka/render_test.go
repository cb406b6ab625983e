package kafka

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// render writes a snapshot as text, without times, member ids and details, so
// that a test can state all that it expects at a glance.
func render(s *snapshot.Snapshot) string {
	var b strings.Builder
	for i := range s.Topics {
		renderTopic(&b, &s.Topics[i])
	}
	for i := range s.Groups {
		renderGroup(&b, &s.Groups[i])
	}
	for _, p := range problems(s) {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

func renderTopic(b *strings.Builder, t *snapshot.Topic) {
	fmt.Fprintf(b, "topic %s", t.Name)
	if t.Partitions == nil {
		b.WriteString(" unread")
	}
	b.WriteByte('\n')
	for _, p := range t.Partitions {
		fmt.Fprintf(b, "  %d leader=%s %s..%s", p.ID, orUnknown(p.Leader), offset(p.Start), offset(p.End))
		if p.LastStable.Known() {
			fmt.Fprintf(b, " stable=%s", offset(p.LastStable))
		}
		b.WriteByte('\n')
	}
}

func renderGroup(b *strings.Builder, g *snapshot.Group) {
	fmt.Fprintf(b, "group %s %s %s/%s %s coordinator=%s generation=%s\n",
		g.ID, g.Type, g.ProtocolType, g.Assignor, g.State, orUnknown(g.Coordinator), orUnknown(g.Generation))
	if m, ok := g.Members.Get(); !ok {
		b.WriteString("  members=?\n")
	} else {
		renderMembers(b, m)
	}
	shares, _ := g.Shares.Get()
	for _, t := range shares.Topics {
		fmt.Fprintf(b, "  shares %s", t.Topic)
		for _, p := range t.Partitions {
			fmt.Fprintf(b, " %d=%s", p.Partition, renderShare(p))
		}
		b.WriteByte('\n')
	}
	c, ok := g.Commits.Get()
	if !ok && !g.Shares.Known() {
		b.WriteString("  commits=?\n")
	}
	for _, t := range c.Topics {
		fmt.Fprintf(b, "  committed %s", t.Topic)
		for _, p := range t.Partitions {
			fmt.Fprintf(b, " %d=%s", p.Partition, orUnknown(p.Offset))
		}
		b.WriteByte('\n')
	}
}

// renderShare writes a share group's position as start+lag.
func renderShare(p snapshot.Share) string {
	if p.NoPosition {
		return "none"
	}
	return orUnknown(p.Start) + "+" + orUnknown(p.Lag)
}

func renderMembers(b *strings.Builder, m snapshot.Members) {
	if !m.Assigned {
		b.WriteString("  owners=?\n")
	}
	var lines []string
	for _, member := range m.List {
		line := fmt.Sprintf("  member %s@%s", member.ClientID, member.Host)
		if member.InstanceID != "" {
			line += " static=" + member.InstanceID
		}
		line += fmt.Sprintf(" reads %v owns", member.Subscribed)
		for _, a := range member.Assignment {
			line += fmt.Sprintf(" %s%v", a.Topic, a.Partitions)
		}
		lines = append(lines, line+"\n")
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, ""))
}

// problems writes each problem of a snapshot as a line.
func problems(s *snapshot.Snapshot) []string {
	var list []string
	for _, p := range s.Problems {
		line := fmt.Sprintf("problem %s %s", p.Stage, p.Reason)
		if id, ok := p.Broker.Get(); ok {
			line += fmt.Sprintf(" broker=%d", id)
		}
		if p.Group != "" {
			line += " group=" + p.Group
		}
		if p.Topic != "" {
			line += " topic=" + p.Topic
		}
		list = append(list, fmt.Sprintf("%s ×%d", line, p.Count))
	}
	return list
}

func orUnknown[T any](m snapshot.Maybe[T]) string {
	if v, ok := m.Get(); ok {
		return fmt.Sprint(v)
	}
	return "?"
}

func offset(m snapshot.Maybe[snapshot.Reading]) string {
	if r, ok := m.Get(); ok {
		return fmt.Sprint(r.Offset)
	}
	return "?"
}

// check compares a snapshot with the lines that are expected of it.
func check(t *testing.T, s *snapshot.Snapshot, want ...string) {
	t.Helper()
	got := strings.Split(strings.TrimSuffix(render(s), "\n"), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
}
