package configs

import (
	"errors"
	"fmt"
	"maps"
	"time"
)

// only holds the keys that describe a single cluster without a list.
type only struct {
	Cluster  string        `mapstructure:"cluster"`
	Brokers  []string      `mapstructure:"brokers"`
	Interval time.Duration `mapstructure:"interval"`
}

// config builds the result from the layers, all of which are sound by
// themselves, and checks what only shows when they meet.
func (l *loader) config() (*Config, error) {
	if err := l.completeItems(); err != nil {
		return nil, err
	}
	m, err := l.decode()
	if err != nil {
		return nil, err
	}
	l.applyOnly(&m)
	for i := range m.Clusters {
		l.finish(&m.Clusters[i], i, m.only)
	}
	l.checkNames(m.Clusters)
	l.compile(m.Objectives)
	if err := l.bad.err(); err != nil {
		return nil, err
	}
	return &m.Config, nil
}

// completeItems gives list items their defaults, and makes the one cluster
// that --brokers describes when the file lists none.
func (l *loader) completeItems() error {
	clusters, _ := l.v.Get("clusters").([]any)
	if len(clusters) == 0 {
		if !l.isSet("brokers") {
			return l.noBrokers()
		}
		clusters = []any{map[string]any{}}
	}
	objectives, _ := l.v.Get("objectives").([]any)
	l.v.Set("clusters", l.completed(clusters, "clusters[]"))
	l.v.Set("objectives", l.completed(objectives, "objectives[]"))
	return l.bad.err()
}

// completed returns copies of list items in which no key with a fixed default
// is missing.
func (l *loader) completed(items []any, level string) []any {
	out := make([]any, 0, len(items))
	for _, item := range items {
		full := map[string]any{}
		for _, k := range l.keys.children(level) {
			if k.hasDefault() {
				full[k.name()], _ = l.parse(k, k.Default, "default of "+k.Path)
			}
		}
		written, _ := item.(map[string]any)
		maps.Copy(full, written)
		out = append(out, full)
	}
	return out
}

func (l *loader) isSet(path string) bool { return l.from[path].source > fromDefault }

func (l *loader) noBrokers() error {
	file := "--config FILE"
	if l.fileName != "" {
		file = plain(l.fileName)
	}
	return errors.New("no brokers: give --brokers host:9092, set LAGWATCH_BROKERS, or name clusters in " + file)
}

// applyOnly applies cluster and brokers, which need a single cluster to apply
// to.
func (l *loader) applyOnly(m *merged) {
	for _, path := range []string{"brokers", "cluster"} {
		if err := l.checkOnly(path, len(m.Clusters)); err != nil {
			l.bad.add(l.from[path].text, err)
			return
		}
	}
	if l.isSet("brokers") {
		m.Clusters[0].Brokers = m.Brokers
	}
	if l.isSet("cluster") {
		m.Clusters[0].Name = m.Cluster
	}
}

// checkOnly says why a key for a single cluster cannot be applied.
func (l *loader) checkOnly(path string, clusters int) error {
	item := map[string]string{"brokers": "clusters[].brokers", "cluster": "clusters[].name"}[path]
	switch {
	case !l.isSet(path):
		return nil
	case clusters > 1:
		return fmt.Errorf("fits a single cluster, but %s lists %d; change %s there, or leave one cluster in it",
			plain(l.fileName), clusters, item)
	case l.from[path].source == fromFile && l.contradicts(path):
		return errors.New("says again what clusters[0] says; leave one of the two out")
	}
	return nil
}

// contradicts reports whether the file itself says both: no order of sources
// decides then.
func (l *loader) contradicts(path string) bool {
	if path == "brokers" {
		return l.isSet("clusters[0]")
	}
	return l.isSet("clusters[0].name")
}

// finish sets what follows from the interval, and checks what depends on it.
func (l *loader) finish(c *Cluster, i int, o only) {
	path := fmt.Sprintf("clusters[%d]", i)
	if len(c.Brokers) == 0 {
		l.bad.add(l.from[path].text, errors.New("has no brokers; add brokers: [kafka1:9092]"))
	}
	intervalFrom := l.interval(c, path, o)
	if c.StaleAfter == 0 {
		c.StaleAfter = staleIntervals * c.Interval
	}
	if c.RequestTimeout == 0 {
		c.RequestTimeout = min(max(c.Interval/timeoutDivisor, minTimeout), maxTimeout)
	}
	if c.StaleAfter < c.Interval {
		l.bad.add(l.from[path+".stale_after"].text,
			fmt.Errorf("%s is below the interval, %s (%s); write %[2]s or more", c.StaleAfter, c.Interval, intervalFrom))
	}
	if c.RequestTimeout >= c.Interval {
		l.bad.add(l.from[path+".request_timeout"].text,
			fmt.Errorf("%s is not below the interval, %s (%s); write less than that", c.RequestTimeout, c.Interval, intervalFrom))
	}
}

// interval settles the interval of a cluster and returns where it came from.
// Flag and environment win over the item, the file's top-level key does not.
func (l *loader) interval(c *Cluster, path string, o only) string {
	general := l.from["interval"]
	if c.Interval != 0 && general.source <= fromFile {
		return l.from[path+".interval"].text
	}
	c.Interval = o.Interval
	if general.source == fromDefault {
		return "the default"
	}
	return general.text
}

func (l *loader) checkNames(clusters []Cluster) {
	first := map[string]int{}
	for i, c := range clusters {
		j, taken := first[c.Name]
		if !taken {
			first[c.Name] = i
			continue
		}
		l.bad.add(l.from[fmt.Sprintf("clusters[%d]", i)].text,
			fmt.Errorf("has the name %s, as clusters[%d] has; give each cluster a name of its own", quote(c.Name), j))
	}
}

// compile readies the patterns, which the layers have checked already.
func (l *loader) compile(objectives []Objective) {
	for i := range objectives {
		o := &objectives[i]
		path := fmt.Sprintf("objectives[%d]", i)
		if o.Groups == "" {
			l.bad.add(l.from[path].text, errors.New("has no groups; add groups: with a pattern like payments-.*"))
			continue
		}
		re, err := wholePattern(o.Groups)
		if err != nil {
			l.bad.add(l.from[path].text, err)
		}
		o.pattern = re
	}
}
