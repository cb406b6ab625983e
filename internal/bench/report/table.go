package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

const mib = 1 << 20

// Markdown shows the machine and a table for each result, and how lagwatch grows
// where there are two sizes or more.
func Markdown(m Machine, results []Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s\n", m)
	for _, r := range results {
		r.write(&b)
	}
	writeGrowth(&b, results)
	return b.String()
}

func (r Result) write(b *strings.Builder) {
	s := r.Shape
	fmt.Fprintf(b, "\n## %s: %s groups, %s partitions, %s group-partitions; %s families\n\n", s.Name,
		thousands(s.Groups), thousands(s.Partitions()), thousands(s.Pairs()), r.Families)
	fmt.Fprintf(b, "Rounds: %d. Polls of each: %d. Scrapes in each encoding: %d. A poll of lagwatch's sends %s.\n\n",
		r.Rounds, r.Polls, r.Scrapes, requests(r.Lagwatch.Requests))
	b.WriteString("| | least work | lagwatch | ratio | target |\n|---|--:|--:|--:|---|\n")
	for _, row := range r.rows() {
		row.target = row.target.because(causes, place{row.name, s.Name})
		row.write(b)
	}
}

// row is one figure; least is nil where only lagwatch has it.
type row struct {
	name     string
	least    *float64
	lagwatch float64
	target   Target
}

func (r Result) rows() []row {
	least, ours := &r.Least, &r.Lagwatch
	both := func(name string, a, b float64, t Target) row { return row{name, &a, b, t} }
	alone := func(name string, v float64, t Target) row { return row{name, nil, v, t} }
	list := []row{
		both("poll: requests", float64(least.Total()), float64(ours.Total()), Target{}),
		both("poll: seconds", least.Seconds, ours.Seconds, r.pollTarget()),
		both("poll: CPU-seconds", least.CPUSeconds, ours.CPUSeconds, Target{}),
		both("poll: allocations", least.Allocations, ours.Allocations, Target{}),
		both("poll: MiB allocated", least.Allocated/mib, ours.Allocated/mib, Target{}),
	}
	list = slices.Concat(list, r.conditions(r.Conditions), r.conditions(r.Calm))
	list = append(list,
		both("first poll: seconds", least.FirstSeconds, ours.FirstSeconds, Target{}),
		alone("page: series", float64(r.Series), Target{}),
		alone("page, gzip: seconds", r.Gzip.Seconds, Target{}),
		alone("page, gzip: CPU-seconds", r.Gzip.CPUSeconds, Target{}),
		alone("page, gzip: allocations", r.Gzip.Allocations, Target{}),
		alone("page, gzip: MiB allocated", r.Gzip.Allocated/mib, Target{}),
		alone("page, gzip: bytes", r.Gzip.Bytes, Target{}),
		alone("page, not compressed: seconds", r.Plain.Seconds, Target{}),
		alone("page, not compressed: CPU-seconds", r.Plain.CPUSeconds, Target{}),
		alone("page, not compressed: bytes", r.Plain.Bytes, Target{}),
		alone("poll and page, gzip: CPU-seconds per 100,000 group-partitions", r.CPUPer100000(), r.cpuTarget()),
	)
	list = slices.Concat(list, r.GzipCrowd.rows("gzip"), r.PlainCrowd.rows("not compressed"))
	h := r.History
	list = append(list,
		alone("estimates of a poll: CPU-seconds", h.CPUSeconds, Target{}),
		both("history of a partition: bytes", h.LeastPartitionBytes, h.PartitionBytes, Target{}),
		both("history of a group-partition: bytes", h.LeastPairBytes, h.PairBytes, Target{}),
		alone("live heap before the history is full, pages in gzip: MiB", float64(r.Young.Live)/mib, Target{}),
	)
	return append(list,
		both("live heap, pages in gzip: MiB", float64(least.Live)/mib, float64(ours.Live)/mib, Target{}),
		alone("live heap, pages in both: MiB", float64(r.Both.Live)/mib, Target{}),
		both("peak memory, pages in gzip: MiB", float64(least.Peak)/mib, float64(ours.Peak)/mib, r.peakTarget()),
		alone("peak memory, pages in both: MiB", float64(r.Both.Peak)/mib, Target{}),
	)
}

// conditions are the rows of what conditions cost, none where that was not measured.
func (r Result) conditions(c Conditions) []row {
	if c == (Conditions{}) {
		return nil
	}
	where := fmt.Sprintf("%s of %s groups in trouble: ", thousands(c.Troubled), thousands(r.Shape.Groups))
	return []row{
		{name: where + "CPU-seconds of a poll with conditions, in turn with the next", lagwatch: c.With.CPUSeconds},
		{name: where + "CPU-seconds of a poll without", lagwatch: c.Without.CPUSeconds},
		{name: where + "part that conditions take", lagwatch: c.Part(), target: r.conditionsTarget(c)},
		{name: where + "allocations of conditions", lagwatch: max(0, c.With.Allocations-c.Without.Allocations)},
	}
}

func (r row) write(b *strings.Builder) {
	least, ratio := "", ""
	if r.least != nil {
		least, ratio = number(*r.least), fmt.Sprintf("%.2f", r.lagwatch / *r.least)
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", r.name, least, number(r.lagwatch), ratio, r.target)
}

// writeGrowth compares sizes, for each choice of families that was measured at
// two or more.
func writeGrowth(b *strings.Builder, results []Result) {
	byFamilies := map[string][]Result{}
	for _, r := range results {
		byFamilies[r.Families] = append(byFamilies[r.Families], r)
	}
	for _, families := range slices.Sorted(maps.Keys(byFamilies)) {
		list := byFamilies[families]
		if len(list) < 2 {
			continue
		}
		slices.SortStableFunc(list, func(a, b Result) int { return a.Shape.Pairs() - b.Shape.Pairs() })
		fmt.Fprintf(b, "\n## Growth: %s families, for each 100,000 group-partitions\n\n", families)
		b.WriteString("| | group-partitions | poll: seconds | poll: CPU-seconds | page, gzip: CPU-seconds | together | peak memory, pages in gzip: MiB | bytes of page, not compressed, for each group-partition | target |\n" +
			"|---|--:|--:|--:|--:|--:|--:|--:|---|\n")
		for i, r := range list {
			var t Target
			if i > 0 {
				t = r.growthTarget(list[i-1]).because(causes, place{"growth", r.Shape.Name})
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Shape.Name, thousands(r.Shape.Pairs()),
				number(r.Per100000(r.Lagwatch.Seconds)), number(r.Per100000(r.Lagwatch.CPUSeconds)), number(r.Per100000(r.Gzip.CPUSeconds)),
				number(r.CPUPer100000()), number(r.Per100000(float64(r.Lagwatch.Peak)/mib)), number(r.Plain.Bytes/float64(r.Shape.Pairs())), t)
		}
	}
}

// requests lists how many of each are sent.
func requests(of map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, fmt.Sprintf("%d %s", of[name], name))
	}
	return strings.Join(list, ", ")
}

// number shows whole numbers as they are, and three digits of others.
func number(v float64) string {
	if v >= 100 || v == math.Trunc(v) {
		return thousands(int(math.Round(v)))
	}
	digits := 2 - int(math.Floor(math.Log10(v*(1+5e-4)))) // what rounding makes 10 has one digit less
	return strconv.FormatFloat(v, 'f', digits, 64)
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
