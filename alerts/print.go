package alerts

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Print writes the rules. What is wrong with the options is one error that names
// the thing and the remedy, and then nothing is written.
func Print(w io.Writer, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	p := printer{options: &o, expander: o.expander()}
	groups, err := p.groups()
	if err != nil {
		return err
	}
	doc := mapping("groups", groups)
	doc.HeadComment = "Alert and recording rules of lagwatch. Printed by `lagwatch rules`, which has options for\nlabels, severities, thresholds, links and more; what is changed by hand is lost with the next."
	if o.Format == PrometheusRule {
		doc = p.manifest(groups, doc.HeadComment)
	}
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("writing rules: %w", err)
	}
	return e.Close()
}

type printer struct {
	options  *Options
	expander *expander
}

func (p *printer) manifest(groups *yaml.Node, comment string) *yaml.Node {
	name := p.options.Name
	if name == "" {
		name = "lagwatch"
	}
	meta := mapping("name", text(name))
	if p.options.Namespace != "" {
		add(meta, "namespace", text(p.options.Namespace))
	}
	if len(p.options.ManifestLabels) > 0 {
		add(meta, "labels", texts(p.options.ManifestLabels))
	}
	doc := mapping("apiVersion", text("monitoring.coreos.com/v1"))
	add(doc, "kind", text("PrometheusRule"))
	add(doc, "metadata", meta)
	add(doc, "spec", mapping("groups", groups))
	doc.HeadComment = comment
	return doc
}

func (p *printer) groups() (*yaml.Node, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, g := range table() {
		n := mapping("name", text(g.name))
		add(n, "interval", p.duration(g.interval))
		rules := &yaml.Node{Kind: yaml.SequenceNode}
		for _, r := range g.rules {
			if slices.Contains(p.options.Without, r.name) {
				continue
			}
			rn, err := p.rule(&r)
			if err != nil {
				return nil, fmt.Errorf("rule %s: %w", r.name, err)
			}
			rules.Content = append(rules.Content, rn)
		}
		add(n, "rules", rules)
		n.HeadComment = g.why
		if len(rules.Content) > 0 {
			list.Content = append(list.Content, n)
		}
	}
	return list, nil
}

func (p *printer) rule(r *rule) (*yaml.Node, error) {
	expr, err := p.expander.expand(r.expr)
	if err != nil {
		return nil, err
	}
	kind := "alert"
	if r.records() {
		kind = "record"
	}
	n := mapping(kind, text(r.name))
	n.HeadComment = r.why
	add(n, "expr", text(expr))
	if r.records() {
		return n, nil
	}
	pending := held{Duration: p.options.waits(r), why: r.pending.why}
	if pending.Duration != r.pending.Duration {
		pending.why = "" // the reason is of the shipped one
	}
	p.addHeld(n, "for", pending)
	p.addHeld(n, "keep_firing_for", r.keep)
	labels := maps.Clone(p.options.Labels)
	if labels == nil {
		labels = make(map[string]string)
	}
	labels["severity"] = p.options.severity(r)
	add(n, "labels", texts(labels))
	notes, err := p.annotations(r)
	add(n, "annotations", notes)
	return n, err
}

func (p *printer) addHeld(n *yaml.Node, key string, h held) {
	if h.Duration > 0 {
		value := p.duration(h.Duration)
		value.LineComment = h.why
		add(n, key, value)
	}
}

func (p *printer) duration(d time.Duration) *yaml.Node {
	return text(FormatDuration(p.expander.scaled(d)))
}

func (p *printer) annotations(r *rule) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, note := range []struct{ name, text string }{
		{"summary", r.summary}, {"description", r.text}, {"runbook_url", p.runbook(r)}, {"dashboard_url", p.dashboard(r)},
	} {
		if note.text == "" {
			continue
		}
		expanded, err := p.expander.expand(note.text)
		if err != nil {
			return nil, fmt.Errorf("annotation %s: %w", note.name, err)
		}
		add(n, note.name, text(expanded))
	}
	return n, nil
}

func (p *printer) runbook(r *rule) string {
	if p.options.RunbookURL == "" {
		return ""
	}
	return strings.TrimSuffix(p.options.RunbookURL, "/") + "/" + r.name + ".md"
}

// dashboard links to the dashboard with its variables filled in.
func (p *printer) dashboard(r *rule) string {
	if p.options.GrafanaURL == "" {
		return ""
	}
	link := strings.TrimSuffix(p.options.GrafanaURL, "/") + "/d/" + r.panel
	variables := map[string]string{"kafka_cluster": "cluster", "group": "group", "topic": "topic"}
	separator := "?"
	for _, label := range labels[r.of] {
		link += separator + "var-" + variables[label] + "={{ $labels." + label + " | urlquery }}"
		separator = "&"
	}
	return link
}

func mapping(key string, value *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	add(n, key, value)
	return n
}

func add(n *yaml.Node, key string, value *yaml.Node) {
	n.Content = append(n.Content, text(key), value)
}

// text is a string, as a block where it has several lines.
func text(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

func texts(m map[string]string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for k, v := range sorted(m) {
		add(n, k, text(v))
	}
	return n
}
