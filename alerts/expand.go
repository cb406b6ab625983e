package alerts

import (
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// expander fills in the placeholders of rules:
//
//	<<m "lagwatch_up">>            a selector, with the matchers that Options adds
//	<<m "up" `job="x"`>>           one with a matcher of its own
//	<<d "5m">>                     a duration, divided by the time scale
//	<<n "1h">>                     how many samples a window of that length has
//	<<t "age_factor">>             a threshold
//	<<job>>                        the name of the job, quoted
//
// In an annotation, which Prometheus expands itself:
//
//	<<q "lagwatch_up" "kafka_cluster">>  a selector of the series with the labels that
//	                                     the alert has, for printf within query
type expander struct {
	selector   string // matchers without braces, "" for none
	job        string
	scale      float64
	thresholds map[string]float64
}

func (e *expander) expand(text string) (string, error) {
	t, err := template.New("rule").Delims("<<", ">>").Option("missingkey=error").Funcs(template.FuncMap{
		"m": e.selectorOf, "d": e.duration, "n": samples, "t": e.threshold, "q": e.query,
		"job": func() string { return strconv.Quote(e.job) },
	}).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, nil); err != nil {
		return "", err
	}
	return b.String(), nil
}

func (e *expander) selectorOf(metric string, matchers ...string) string {
	if e.selector != "" {
		matchers = append(matchers, e.selector)
	}
	if len(matchers) == 0 {
		return metric
	}
	return metric + "{" + strings.Join(matchers, ",") + "}"
}

// query is a selector that has a %q for each label. What else it has is no format.
func (e *expander) query(metric string, labels ...string) string {
	var matchers []string
	for _, l := range labels {
		matchers = append(matchers, l+"=%q")
	}
	if e.selector != "" {
		matchers = append(matchers, strings.ReplaceAll(e.selector, "%", "%%"))
	}
	return metric + "{" + strings.Join(matchers, ",") + "}"
}

func (e *expander) duration(text string) (string, error) {
	d, err := parseDuration(text)
	if err != nil {
		return "", err
	}
	return FormatDuration(e.scaled(d)), nil
}

// scaled is a duration divided by the time scale, in whole milliseconds, as
// Prometheus counts, and one at least: no window is empty.
func (e *expander) scaled(d time.Duration) time.Duration {
	if d == 0 {
		return 0
	}
	return max(time.Duration(float64(d)/e.scale).Round(time.Millisecond), time.Millisecond)
}

// samples is how many samples a window has. The time scale divides the window and
// the interval, so it is none of its business.
func samples(window string) (int, error) {
	d, err := parseDuration(window)
	return int(d / sampled), err
}

func (e *expander) threshold(name string) (string, error) {
	v, ok := e.thresholds[name]
	if !ok {
		return "", fmt.Errorf("no threshold %q", name)
	}
	return strconv.FormatFloat(v, 'g', -1, 64), nil
}

// parseDuration reads a number and a unit of Prometheus: ms, s, m, h or d.
func parseDuration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

var units = []struct {
	name string
	of   time.Duration
}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}}

// FormatDuration writes a duration as Prometheus reads it, in the largest unit of
// which it is a whole number.
func FormatDuration(d time.Duration) string {
	for _, u := range units {
		if d >= u.of && d%u.of == 0 {
			return strconv.FormatInt(int64(d/u.of), 10) + u.name
		}
	}
	return "0s"
}
