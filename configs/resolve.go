package configs

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"time"
)

// only holds the keys that describe a single cluster without a list, and those
// that are for all clusters without their own. The former have gone to the one
// item of the list by the time that this is filled.
type only struct {
	Cluster   string        `mapstructure:"cluster"`
	Brokers   []string      `mapstructure:"brokers"`
	Interval  time.Duration `mapstructure:"interval"`
	History   time.Duration `mapstructure:"history"`
	Seed      string        `mapstructure:"seed"`
	TLS       TLS           `mapstructure:"tls"`
	SASL      SASL          `mapstructure:"sasl"`
	Groups    Filter        `mapstructure:"groups"`
	Topics    Filter        `mapstructure:"topics"`
	Expected  []string      `mapstructure:"expected_groups"`
	Isolation []Isolation   `mapstructure:"isolation"`
	Metrics   Metrics       `mapstructure:"metrics"`
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
	for i := range m.Clusters {
		l.finish(&m.Clusters[i], i, m.only)
		l.secure(&m.Clusters[i], i)
		l.compileCluster(&m.Clusters[i], i)
	}
	l.checkNames(m.Clusters)
	l.compile(m.Objectives)
	l.compileConditions(m.Conditions)
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
	clusters = l.applyOnly(clusters)
	objectives, _ := l.v.Get("objectives").([]any)
	l.v.Set("clusters", l.completed(clusters, "clusters[]"))
	conditions, _ := l.v.Get("conditions").([]any)
	l.v.Set("objectives", l.completed(objectives, "objectives[]"))
	l.v.Set("conditions", l.completed(conditions, "conditions[]"))
	return l.bad.err()
}

// completed returns copies of list items in which no key with a fixed default
// is missing.
func (l *loader) completed(items []any, level string) []any {
	out := make([]any, 0, len(items))
	for _, item := range items {
		out = append(out, l.complete(item, level))
	}
	return out
}

// complete is completed for one mapping; none counts as empty.
func (l *loader) complete(mapping any, level string) map[string]any {
	written, _ := mapping.(map[string]any)
	full := maps.Clone(written)
	if full == nil {
		full = map[string]any{}
	}
	for _, k := range l.keys.children(level) {
		value, given := full[k.name()]
		switch {
		case k.Type == TypeMapping:
			full[k.name()] = l.complete(value, k.Path)
		case k.Type == TypeList && given:
			items, _ := value.([]any)
			full[k.name()] = l.completed(items, k.Path+"[]")
		case k.hasDefault() && !given:
			full[k.name()], _ = l.parse(k, k.Default, "default of "+k.Path)
		}
	}
	return full
}

func (l *loader) isSet(path string) bool { return l.from[path].source > fromDefault }

func (l *loader) noBrokers() error {
	file := "--config FILE"
	if l.fileName != "" {
		file = plain(l.fileName)
	}
	return errors.New("no brokers: give --brokers host:9092, set LAGWATCH_BROKERS, or name clusters in " + file)
}

// finish sets what follows from the interval, and checks what depends on it.
func (l *loader) finish(c *Cluster, i int, o only) {
	path := fmt.Sprintf("clusters[%d]", i)
	if len(c.Brokers) == 0 {
		l.bad.add(l.from[path].text, errors.New("has no brokers; add brokers: [kafka1:9092]"))
	}
	intervalFrom := l.interval(c, path, o)
	if !l.own(path, "history") {
		c.History = o.History
	}
	if !l.own(path, "seed") {
		c.Seed = o.Seed
	}
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

// own tells whether what a cluster itself says of a key counts, which stands at
// the top as well. Flag and environment win over it, the file's top does not.
func (l *loader) own(path, key string) bool {
	return l.isSet(path+"."+key) && l.from[key].source <= fromFile
}

// interval settles the interval of a cluster and returns where it came from.
func (l *loader) interval(c *Cluster, path string, o only) string {
	if l.own(path, "interval") {
		return l.from[path+".interval"].text
	}
	c.Interval = o.Interval
	if from := l.from["interval"]; from.source > fromDefault {
		return from.text
	}
	return "the default"
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
		o.pattern = l.pattern(o.Groups, l.from[index("objectives", i)])
	}
}

func (l *loader) compileConditions(conditions []Conditions) {
	for i := range conditions {
		c := &conditions[i]
		c.pattern = l.pattern(c.Groups, l.from[index("conditions", i)])
	}
}

func (l *loader) compileCluster(c *Cluster, i int) {
	path := fmt.Sprintf("clusters[%d]", i)
	if err := errors.Join(c.Groups.compile(), c.Topics.compile()); err != nil {
		l.bad.add(l.from[path].text, err)
	}
	for _, id := range c.ExpectedGroups {
		if !c.KeepGroup(id) {
			l.bad.add(l.ofCluster(i, "expected_groups").text,
				fmt.Errorf("%s is left out by groups, so it would never be seen; leave it out here, or let groups include it", quote(id)))
		}
	}
	for j := range c.Isolation {
		c.Isolation[j].pattern = l.pattern(c.Isolation[j].Groups, l.ofCluster(i, index("isolation", j)))
	}
	l.metrics(&c.Metrics, i)
}

// ofCluster tells where a key of a cluster was given: in its list item, or at
// the top.
func (l *loader) ofCluster(cluster int, path string) origin {
	if o := l.from[index("clusters", cluster)+"."+path]; o.source > fromDefault {
		return o
	}
	return l.from[path]
}

// pattern compiles the pattern of a list item.
func (l *loader) pattern(text string, item origin) *regexp.Regexp {
	if text == "" {
		l.bad.add(item.text, errors.New("has no groups; add groups: with a pattern like payments-.*"))
		return nil
	}
	re, err := wholePattern(text)
	if err != nil {
		l.bad.add(item.text, err)
	}
	return re
}
