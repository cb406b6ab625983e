package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/daemon"
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
	turn     int // screens drawn
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
	if err != nil {
		width, height = 80, 24
	}
	text := fit(heading, screen.Render(v, width), d.turn/turnLasts, width, height)
	d.turn++
	// Home, then each line with the rest of the old one cleared, then the rest
	// of the screen: nothing flickers.
	fmt.Fprint(d.out, "\x1b[H"+strings.ReplaceAll(text, "\n", "\x1b[K\n")+"\x1b[K\x1b[J")
}

// turnLasts is for how many screens the same groups are shown in detail, where
// there is no room for all.
const turnLasts = 4

// fit makes a screen of a width and a height: the heading, all groups, and
// the details of those groups that the rest has room for, others at each turn.
func fit(heading string, s screen.Screen, turn, width, height int) string {
	lines := strings.Split(heading+s.Groups, "\n")
	first := 0
	if n := len(s.Details); n > 0 {
		pages := paginate(s.Details, height-len(lines))
		first = pages[turn%len(pages)]
	}
	for _, detail := range s.Details[min(first, len(s.Details)):] {
		lines = append(lines, strings.Split(detail, "\n")...)
	}
	lines = lines[:min(len(lines), height)]
	for i, line := range lines {
		if r := []rune(line); len(r) > width {
			lines[i] = string(r[:width])
		}
	}
	return strings.Join(lines, "\n")
}

// paginate returns the first detail of each page of that many lines.
func paginate(details []string, height int) []int {
	pages, used := []int{0}, 0
	for i, d := range details {
		n := strings.Count(d, "\n") + 1
		if used > 0 && used+n > height {
			pages, used = append(pages, i), 0
		}
		used += n
	}
	return pages
}

// patience is how long the first screen waits for all groups.
const patience = 7 * time.Second

// show draws what the daemon's first cluster looks like until ctx ends. The
// first screen comes with the first poll that saw every group at work.
func show(ctx context.Context, d *display, daemon *daemon.Daemon, brokers []string, groups int) {
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
		if !begun && settled(v) < groups && time.Since(started) < patience {
			continue
		}
		if !begun {
			begun = true
			tick.Reset(d.every)
		}
		d.draw(heading(v, metricsURL(daemon.Addr()), brokers), v)
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

func heading(v *collector.View, url string, brokers []string) string {
	polls := v.Counters.Polls[collector.PollComplete] + v.Counters.Polls[collector.PollPartial]
	return fmt.Sprintf("lagwatch demo: %d brokers, %d topics, %d groups; poll %d took %.0f ms. Ctrl-C ends it.\nmetrics: %s\nbrokers: %s\n\n",
		len(v.Brokers), len(v.Topics), len(v.Groups), polls, v.PollDuration.Seconds()*1000, url, strings.Join(brokers, ","))
}
