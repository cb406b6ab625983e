package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/internal/screen"
	"github.com/lagwatch/lagwatch/internal/words"
)

const (
	// turnLasts is for how many screens the same groups are shown in detail, where
	// there is no room for all.
	turnLasts = 4

	// fewestRows are what the table of groups keeps where details need the room.
	fewestRows = 4

	// markWidth is how wide the mark before a row is.
	markWidth = 2
)

// turns fits screens into a terminal: groups take turns in being shown in detail where
// there is no room for all, and the table shows the part that they are in. Each group and
// each line of its details has its turn, also when groups change places meanwhile.
type turns struct {
	drawn int
	had   map[string]bool // groups that had their turn in this round
	now   []string        // groups whose turn it is
	from  int             // the first line of the details of a group that needs several turns
}

// fit makes a screen of a width and a height at most.
func (t *turns) fit(heading string, s screen.Screen, width, height int) string {
	p := &paper{width: width}
	for line := range strings.Lines(heading) {
		p.add(line, false)
	}
	room := height - len(p.lines)
	if needs(s) <= room {
		t.whole(p, s)
	} else {
		t.part(p, s, room)
	}
	return strings.Join(p.lines[:max(0, min(len(p.lines), height))], "\n")
}

// needs is how many lines all of a screen takes.
func needs(s screen.Screen) int {
	n := 1
	for i := range s.Groups {
		n += 2 + len(detailed(&s.Groups[i]).lines)
	}
	return n
}

func (t *turns) whole(p *paper, s screen.Screen) {
	t.drawn, t.had, t.now, t.from = 0, nil, nil, 0
	p.add(s.Head, true)
	for _, g := range s.Groups {
		p.add(g.Row, false)
	}
	for i := range s.Groups {
		p.add("", false)
		p.details(detailed(&s.Groups[i]).lines)
	}
}

// part shows a part of the table and some details in so many lines.
func (t *turns) part(p *paper, s screen.Screen, lines int) {
	most := 0
	for i := range s.Groups {
		most = max(most, len(detailed(&s.Groups[i]).lines))
	}
	lines -= 2 // the head, and what parts the table from the details
	rows := min(len(s.Groups), max(lines-most, min(fewestRows, lines/2), 1))
	room := max(0, lines-rows)
	if t.drawn%turnLasts == 0 {
		t.next(s, rows, room)
	}
	t.drawn++
	first := t.window(s, rows)
	p.add(strings.Repeat(" ", markWidth)+s.Head, true)
	for _, g := range s.Groups[first : first+rows] {
		mark := "  "
		if slices.Contains(t.now, g.ID) {
			mark = "▸ "
		}
		p.add(mark+g.Row, false)
	}
	p.add(parting(first, rows, len(s.Groups)), false)
	for i, g := range t.shown(s) {
		if i > 0 {
			p.add("", false)
		}
		p.details(detailed(g).turn(t.from, room))
	}
}

// parting is the line between table and details.
func parting(first, rows, all int) string {
	const text = "▸ in detail below, the others in turn"
	if rows == all {
		return text
	}
	return fmt.Sprintf("%d–%d of %d groups; %s", first+1, first+rows, all, text)
}

// shown are the groups whose turn it is, but for those that have gone.
func (t *turns) shown(s screen.Screen) (out []*screen.Group) {
	for i := range s.Groups {
		if slices.Contains(t.now, s.Groups[i].ID) {
			out = append(out, &s.Groups[i])
		}
	}
	return out
}

// window is the first row of the part of the table that has the groups whose turn it is.
func (t *turns) window(s screen.Screen, rows int) int {
	is := func(g screen.Group) bool { return slices.Contains(t.now, g.ID) }
	first := max(0, slices.IndexFunc(s.Groups, is))
	last := first
	for i, g := range s.Groups {
		if is(g) {
			last = i
		}
	}
	at := first / rows * rows
	if last >= at+rows {
		at = min(first, last-rows+1)
	}
	return max(0, min(at, len(s.Groups)-rows))
}

// next gives the turn to the rest of a group that needs several, or to those groups that
// come next and have room, both in a table of so many rows and in so many lines below.
func (t *turns) next(s screen.Screen, rows, room int) {
	if len(t.now) == 1 {
		if shown := t.shown(s); len(shown) == 1 {
			if t.from = detailed(shown[0]).after(t.from, room); t.from > 0 {
				return
			}
		}
	}
	t.now, t.from = nil, 0
	had := func(g screen.Group) bool { return t.had[g.ID] }
	first := slices.IndexFunc(s.Groups, func(g screen.Group) bool { return !had(g) })
	if first < 0 || t.had == nil {
		t.had, first = map[string]bool{}, 0
	}
	for i := first; i < min(first+rows, len(s.Groups)); i++ {
		g := &s.Groups[i]
		if had(*g) {
			continue
		}
		n := len(detailed(g).lines)
		if len(t.now) > 0 && n > room {
			break
		}
		room -= n + 1
		t.had[g.ID], t.now = true, append(t.now, g.ID)
	}
}

// details are the lines of a group's; the first is its title, and from table on those of
// its partitions, with their head.
type details struct {
	lines []string
	table int
}

func detailed(g *screen.Group) details {
	lines := func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
	return details{lines(g.Details()), strings.Count(g.Title+g.Reasons, "\n")}
}

// turn is what is shown of a group from a line on, in so much room: all, or, with its
// title and the head of its partitions again, what follows.
func (d details) turn(from, room int) []string {
	if from == 0 || from >= len(d.lines) {
		return d.lines[:min(len(d.lines), room)]
	}
	again := d.again(from)
	return append(again, d.lines[from:min(len(d.lines), from+max(0, room-len(again)))]...)
}

// again are the lines that stand once more above those from a line on.
func (d details) again(from int) []string {
	again := []string{d.lines[0] + " (continued)"}
	if from > d.table {
		again = append(again, d.lines[d.table])
	}
	return again
}

// after is the first line that a turn from one on has no room for, 0 where it has.
func (d details) after(from, room int) int {
	end := room
	if from > 0 {
		end = from + room - len(d.again(min(from, len(d.lines)-1)))
	}
	if end <= from || end >= len(d.lines) {
		return 0
	}
	return end
}

// paper takes lines, cut to a width.
type paper struct {
	width int
	lines []string
}

func (p *paper) add(line string, bold bool) {
	line = words.Cut(strings.TrimSuffix(line, "\n"), p.width)
	if bold {
		line = "\x1b[1m" + line + "\x1b[m"
	}
	p.lines = append(p.lines, line)
}

// details adds lines of which the first is a title.
func (p *paper) details(lines []string) {
	for i, line := range lines {
		p.add(line, i == 0)
	}
}
