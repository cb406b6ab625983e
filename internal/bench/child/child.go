// Package child runs what is measured in processes of its own, so that each has
// its own memory and CPU time: the program starts itself again, and parent and
// child exchange lines of JSON over the child's standard input and output. A
// child ends when its input does, so none outlives its parent.
package child

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// call asks a child to do something so often, or to so much.
type call struct {
	Do string
	N  int
}

// reply is what came of it.
type reply struct {
	Error string `json:",omitempty"`
	Value json.RawMessage
}

// Handlers are what a child can do, by name. What they return is sent as JSON.
type Handlers map[string]func(n int) (any, error)

// Serve sends ready, and then answers calls until in ends.
func Serve(in io.Reader, out io.Writer, ready any, handlers Handlers) error {
	enc, dec := json.NewEncoder(out), json.NewDecoder(in)
	if err := send(enc, ready, nil); err != nil {
		return err
	}
	for {
		var c call
		if err := dec.Decode(&c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading a call: %w", err)
		}
		handle, ok := handlers[c.Do]
		if !ok {
			return fmt.Errorf("nothing is known of the call %q", c.Do)
		}
		if err := send(enc, nil, func() (any, error) { return handle(c.N) }); err != nil {
			return err
		}
	}
}

func send(enc *json.Encoder, value any, make func() (any, error)) error {
	var r reply
	if make != nil {
		var err error
		if value, err = make(); err != nil {
			r.Error = err.Error()
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	r.Value = text
	return enc.Encode(r)
}

// Process is a running child. It is for one goroutine.
type Process struct {
	name    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	enc     *json.Encoder
	dec     *json.Decoder
	stderr  bytes.Buffer // complete once the child has ended
	stopped bool
}

// Start runs this program with the arguments and waits until it is ready, which
// fills ready. The caller stops it. It is killed when ctx ends.
func Start(ctx context.Context, ready any, args ...string) (*Process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &Process{name: args[1], cmd: exec.CommandContext(ctx, exe, args...)}
	p.cmd.Stderr = &p.stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the process %s: %w", p.name, err)
	}
	p.enc, p.dec = json.NewEncoder(p.in), json.NewDecoder(out)
	if err := p.receive(ready); err != nil {
		_ = p.Stop()
		return nil, err
	}
	return p, nil
}

// Call makes the child do something, and reads what comes of it into value unless
// that is nil.
func (p *Process) Call(do string, n int, value any) error {
	if err := p.enc.Encode(call{do, n}); err != nil {
		return p.died(err)
	}
	return p.receive(value)
}

func (p *Process) receive(value any) error {
	var r reply
	if err := p.dec.Decode(&r); err != nil {
		return p.died(err)
	}
	if r.Error != "" {
		return fmt.Errorf("process %s: %s", p.name, r.Error)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(r.Value, value)
}

// died stops a child that does not answer any more and tells why, which is what it
// said on its standard error, if anything.
func (p *Process) died(err error) error {
	_ = p.Stop()
	if text := strings.TrimSpace(p.stderr.String()); text != "" {
		return fmt.Errorf("process %s: %s", p.name, text)
	}
	return fmt.Errorf("process %s ended early: %w", p.name, err)
}

// Stop ends the child and waits for it. More calls do nothing.
func (p *Process) Stop() error {
	if p.stopped {
		return nil
	}
	p.stopped = true
	_ = p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("process %s: %w", p.name, err)
	}
	return nil
}
