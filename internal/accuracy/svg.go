package main

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// The size of a picture, in pixels.
const (
	svgWidth  = 860
	svgLeft   = 80 // what is beside a panel, for the scale
	svgRight  = 20
	svgAbove  = 40 // what is above a panel: its title, and a line for +Inf
	svgHeight = 120
	svgBelow  = 20
	svgHead   = 50
	svgFoot   = 30
)

// The colours differ in brightness too, and the truth is dashed, so that they can be
// told apart without seeing colours.
const (
	colourTruth    = "#222222"
	colourEstimate = "#0072b2"
	colourGrid     = "#dddddd"
)

// svg draws a picture.
func svg(of picture) string {
	var b strings.Builder
	title, list := of.title, of.panels
	height := svgHead + len(list)*(svgAbove+svgHeight+svgBelow) + svgFoot
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="%s">`+"\n",
		svgWidth, height, svgWidth, height, colourTruth)
	fmt.Fprintf(&b, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", escaped(title))
	label(&b, svgLeft, 18, "start", 14, title)
	legend(&b, of.truth())
	for i, p := range list {
		if len(p.times) > 0 {
			(&plot{p, &b, float64(svgHead + svgAbove + i*(svgAbove+svgHeight+svgBelow)), p.top()}).draw()
		}
	}
	label(&b, svgLeft+(svgWidth-svgLeft-svgRight)/2, float64(height-8), "middle", 12, of.axis())
	b.WriteString("</svg>\n")
	return b.String()
}

func legend(b *strings.Builder, truth bool) {
	x := svgLeft
	if truth {
		fmt.Fprintf(b, `<path d="M%d 34h30" stroke="%s" stroke-width="2" stroke-dasharray="6 3"/>`+"\n", x, colourTruth)
		label(b, float64(x+36), 38, "start", 12, "truth")
		x += 90
	}
	fmt.Fprintf(b, `<path d="M%d 34h30" stroke="%s" stroke-width="2"/>`+"\n", x, colourEstimate)
	label(b, float64(x+36), 38, "start", 12, "what lagwatch says")
	fmt.Fprintf(b, `<rect x="%d" y="28" width="30" height="12" fill="%s" fill-opacity="0.2"/>`+"\n", x+170, colourEstimate)
	label(b, float64(x+206), 38, "start", 12, "its low and high")
}

func label(b *strings.Builder, x, y float64, anchor string, size int, text string) {
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="%s" font-size="%d">%s</text>`+"\n", x, y, anchor, size, escaped(text))
}

func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // writing to memory does not fail
	return b.String()
}

// plot is a panel at a place of a picture.
type plot struct {
	panel
	b     *strings.Builder
	above float64 // the y of its top
	most  float64
}

func (p *plot) draw() {
	label(p.b, svgLeft, p.above-22, "start", 12, p.heading())
	for _, v := range p.ticks() {
		y := p.y(v)
		fmt.Fprintf(p.b, `<path d="M%d %.1fH%d" stroke="%s"/>`+"\n", svgLeft, y, svgWidth-svgRight, colourGrid)
		label(p.b, svgLeft-6, y+4, "end", 11, thousands(v))
	}
	if p.endless() {
		fmt.Fprintf(p.b, `<path d="M%d %.1fH%d" stroke="%s" stroke-dasharray="2 4"/>`+"\n", svgLeft, p.y(math.Inf(1)), svgWidth-svgRight, colourGrid)
		label(p.b, svgLeft-6, p.y(math.Inf(1))+4, "end", 11, "+Inf")
	}
	for step, k := nice(p.span()/60/8), 0.0; k*step*60 <= p.span(); k++ {
		label(p.b, p.x(k*step*60), p.above+svgHeight+16, "middle", 11, thousands(k*step))
	}
	p.band()
	for _, c := range p.curves {
		style := fmt.Sprintf(`stroke="%s" stroke-width="1.5"`, colourEstimate)
		if c.truth {
			style = fmt.Sprintf(`stroke="%s" stroke-width="1.5" stroke-dasharray="6 3"`, colourTruth)
		}
		if d := p.path(c.values); d != "" {
			fmt.Fprintf(p.b, `<path d="%s" fill="none" %s/>`+"\n", d, style)
		}
	}
}

// band fills what is between low and high, wherever they are known.
func (p *plot) band() {
	var d strings.Builder
	for i := 0; i < len(p.low); i++ {
		from := i
		for i < len(p.low) && !math.IsNaN(p.low[i]) {
			i++
		}
		if i == from {
			continue
		}
		pen := "M"
		for k := from; k < i; k++ {
			fmt.Fprintf(&d, "%s%.1f %.1f", pen, p.x(p.times[k]), p.y(p.high[k]))
			pen = "L"
		}
		for k := i - 1; k >= from; k-- {
			fmt.Fprintf(&d, "L%.1f %.1f", p.x(p.times[k]), p.y(p.low[k]))
		}
		d.WriteString("z")
	}
	if d.Len() > 0 {
		fmt.Fprintf(p.b, `<path d="%s" fill="%s" fill-opacity="0.2"/>`+"\n", d.String(), colourEstimate)
	}
}

// path goes through all values that there are.
func (p *plot) path(values []float64) string {
	var d strings.Builder
	pen := "M"
	for i, v := range values {
		if math.IsNaN(v) {
			pen = "M"
			continue
		}
		fmt.Fprintf(&d, "%s%.1f %.1f", pen, p.x(p.times[i]), p.y(v))
		pen = "L"
	}
	return d.String()
}

func (p *plot) x(t float64) float64 {
	return svgLeft + t/p.span()*(svgWidth-svgLeft-svgRight)
}

// span is how long the axis of times is, in seconds; more than 0 for one sample too.
func (p *plot) span() float64 { return max(1, p.times[len(p.times)-1]) }

// y is above the panel for +Inf.
func (p *plot) y(v float64) float64 {
	if math.IsInf(v, 1) {
		return p.above - 12
	}
	return p.above + svgHeight*(1-p.height(v, p.most))
}
