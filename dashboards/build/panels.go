package main

import (
	"fmt"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// A panel is what every panel has, whatever it looks like. None is left out but
// colours and mappings.
type panel struct {
	width    uint32 // in columns
	title    string
	about    string // what it shows, and what to do when it is red
	unit     string
	none     string // what it says when there is no data
	queries  []query
	colours  []step
	mappings []dashboard.ValueMapping
	special  []override
	links    []link // of each value
	pivot    string // of a table: the label whose values are columns
	gaps     bool   // lines end and begin again, so their last values are of no one moment
}

// A query is one expression.
type query struct {
	expr, legend string
	kind         kind
}

type kind uint8

const (
	overTime kind = iota // a line or more
	asNumber             // one number per series, as of the end of the time range
	asTable              // one row per series, as of then
)

func line(expr, legend string) query   { return query{expr, legend, overTime} }
func number(expr, legend string) query { return query{expr, legend, asNumber} }
func rows(expr string) query           { return query{expr, "", asTable} }

// refID is the letter of the query at place i.
func refID(i int) string { return string(rune('A' + i)) }

func (q query) target(i int) prometheus.Dataquery {
	t := prometheus.Dataquery{
		Datasource: source(), Expr: q.expr, RefId: new(refID(i)), EditorMode: new(prometheus.QueryEditorModeCode),
		Format: new(prometheus.PromQueryFormatTimeSeries), Instant: new(q.kind != overTime), Range: new(q.kind == overTime),
	}
	if q.kind == asTable {
		t.Format = new(prometheus.PromQueryFormatTable)
	}
	if q.legend != "" {
		t.LegendFormat = &q.legend
	}
	return t
}

// limit is a straight line, where the expression has a value at all: a chart that has
// nothing to show says why.
func limit(at float64, legend, expr string) query {
	return line(fmt.Sprintf("vector(%g)\nand on () (%s)", at, expr), legend)
}

// An override changes some fields: those of a name, or of a pattern of names.
type override struct {
	by, of     string
	properties []dashboard.DynamicConfigValue
}

func named(name string, properties ...dashboard.DynamicConfigValue) override {
	return override{"byName", name, properties}
}

func like(pattern string, properties ...dashboard.DynamicConfigValue) override {
	return override{"byRegexp", pattern, properties}
}

func set(id string, value any) dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: id, Value: value}
}

// fixed is a colour that a line keeps.
func fixed(colour string) dashboard.DynamicConfigValue {
	return set("color", map[string]any{"mode": "fixed", "fixedColor": colour})
}

// dashed is the look of a limit.
func dashed(colour string) []dashboard.DynamicConfigValue {
	return []dashboard.DynamicConfigValue{fixed(colour), set("custom.lineStyle", map[string]any{"fill": "dash", "dash": []int{8, 6}}), set("custom.fillOpacity", 0)}
}

// on puts it onto a panel of Grafana.
func (p panel) on(g *dashboard.Panel) dashboard.Panel {
	g.Title, g.Description, g.Datasource = &p.title, &p.about, source()
	g.GridPos = &dashboard.GridPos{W: p.width}
	for i, q := range p.queries {
		g.Targets = append(g.Targets, q.target(i))
	}
	d := &g.FieldConfig.Defaults
	d.Unit, d.NoValue, d.Mappings = &p.unit, &p.none, p.mappings
	if p.unit == times {
		d.Decimals = new(1.0)
	}
	if p.colours == nil {
		p.colours = noJudgement
	}
	d.Thresholds = steps(p.colours...)
	for _, l := range p.links {
		d.Links = append(d.Links, dashboard.DashboardLink{Title: l.title, Url: &l.url, Type: dashboard.DashboardLinkTypeLink, Tags: []string{}})
	}
	g.FieldConfig.Overrides = []dashboard.DashboardFieldConfigSourceOverrides{}
	for _, o := range p.special {
		if len(o.properties) == 0 {
			continue // a list that is null breaks the whole panel
		}
		g.FieldConfig.Overrides = append(g.FieldConfig.Overrides, dashboard.DashboardFieldConfigSourceOverrides{
			Matcher: dashboard.MatcherConfig{Id: o.by, Options: o.of}, Properties: o.properties,
		})
	}
	return *g
}

// asStat shows numbers, a large one for each series: with its name where there
// are several queries.
func (p panel) asStat() dashboard.Panel {
	g, err := stat.NewPanelBuilder().
		GraphMode(common.BigValueGraphModeNone).ColorMode(common.BigValueColorModeValue).
		JustifyMode(common.BigValueJustifyModeCenter).Orientation(common.VizOrientationAuto).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"})).
		Build()
	must(err)
	colourBy(&g, dashboard.FieldColorModeIdThresholds)
	if len(p.queries) > 1 {
		g.Options.(*stat.Options).TextMode = common.BigValueTextModeValueAndName
	}
	return p.on(&g)
}

// asLines shows values over time. Where the panel is wide, the legend stands
// beside the lines, else below; the highest line is on top of it.
func (p panel) asLines() dashboard.Panel {
	legend := common.NewVizLegendOptionsBuilder().DisplayMode(common.LegendDisplayModeTable).Placement(common.LegendPlacementBottom).
		ShowLegend(true).Calcs([]string{"lastNotNull", "max"}).SortBy("Last *").SortDesc(true)
	switch {
	case p.gaps:
		legend = legend.DisplayMode(common.LegendDisplayModeList).Calcs([]string{})
	case p.width > columns/2:
		legend = legend.Placement(common.LegendPlacementRight).Calcs([]string{"lastNotNull"})
	}
	g, err := timeseries.NewPanelBuilder().
		LineWidth(2).FillOpacity(p.fill()).ShowPoints(common.VisibilityModeNever).AxisSoftMin(0).
		SpanNulls(common.BoolOrFloat64{Bool: new(false)}).
		Legend(legend).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending)).
		Build()
	must(err)
	colourBy(&g, dashboard.FieldColorModeIdPaletteClassic)
	return p.on(&g)
}

