package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/daemon"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/screen"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// display writes screens to a terminal, each over the one before, or one after
// the other to anything else.
type display struct {
	out      io.Writer
	terminal int // file descriptor, −1 where there is none
	every    time.Duration
	turns    turns
}

func newDisplay(out *output, plain bool) *display {
	if fd, ok := out.terminal(); ok && !plain {
		return &display{out: out, terminal: fd, every: time.Second}
	}
	return &display{out: out, terminal: -1, every: 5 * time.Second}
}

// plainWidth is how wide a screen is where there is no terminal.
const plainWidth = 110

// draw writes one screen under its heading, cut to what the terminal has room
// for.
func (d *display) draw(heading string, v *collector.View) {
	if d.terminal < 0 {
		fmt.Fprintln(d.out, heading+screen.Render(v, plainWidth).String())
		return
	}
	width, height, err := term.GetSize(d.terminal)
	if err != nil || width == 0 || height == 0 { // as terminals say that do not know
		width, height = 80, 24
	}
	text := d.turns.fit(strings.TrimSuffix(heading, "\n"), screen.Render(v, width-markWidth), width, height)
	// Home, then each line with the rest of the old one cleared, then the rest
	// of the screen: nothing flickers.
	fmt.Fprint(d.out, "\x1b[H"+strings.ReplaceAll(text, "\n", "\x1b[K\n")+"\x1b[K\x1b[J")
}

// patience is how long the first screen waits for all groups.
const patience = 7 * time.Second

// show draws what the daemon's first cluster looks like until ctx ends. The
// first screen comes with the first poll that saw every group at work.
func show(ctx context.Context, d *display, daemon *daemon.Daemon, brokers []string, scenes []lab.Scenario) {
	watcher := daemon.Watchers()[0]
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	if d.terminal >= 0 {
		fmt.Fprint(d.out, "\x1b[2J\x1b[H")
	}
	begun, started := false, time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		v := watcher.View()
		if !begun && settled(v) < len(scenes) && time.Since(started) < patience {
			continue
		}
		if !begun {
			begun = true
			tick.Reset(d.every)
		}
		d.draw(heading(v, daemon.Addr(), example(scenes), brokers), v)
	}
}

// settled counts the groups that are at work as far as they will be: they are
// not in a rebalance, and there are partitions to show; or they can't be read.
func settled(v *collector.View) int {
	n := 0
	for i := range v.Groups {
		g := &v.Groups[i]
		switch {
		case g.State == snapshot.StateUnknown, diagnosed(g, diagnosis.Unreadable):
			n++
		case g.State == snapshot.StateStable || g.State == snapshot.StateEmpty:
			if len(g.Topics) > 0 {
				n++
			}
		}
	}
	return n
}

func diagnosed(g *collector.Group, c diagnosis.Condition) bool {
	return g.Diagnosis.Verdicts[c] == diagnosis.Holds
}

// heading says what this is, and how to ask it. It fits 80 columns, but for the brokers'
// addresses.
func heading(v *collector.View, a net.Addr, group string, brokers []string) string {
	polls := v.Counters.Polls[collector.PollComplete] + v.Counters.Polls[collector.PollPartial]
	return fmt.Sprintf("lagwatch demo: %s, %s, %s; poll %d took %.0f ms. Ctrl-C ends\nwhy one lags: %s\nmetrics: %s\nbrokers: %s\n\n",
		counted(len(v.Brokers), "broker"), counted(len(v.Topics), "topic"), counted(len(v.Groups), "group"), polls, v.PollDuration.Seconds()*1000, ask(a, group), metricsURL(a), strings.Join(brokers, ","))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ask is the command that asks the demo's lagwatch about a group.
func ask(a net.Addr, group string) string {
	if a.String() == demoListen { // where explain looks
		return "lagwatch explain " + group
	}
	return "lagwatch explain --url http://" + a.String() + " " + group
}

// example is a group about which there is much to say, if it is there: that of a hot
// partition, else one in trouble, else the first.
func example(scenes []lab.Scenario) string {
	group := scenes[0].Group
	for _, s := range slices.Backward(scenes) {
		if s.Shows == diagnosis.HotPartition.String() {
			return s.Group
		}
		if s.Shows != "" {
			group = s.Group
		}
	}
	return group
}
