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

// List says of each group with a condition what the headline is, the worst first, and how
// many groups have none.
func List(d *document.Groups) string {
	var b strings.Builder
	holding := 0
	for i := range d.Groups {
		s := &d.Groups[i]
		if len(s.Conditions) == 0 {
			continue
		}
		holding++
		fmt.Fprintf(&b, "%s\n  %s\n", wrap(title(d, s), "  "), wrap(s.Sentence, "  "))
	}
	if holding > 0 {
		b.WriteByte('\n')
	}
	switch {
	case holding == len(d.Groups) && d.Total > holding: // the list is cut among them
		fmt.Fprintf(&b, "a condition holds of %d of %d groups at least, which are those above\n", holding, d.Total)
	default:
		fmt.Fprintf(&b, "a condition holds of %d of %s\n", holding, plural(d.Total, "group", "groups"))
	}
	for i := range d.Clusters {
		b.WriteString(clusterNote(&d.Clusters[i]))
	}
	return b.String()
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

// clusterNote says of a cluster that could not be read that its groups are old news.
func clusterNote(c *document.ClusterMoment) string {
	switch {
	case c.Up:
		return ""
	case c.At == nil:
		return wrap(fmt.Sprintf("note: %s has not been read yet", words.Printable(c.Cluster)), "      ") + "\n"
	}
	return wrap(fmt.Sprintf("note: %s could not be read in the last poll: %s", words.Printable(c.Cluster), c.PollError), "      ") + "\n"
}
