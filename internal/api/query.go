package api

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/lagwatch/lagwatch/internal/similar"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// How many groups a list has, and how long what narrows it may be.
const (
	usualLimit  = 100
	mostLimit   = 1000
	longestText = 1000
	mostOffset  = 1_000_000
)

// query is what a list of groups is asked for.
type query struct {
	cluster    string
	name       string // part of the name
	pattern    *regexp.Regexp
	conditions []string // any of them; nil is whatever holds
	types      []string
	sort       string
	descending bool
	limit      int
	offset     int
}

// parameters are those of the list of groups, each with what it does to the query.
var parameters = []struct {
	name     string
	repeated bool
	set      func(q *query, values []string) error
}{
	{"cluster", false, func(q *query, v []string) error { q.cluster = v[0]; return nil }},
	{"name", false, func(q *query, v []string) error { q.name = v[0]; return nil }},
	{"pattern", false, func(q *query, v []string) (err error) { q.pattern, err = wholePattern(v[0]); return err }},
	{"condition", true, func(q *query, v []string) error { q.conditions = v; return oneOf(v, conditionWords()) }},
	{"type", true, func(q *query, v []string) error { q.types = v; return oneOf(v, snapshot.GroupTypes()) }},
	{"sort", false, func(q *query, v []string) error { q.sort = v[0]; return oneOf(v, sortNames()) }},
	{"order", false, func(q *query, v []string) error {
		q.descending = v[0] == "desc"
		return oneOf(v, []string{"asc", "desc"})
	}},
	{"limit", false, func(q *query, v []string) (err error) { q.limit, err = between(v[0], 1, mostLimit); return err }},
	{"offset", false, func(q *query, v []string) (err error) { q.offset, err = between(v[0], 0, mostOffset); return err }},
}

// What condition may say beside the name of one.
const (
	anyCondition = "any"
	noCondition  = "none"
)

func conditionWords() []string {
	words := []string{anyCondition, noCondition}
	for c := range diagnosis.Conditions {
		words = append(words, c.String())
	}
	return words
}

// parseQuery reads the query of the list of groups. The error is a [refusal].
func parseQuery(raw string) (query, error) {
	q := query{sort: "lag", limit: usualLimit}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return q, unreadable(err)
	}
	var all []string
	for _, p := range parameters {
		all = append(all, p.name)
	}
	if err := onlyParameters(values, all); err != nil {
		return q, err
	}
	for _, p := range parameters {
		given, ok := values[p.name]
		if !ok {
			continue
		}
		if len(given) > 1 && !p.repeated || len(given) > len(conditionWords()) {
			return q, repeated(p.name, len(given))
		}
		if err := p.set(&q, given); err != nil {
			return q, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if !values.Has("order") {
		q.descending = q.sort != "name"
	}
	return q, nil
}

// onlyParameters says which parameter is none of those that are known.
func onlyParameters(values url.Values, known []string) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(known, name) {
			continue
		}
		if best := similar.Names(name, known, 1); best != nil {
			return refusal{"there is no parameter " + quoted(name), "did you mean " + best[0] + "?"}
		}
		remedy := "leave it out"
		if len(known) > 0 {
			remedy = "give one of " + strings.Join(known, ", ")
		}
		return refusal{"there is no parameter " + quoted(name), remedy}
	}
	return nil
}

func unreadable(err error) error {
	return refusal{"the query cannot be read: " + err.Error(), "write as %20 and so on what is no letter and no digit"}
}

func repeated(name string, times int) error {
	return refusal{fmt.Sprintf("%s is given %d times", name, times), "give it once"}
}

func oneOf(values, accepted []string) error {
	for _, v := range values {
		if !slices.Contains(accepted, v) {
			return refusal{quoted(v) + " is none that is known", "give one of " + strings.Join(accepted, ", ")}
		}
	}
	return nil
}

func between(text string, low, high int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, refusal{quoted(text) + " is no such number", fmt.Sprintf("give a whole number from %d to %d", low, high)}
	}
	return n, nil
}

// wholePattern compiles a pattern that has to match a whole group id.
func wholePattern(text string) (*regexp.Regexp, error) {
	if len(text) > longestText {
		return nil, refusal{"the pattern is too long", fmt.Sprintf("give one of at most %d bytes", longestText)}
	}
	if _, err := regexp.Compile(text); err != nil {
		return nil, refusal{quoted(text) + " is no RE2 pattern: " + patternFault(err), `escape with \ what stands for itself, or give name, which is no pattern`}
	}
	return regexp.Compile(`(?s)\A(?:` + text + `)\z`)
}

// patternFault is what is wrong with a pattern, without what was sent of it.
func patternFault(err error) string {
	if fault := new(syntax.Error); errors.As(err, &fault) {
		return fault.Code.String()
	}
	return "it cannot be compiled"
}

// quoted is a text that somebody sent, cut and in one line.
func quoted(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strconv.Quote(s)
}
