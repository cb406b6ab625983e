package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/words"
)

// AnyHolds tells whether a condition holds of any of the groups.
func AnyHolds(d *document.Groups) bool {
	return slices.ContainsFunc(d.Groups, func(s document.Summary) bool { return len(s.Conditions) > 0 })
}

// alike is how many groups with the very same sentence are told of one by one.
const alike = 5

// List says first which clusters could not be read; then of each group with a condition
// what the headline is, the worst first, and a sentence of several once; how many groups
// have one, and of which that is not known.
func (p Page) List(d *document.Groups) string {
	var b strings.Builder
	for i := range d.Clusters {
		c := &d.Clusters[i]
		if note := blindness(c); note != "" {
			b.WriteString(p.wrap("note: ", note+why(c.PollError), "      "))
		}
	}
	var holding []*document.Summary
	var unsure []string
	for i := range d.Groups {
		switch s := &d.Groups[i]; {
		case len(s.Conditions) > 0:
			holding = append(holding, s)
		case unsureSummary(s):
			unsure = append(unsure, s.Group)
		}
	}
	if b.Len() > 0 && len(holding) > 0 {
		b.WriteByte('\n')
	}
	p.sentences(&b, d, holding)
	switch n := len(holding); {
	case n == 0 && len(d.Clusters) > 0 && !slices.ContainsFunc(d.Clusters, func(c document.ClusterMoment) bool { return blindness(&c) == "" }):
		fmt.Fprintf(&b, "whether a condition holds of %s is not known\n", plural(d.Total, "group", "groups"))
	case n > 0 && n == len(d.Groups) && d.Total > n: // the list is cut among them
		b.WriteString(p.wrap("", fmt.Sprintf("a condition holds of %d of %d groups at least, which are those above", n, d.Total), ""))
	default:
		fmt.Fprintf(&b, "a condition holds of %d of %s\n", n, plural(d.Total, "group", "groups"))
	}
	if len(unsure) > 0 {
		b.WriteString(p.wrap("note: ", "it is not known yet whether one holds of "+some(unsure), "      "))
	}
	return b.String()
}

// why is an error as the end of a sentence, if there is one.
func why(problem string) string {
	if problem == "" {
		return ""
	}
	return ": " + problem
}

// sentences are what is said of groups, those with the same sentence together.
func (p Page) sentences(b *strings.Builder, d *document.Groups, holding []*document.Summary) {
	of := map[string][]*document.Summary{}
	for _, s := range holding {
		of[s.Sentence] = append(of[s.Sentence], s)
	}
	for _, s := range holding {
		same := of[s.Sentence]
		if same == nil {
			continue // told
		}
		of[s.Sentence] = nil
		for _, one := range same[:min(alike, len(same))] {
			b.WriteString(p.wrap("", title(d, one), "  "))
		}
		if more := len(same) - alike; more > 0 {
			fmt.Fprintf(b, "and %s of which the same is to be said; --json names all\n", plural(more, "more group", "more groups"))
		}
		b.WriteString(p.wrap("  ", s.Sentence, "  "))
	}
	if len(holding) > 0 {
		b.WriteByte('\n')
	}
}

func title(d *document.Groups, s *document.Summary) string {
	text := words.Printable(s.Group)
	if len(d.Clusters) > 1 {
		text += " in " + words.Printable(s.Cluster)
	}
	text += ": " + strings.Join(s.Conditions, ", ")
	if s.Missing {
		return text
	}
	e := &s.Estimates
	return fmt.Sprintf("%s; lag %s, age %s, catches up: %s", text, number(s.Lag), words.Age(value(e.LagAgeSeconds)), catchesUp(&e.Drain))
}
