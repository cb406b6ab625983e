package testkafka

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Driver is a Java process with Kafka's own clients. Its methods may be called
// concurrently, and a slow one doesn't hold up the others. An error says what
// was asked and what Kafka answered. When ctx ends first, the driver still does
// what it was asked. When the process dies, every call fails with the end of
// its log.
type Driver struct {
	proc   *process
	log    string
	events *eventLog

	mu      sync.Mutex // guards what follows, and writing to stdin
	stdin   *os.File
	last    int64
	pending map[int64]chan answer
	dead    error
}

// answer is a line from the driver that answers a call.
type answer struct {
	ID     int64           `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  string          `json:"error"`
	err    error           // set here, when the driver died
}

// Driver returns the cluster's driver, whose clients are of the version that
// the cluster was started as: old clients tell a coordinator less of themselves
// than new ones do, and most who run old brokers run old clients. The first call
// compiles it, unless the cache holds it, and starts it; so does a call after
// the last one died. ctx bounds only this. Close of the cluster ends it.
func (c *Cluster) Driver(ctx context.Context) (*Driver, error) {
	return c.DriverOf(ctx, c.opts.Version)
}

// DriverOf is Driver with clients of a version of their own, which the brokers
// must be able to serve; each version has one driver of its own.
func (c *Cluster) DriverOf(ctx context.Context, version string) (*Driver, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.New("starting the driver: the cluster is closed")
	}
	if d := c.drivers[version]; d != nil && !d.proc.exited() {
		return d, nil
	}
	dist, err := Ensure(ctx, version)
	if err != nil {
		return nil, err
	}
	classes, err := buildDriver(ctx, dist)
	if err != nil {
		return nil, err
	}
	d, err := startDriver(c, dist, classes)
	if err != nil {
		return nil, err
	}
	if err := d.call(ctx, "starting the driver", "ping", nil, nil); err != nil {
		d.Kill()
		return nil, err
	}
	c.drivers[version] = d
	return d, nil
}

func startDriver(c *Cluster, dist Distribution, classes string) (*Driver, error) {
	d := &Driver{
		log:     filepath.Join(c.dir, "driver-"+dist.Version+".log"),
		events:  newEventLog(),
		pending: map[int64]chan answer{},
	}
	cmd := java(dist, []string{classes}, quietFlags(), "lagwatch.Driver", strings.Join(c.Bootstrap(), ","))
	stdout, err := d.start(cmd)
	if err != nil {
		return nil, fmt.Errorf("starting the driver: %w", err)
	}
	go d.read(stdout)
	return d, nil
}

// start starts the process with pipes of its own: those of exec.Cmd are closed
// by Wait, before the last lines are read.
func (d *Driver) start(cmd *exec.Cmd) (stdout *os.File, err error) {
	var ours, theirs []io.Closer
	defer func() { closeAll(theirs) }()
	defer func() {
		if err != nil {
			closeAll(ours)
		}
	}()
	log, err := openLog(d.log)
	if err != nil {
		return nil, err
	}
	theirs = append(theirs, log)
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ours, theirs = append(ours, stdin), append(theirs, in)
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ours, theirs = append(ours, stdout), append(theirs, out)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, log
	d.stdin = stdin
	d.proc, err = startProcess(cmd)
	return stdout, err
}

func closeAll(list []io.Closer) {
	for _, c := range list {
		c.Close()
	}
}

// Kill ends the driver at once, and with it all its consumers and producers, as
// a crash would: none leaves its group, no transaction is ended.
func (d *Driver) Kill() {
	d.proc.kill()
}

// read hands out the driver's lines until there are no more.
func (d *Driver) read(stdout *os.File) {
	defer stdout.Close()
	lines := bufio.NewReaderSize(stdout, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err == nil {
			err = d.dispatch(line)
		}
		if err != nil {
			d.died(err)
			return
		}
	}
}

func (d *Driver) dispatch(line []byte) error {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return fmt.Errorf("reading %.200q: %w", line, err)
	}
	if a.ID == 0 {
		return d.events.add(line)
	}
	d.mu.Lock()
	reply := d.pending[a.ID]
	delete(d.pending, a.ID)
	d.mu.Unlock()
	if reply != nil {
		reply <- a
	}
	return nil
}

// died fails all calls, pending and later.
func (d *Driver) died(cause error) {
	d.proc.kill()
	if errors.Is(cause, io.EOF) && d.proc.err != nil {
		cause = d.proc.err
	}
	err := fmt.Errorf("the driver died: %w; the end of its log:\n%s", cause, tail(d.log))
	d.mu.Lock()
	d.stdin.Close()
	d.dead = err
	for id, reply := range d.pending {
		delete(d.pending, id)
		reply <- answer{err: err}
	}
	d.mu.Unlock()
	d.events.end(err)
}

// call asks the driver for op and stores its result, unless result is nil. The
// error starts with what, which tells a reader what was asked.
func (d *Driver) call(ctx context.Context, what, op string, args, result any) error {
	if err := d.exchange(ctx, op, args, result); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (d *Driver) exchange(ctx context.Context, op string, args, result any) error {
	id, reply, err := d.send(op, args)
	if err != nil {
		return err
	}
	select {
	case a := <-reply:
		switch {
		case a.err != nil:
			return a.err
		case a.Error != "":
			return errors.New(a.Error)
		case result == nil:
			return nil
		}
		return json.Unmarshal(a.Result, result)
	case <-ctx.Done():
		d.mu.Lock()
		delete(d.pending, id)
		d.mu.Unlock()
		return context.Cause(ctx)
	}
}

// send writes a request. The reply channel has room, so nobody waits for a
// caller that left.
func (d *Driver) send(op string, args any) (int64, chan answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead != nil {
		return 0, nil, d.dead
	}
	d.last++
	line, err := json.Marshal(struct {
		ID   int64  `json:"id"`
		Op   string `json:"op"`
		Args any    `json:"args"`
	}{d.last, op, args})
	if err != nil {
		return 0, nil, err
	}
	reply := make(chan answer, 1)
	d.pending[d.last] = reply
	// A failed write means a dead process; its end of file fails this call with
	// the log that tells why.
	_, _ = d.stdin.Write(append(line, '\n'))
	return d.last, reply, nil
}
