package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/daemon"
	"github.com/lagwatch/lagwatch/internal/screen"
)

// display writes screens to a terminal, each over the one before, or one after
// the other to anything else.
type display struct {
	out      io.Writer
	terminal int // file descriptor, −1 where there is none
	every    time.Duration
}

func newDisplay(out io.Writer, plain bool) *display {
	if f, ok := out.(*os.File); ok && !plain && term.IsTerminal(int(f.Fd())) {
		return &display{out: f, terminal: int(f.Fd()), every: time.Second}
	}
	return &display{out: out, terminal: -1, every: 5 * time.Second}
}

// draw writes one screen, cut to what the terminal has room for.
func (d *display) draw(text string) {
	if d.terminal < 0 {
		fmt.Fprintln(d.out, text)
		return
	}
	width, height, err := term.GetSize(d.terminal)
	if err != nil {
		width, height = 80, 24
	}
	// Home, then each line with the rest of the old one cleared, then the rest
	// of the screen: nothing flickers.
	fmt.Fprint(d.out, "\x1b[H"+strings.ReplaceAll(fit(text, width, height), "\n", "\x1b[K\n")+"\x1b[K\x1b[J")
}

// fit cuts a text to a width and a height, and says what is left out.
func fit(text string, width, height int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if over := len(lines) - height; over > 0 {
		lines = append(lines[:height-1], fmt.Sprintf("… %d more lines: a taller window shows them, or --scenario picks some", over+1))
	}
	for i, line := range lines {
		if r := []rune(line); len(r) > width {
			lines[i] = string(r[:width])
		}
	}
	return strings.Join(lines, "\n")
}

// show draws what the daemon's first cluster looks like until ctx ends. The
// first screen comes with the first poll that saw a group.
func show(ctx context.Context, d *display, daemon *daemon.Daemon) {
	watcher := daemon.Watchers()[0]
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	if d.terminal >= 0 {
		fmt.Fprint(d.out, "\x1b[2J\x1b[H")
	}
	started := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		v := watcher.View()
		if !started && !settled(v) {
			continue
		}
		if !started {
			started = true
			tick.Reset(d.every)
		}
		d.draw(heading(v, metricsURL(daemon.Addr())) + screen.Render(v))
	}
}

// settled tells whether there is something to look at: a group whose members
// are there and whose lag is known.
func settled(v *collector.View) bool {
	for i := range v.Groups {
		g := &v.Groups[i]
		if m, ok := g.Members.Get(); ok && len(m.List) > 0 && g.Lag.Known() {
			return true
		}
	}
	return false
}

func heading(v *collector.View, url string) string {
	polls := v.Counters.Polls[collector.PollComplete] + v.Counters.Polls[collector.PollPartial]
	return fmt.Sprintf("lagwatch demo: %d brokers, %d topics, %d groups; poll %d took %.0f ms. Ctrl-C ends it.\nmetrics: %s\n\n",
		len(v.Brokers), len(v.Topics), len(v.Groups), polls, v.PollDuration.Seconds()*1000, url)
}
