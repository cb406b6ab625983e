package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// The size of a panel in a terminal, in characters.
const (
	textWidth  = 100
	textHeight = 12
)

// Marks of a panel in a terminal.
const (
	markTruth    = '─'
	markEstimate = '•'
	markBoth     = '●'
	markBand     = '·'
)

// text draws a picture for a terminal.
func text(w io.Writer, of picture) {
	marks := fmt.Sprintf("%c estimate", markEstimate)
	if of.truth() {
		marks = fmt.Sprintf("%c truth, %s, %c both", markTruth, marks, markBoth)
	}
	fmt.Fprintf(w, "%s\n%s, %c its bounds; ∞ and ? are above and below\n", of.title, marks, markBand)
	for _, p := range of.panels {
		p.text(w, of.axis())
	}
}

// text draws one panel: above it a row for +Inf, below it one for where nothing is
// known. A column shows the last sample of its time.
func (p panel) text(w io.Writer, axis string) {
	if len(p.times) == 0 {
		return
	}
	top := p.top()
	rows := make([][]rune, textHeight+2)
	for i := range rows {
		rows[i] = []rune(strings.Repeat(" ", textWidth))
	}
	for col, i := range p.columns() {
		if i >= 0 {
			p.mark(rows, col, i, top)
		}
	}
	fmt.Fprintf(w, "\n%s\n", p.heading())
	for i, row := range rows {
		fmt.Fprintf(w, "%9s │%s\n", p.label(i, top), strings.TrimRight(string(row), " "))
	}
	first, last := p.times[0]/60, p.times[len(p.times)-1]/60
	fmt.Fprintf(w, "%9s └%s\n%11s%-*.3g%.3g\n%11s%s\n", "", strings.Repeat("─", textWidth), "", textWidth-4, first, last, "", axis)
}

// columns are the samples that columns show, −1 for none.
func (p panel) columns() []int {
	list := make([]int, textWidth)
	for i := range list {
		list[i] = -1
	}
	first := p.times[0]
	span := max(1, p.times[len(p.times)-1]-first)
	for i, t := range p.times {
		list[int((t-first)/span*(textWidth-1))] = i
	}
	return list
}

func (p panel) mark(rows [][]rune, col, i int, top float64) {
	if p.low != nil && !math.IsNaN(p.low[i]) {
		for r := p.row(p.high[i], top); r <= p.row(p.low[i], top); r++ {
			rows[r][col] = markBand
		}
	}
	for _, c := range p.curves {
		r := p.row(c.values[i], top)
		switch {
		case c.truth && math.IsNaN(c.values[i]): // nobody knows it
		case c.truth:
			rows[r][col] = markTruth
		case rows[r][col] == markTruth:
			rows[r][col] = markBoth
		default:
			rows[r][col] = markEstimate
		}
	}
}

// row is the one of a value.
func (p panel) row(v, top float64) int {
	switch {
	case math.IsNaN(v):
		return textHeight + 1
	case math.IsInf(v, 1):
		return 0
	}
	return textHeight - int(math.Round(p.height(v, top)*(textHeight-1)))
}

func (p panel) label(row int, top float64) string {
	switch {
	case row == 0:
		return "∞"
	case row == textHeight+1:
		return "?"
	case row == 1 || row == textHeight || row == textHeight/2:
		return number(p.at(float64(textHeight-row)/(textHeight-1), top))
	}
	return ""
}
