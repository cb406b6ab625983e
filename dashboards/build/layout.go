package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// columns is how wide Grafana's grid is.
const columns = 24

// A page is a dashboard that is being laid out, from top to bottom. It gives
// panels their ids and places, so no two are ever alike or on top of each other.
type page struct {
	d      dashboard.Dashboard
	y      uint32
	lastID uint32
}

// newPage begins a dashboard. about stands below its title in Grafana's lists.
func newPage(uid, title, about string) *page {
	d := dashboard.NewDashboard()
	d.Uid, d.Title, d.Description = &uid, &title, &about
	d.Tags = []string{tag}
	d.Time = &dashboard.DashboardDashboardTime{From: "now-1h", To: "now"}
	d.Refresh = new("1m")
	d.GraphTooltip = new(dashboard.DashboardCursorSyncCrosshair)
	d.Links = linksFrom(uid)
	return &page{d: *d}
}

// row begins a new part of the page with a title.
func (p *page) row(title string) {
	p.lastID++
	r := dashboard.NewRowPanel()
	r.Id, r.Title = p.lastID, &title
	r.GridPos = &dashboard.GridPos{H: 1, W: columns, Y: p.y}
	p.d.Panels = append(p.d.Panels, dashboard.PanelOrRowPanel{RowPanel: r})
	p.y++
}

// line puts panels side by side, all of one height. Their widths, in columns, add
// up to the whole width.
func (p *page) line(height uint32, panels ...dashboard.Panel) {
	var x uint32
	for _, panel := range panels {
		p.lastID++
		id := p.lastID
		panel.Id = &id
		panel.GridPos = &dashboard.GridPos{H: height, W: panel.GridPos.W, X: x, Y: p.y}
		x += panel.GridPos.W
		p.d.Panels = append(p.d.Panels, dashboard.PanelOrRowPanel{Panel: &panel})
	}
	if x != columns {
		panic(*p.d.Title + ": the panels of a line are not as wide as the page")
	}
	p.y += height
}

func (p *page) variables(list ...dashboard.VariableModel) { p.d.Templating.List = list }

func (p *page) annotations(list ...dashboard.AnnotationQuery) { p.d.Annotations.List = list }

// source is what every query asks: the data source that the reader has chosen.
func source() *common.DataSourceRef {
	return &common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}
}