// fill is how much of its colour is below a line: none where a query has many, whose
// colours would mix to ones that mean nothing.
func (p panel) fill() float64 {
	for _, q := range p.queries {
		if strings.Contains(q.legend, "{{") {
			return 0
		}
	}
	return 8
}

// asTimeline shows what held when, in one line for each series.
func (p panel) asTimeline() dashboard.Panel {
	g, err := statetimeline.NewPanelBuilder().
		ShowValue(common.VisibilityModeAuto).MergeValues(true).RowHeight(0.7).FillOpacity(75).LineWidth(0).
		Legend(common.NewVizLegendOptionsBuilder().DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom).ShowLegend(false).Calcs([]string{})).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeSingle).Sort(common.SortOrderNone)).
		Build()
	must(err)
	colourBy(&g, dashboard.FieldColorModeIdThresholds)
	return p.on(&g)
}

// A column is one of a table: a label of the rows, or the value of a query.
type column struct {
	from     string // a label, or "Value #A"; "Trend #A" is the line of a query over time
	title    string
	width    int    // in pixels; 0 takes what is left
	unit     string // of a value
	none     string // what an empty cell says
	colours  []step
	mappings []dashboard.ValueMapping
	filled   bool // the colour fills the cell
	left     bool // numbers in words, which read from the left
	links    []link
}

func (c column) isTrend() bool { return strings.HasPrefix(c.from, "Trend #") }

// names are what Grafana may call the field: the letter of the only trend is left
// out where no other query is turned into one.
func (c column) names() []string {
	if c.isTrend() {
		return []string{c.from, "Trend"}
	}
	return []string{c.from}
}

func (c column) override() override {
	o := named(c.title)
	add := func(id string, value any) { o.properties = append(o.properties, set(id, value)) }
	if c.width > 0 {
		add("custom.width", c.width)
	}
	if c.unit != "" {
		add("unit", c.unit)
	}
	if c.unit == times {
		add("decimals", 2) // 0.98 is not late
	}
	if c.left {
		add("custom.align", "left")
	}
	if c.none != "" {
		add("noValue", c.none)
	}
	if c.mappings != nil {
		add("mappings", c.mappings)
	}
	if c.colours != nil {
		add("thresholds", steps(c.colours...))
	}
	switch {
	case c.isTrend():
		add("custom.cellOptions", map[string]any{"type": "sparkline", "hideValue": true, "fillOpacity": 10, "showPoints": "never"})
		o.properties = append(o.properties, fixed(blue))
	case c.filled:
		add("custom.cellOptions", map[string]any{"type": "color-background", "mode": "basic"})
	case c.colours != nil || c.mappings != nil:
		add("custom.cellOptions", map[string]any{"type": "color-text"})
	}
	if c.links != nil {
		add("links", links(c.links...))
	}
	return o
}

// asTable merges the rows of its queries by the labels that all have, sorted by
// the column of a query, and shows the columns in this order and no other.
func (p panel) asTable(sortBy string, descending bool, cols ...column) dashboard.Panel {
	g, err := table.NewPanelBuilder().CellHeight(common.TableCellHeightSm).ShowHeader(true).Filterable(false).Build()
	must(err)
	colourBy(&g, dashboard.FieldColorModeIdThresholds)
	names, order, show := map[string]string{}, map[string]int{}, []string{}
	for i, c := range cols {
		for _, from := range c.names() {
			names[from], order[from] = c.title, i
			show = append(show, from)
		}
		p.special = append(p.special, c.override())
	}
	for i, q := range p.queries {
		if q.kind == overTime {
			g.MaxDataPoints = new(60.0) // as many as a cell can show
			t := transform("timeSeriesTable", map[string]any{refID(i): map[string]any{"timeField": "Time", "stat": "lastNotNull"}})
			t.Filter = &dashboard.MatcherConfig{Id: "byRefId", Options: refID(i)} // else the rows of the other queries become lines too
			g.Transformations = append(g.Transformations, t)
		}
	}
	if p.pivot != "" {
		t := transform("labelsToFields", map[string]any{"mode": "columns", "valueLabel": p.pivot})
		t.Filter = &dashboard.MatcherConfig{Id: "byRefId", Options: refID(0)}
		g.Transformations = append(g.Transformations, t)
	}
	g.Transformations = append(g.Transformations,
		transform("merge", map[string]any{}),
		transform("sortBy", map[string]any{"fields": map[string]any{}, "sort": []map[string]any{{"field": sortBy, "desc": descending}}}),
		transform("filterFieldsByName", map[string]any{"include": map[string]any{"names": show}}),
		transform("organize", map[string]any{"excludeByName": map[string]any{}, "indexByName": order, "renameByName": names}),
	)
	return p.on(&g)
}

func transform(id string, options any) dashboard.DataTransformerConfig {
	return dashboard.DataTransformerConfig{Id: id, Options: options}
}

// value is the name that Grafana gives the values of the query at place i.
func value(i int) string { return "Value #" + refID(i) }

// trend is that of the line of the query at place i.
func trend(i int) string { return "Trend #" + refID(i) }

// colourBy chooses what values have their colours from.
func colourBy(g *dashboard.Panel, mode dashboard.FieldColorModeId) {
	if g.FieldConfig == nil {
		g.FieldConfig = dashboard.NewFieldConfigSource()
	}
	g.FieldConfig.Defaults.Color = &dashboard.FieldColor{Mode: mode}
}

func must(err error) {
	if err != nil {
		panic(err) // it would be a mistake in this program
	}
}
