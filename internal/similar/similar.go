// Package similar finds the names that somebody may have meant.
package similar

import (
	"cmp"
	"slices"
	"strings"
)

// longest is the length, in bytes, of the longest name that is compared with others.
const longest = 300

// least is the length, in bytes, from which on a name that is in another is like it.
const least = 3

// Distance is the Levenshtein distance in bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Names returns those candidates that are most like a name, the best first and n at
// most: those that have it in them, or that it has in it, from three letters on, and those
// that differ in few letters and not in all. Case does not count, and each is returned once.
func Names(name string, candidates []string, n int) []string {
	type match struct {
		name     string
		distance int
	}
	var list []match
	wanted := strings.ToLower(name)
	if len(wanted) > longest {
		return nil
	}
	for _, c := range candidates {
		lower := strings.ToLower(c)
		if len(c) > longest || c == "" {
			continue
		}
		within := len(wanted) >= least && strings.Contains(lower, wanted) || len(lower) >= least && strings.Contains(wanted, lower)
		if gap := max(len(lower)-len(wanted), len(wanted)-len(lower)); !within && gap > len(wanted)/3 {
			continue
		}
		if d := Distance(wanted, lower); within || d <= max(1, len(wanted)/3) && d < min(len(wanted), len(lower)) {
			list = append(list, match{c, d})
		}
	}
	slices.SortFunc(list, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	list = slices.Compact(list)
	var out []string
	for _, m := range list[:min(n, len(list))] {
		out = append(out, m.name)
	}
	return out
}
