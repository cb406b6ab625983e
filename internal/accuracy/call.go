package main

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// kind is what a call is about.
type kind int

const (
	measuring kind = iota
	showing        // one run
	replaying      // a trace
	recording
)

// called is a kind of call: which flags make one, which it has beside them, and what to
// say of any other. A flag that would be without effect is an error: who gave it expects
// one.
type called struct {
	kind       kind
	made, with []string
	other      string
}

// kinds are all there are. The first that fits is it, and the last fits always; it has
// all flags that are left.
var kinds = []called{
	{recording, []string{"record"}, []string{"dump"}, "--record goes into a file, and nowhere else: give --dump and no more"},
	{replaying, []string{"trace"}, []string{"draw", "svg"}, "--trace is a run already"},
	{showing, []string{"draw", "svg", "dump"}, []string{"scenario", "seed"}, "--draw, --svg and --dump are of one run, and measure nothing"},
	{measuring, nil, []string{"scenario", "seed", "seeds", "check", "write"}, ""},
}

// mostSeeds is how many fit into memory.
const mostSeeds = 1000

// call tells what a call is about, or what is wrong with its flags.
func (o options) call(f *pflag.FlagSet) (kind, error) {
	if err := notEmpty(f); err != nil {
		return 0, err
	}
	k := kinds[slices.IndexFunc(kinds, func(k called) bool { return k.made == nil || slices.ContainsFunc(k.made, f.Changed) })]
	if extra := without(f, slices.Concat(k.made, k.with)); extra != "" {
		return 0, fmt.Errorf("%s; leave out %s", k.other, extra)
	}
	return k.kind, o.complete(f, k.kind)
}

// without are the flags that were given and are not in a list.
func without(f *pflag.FlagSet, list []string) string {
	var extra []string
	f.Visit(func(flag *pflag.Flag) {
		if !slices.Contains(list, flag.Name) {
			extra = append(extra, "--"+flag.Name)
		}
	})
	return strings.Join(extra, ", ")
}

func notEmpty(f *pflag.FlagSet) (err error) {
	f.Visit(func(flag *pflag.Flag) {
		if flag.Value.Type() == "string" && flag.Value.String() == "" {
			err = fmt.Errorf("--%s is empty: give it a value or leave it out", flag.Name)
		}
	})
	return err
}

// complete tells what a call lacks, or has and may not have together.
func (o options) complete(f *pflag.FlagSet, k kind) error {
	switch {
	case f.Changed("seed") && o.seed == 0:
		return errors.New("--seed is 0: seeds begin at 1")
	case k == recording && o.dump == "":
		return errors.New("--record goes into a file, and nowhere else: give --dump and no more")
	case k == recording:
		return checkAddress(o.record)
	case k == showing && (o.scenario == "" || o.seed == 0):
		return errors.New("--draw, --svg and --dump are of one run: name it with --scenario and --seed")
	case f.Changed("seeds") && f.Changed("seed"):
		return errors.New("--seeds is how many, --seed is which one: leave out either")
	case o.seeds == 0:
		return errors.New("--seeds is 0, and nothing would be measured: give 1 or more")
	case o.seeds > mostSeeds:
		return fmt.Errorf("--seeds is %d, more than fits into memory: give at most %d", o.seeds, mostSeeds)
	case o.write != "" && (o.scenario != "" || o.seed != 0):
		return errors.New("--write puts the report of all scenarios into a document: leave out --scenario and --seed")
	}
	return nil
}

// checkAddress tells what to try where a page's address is none.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case !strings.Contains(address, "://"):
		return fmt.Errorf("--record %s has no http:// or https:// before it: try http://%s", address, address)
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("--record %s is no address of a page: give it like http://localhost:9742/metrics", address)
	}
	return nil
}

// plain says what is wrong with a value without the words of Go.
func plain(err error) error {
	invalid := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &invalid) {
		return err
	}
	wants := map[string]string{"uint64": "a whole number from 1 on", "bool": "true or false"}[invalid.GetFlag().Value.Type()]
	return fmt.Errorf("--%s is %q: give %s", invalid.GetFlag().Name, invalid.GetValue(), wants)
}
