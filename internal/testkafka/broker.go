package testkafka

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Broker is one broker of a cluster, up or down.
type Broker struct {
	id                 int
	dir                string
	client, controller port
	secured            map[string]*port // by listener

	mu     sync.Mutex // guards what follows
	dist   Distribution
	proc   *process // nil before the first launch
	frozen bool
	closed bool
}

func newBroker(id int, dir string, dist Distribution) (*Broker, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("creating the folder of broker %d: %w", id, err)
	}
	client, err := reservePort()
	if err != nil {
		return nil, err
	}
	controller, err := reservePort()
	if err != nil {
		client.release()
		return nil, err
	}
	return &Broker{id: id, dir: dir, client: client, controller: controller, dist: dist}, nil
}

// ID is the broker's node id.
func (b *Broker) ID() int { return b.id }

// Addr is HOST:PORT of the client listener, the same for all runs.
func (b *Broker) Addr() string { return b.client.addr() }

func (b *Broker) log() string        { return filepath.Join(b.dir, "server.log") }
func (b *Broker) properties() string { return filepath.Join(b.dir, "server.properties") }

// up reports whether the broker's process runs, and whether it is frozen.
func (b *Broker) up() (running, frozen bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running(), b.frozen
}

func (b *Broker) running() bool { return b.proc != nil && !b.proc.exited() }

func (b *Broker) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running() {
		b.proc.kill()
	}
	b.closed = true
	b.client.release()
	b.controller.release()
	b.releaseListeners()
}

// jvmFlags make a JVM start fast and stay small.
func jvmFlags() []string {
	return []string{"-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}
}

// java runs a class with Kafka's jars on its classpath, and more in front.
func java(dist Distribution, more, flags []string, args ...string) *exec.Cmd {
	classpath := append(slices.Clone(more), dist.Classpath())
	all := append(jvmFlags(), flags...)
	all = append(all, "-cp", strings.Join(classpath, string(os.PathListSeparator)))
	return exec.Command("java", append(all, args...)...)
}

// quietFlags keep a program's log to warnings.
func quietFlags() []string { return []string{"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"} }

// format writes the broker's configuration and prepares its data folder, which
// brokers with ZooKeeper do themselves.
func (c *Cluster) format(ctx context.Context, b *Broker) error {
	if err := writeProperties(b.properties(), c.brokerProperties(b)); err != nil {
		return fmt.Errorf("configuring broker %d: %w", b.id, err)
	}
	if err := c.writeCertificates(b); err != nil {
		return fmt.Errorf("writing the certificates of broker %d: %w", b.id, err)
	}
	if c.keeper != nil {
		return nil
	}
	cmd := java(c.dist, nil, quietFlags(),
		"kafka.tools.StorageTool", "format", "-t", c.id, "-c", b.properties())
	if _, err := run(ctx, cmd); err != nil {
		return fmt.Errorf("formatting broker %d: %w", b.id, err)
	}
	return nil
}

// launch starts the broker's process and does not wait for it to serve.
func (c *Cluster) launch(b *Broker) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return fmt.Errorf("starting broker %d: the cluster is closed", b.id)
	}
	if b.running() {
		return fmt.Errorf("starting broker %d: it is running", b.id)
	}
	log, err := openLog(b.log())
	if err != nil {
		return fmt.Errorf("starting broker %d: %w", b.id, err)
	}
	defer log.Close()
	cmd := java(b.dist, nil, c.logFlags(), "kafka.Kafka", b.properties())
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.dir, log, log
	proc, err := startProcess(cmd)
	if err != nil {
		return fmt.Errorf("starting broker %d: %w", b.id, err)
	}
	b.proc, b.frozen = proc, false
	return nil
}

// openLog opens a log to append to it. A line that the last run didn't finish is
// ended, so that it can't swallow the first line of the next run.
func openLog(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	text, err := readTail(path)
	if err == nil && text != "" && !strings.HasSuffix(text, "\n") {
		_, err = f.WriteString("\n")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (c *Cluster) logFlags() []string {
	const simple = "-Dorg.slf4j.simpleLogger."
	flags := append(quietFlags(), simple+"showDateTime=true", simple+"dateTimeFormat="+javaTimeLayout)
	if c.opts.RequestLog {
		flags = append(flags, simple+"log."+requestLogger+"=debug")
	}
	if c.opts.Authorizer {
		flags = append(flags, simple+"log."+authorizerLogger+"=trace")
	}
	if len(c.opts.Listeners) > 0 {
		flags = append(flags, simple+"log."+loginLogger+"=debug", simple+"log."+refusalLogger+"=info")
	}
	return flags
}

// StartBroker starts a broker that is down, on its old ports and data, and
// returns when it serves and every other running broker knows it. With
// ZooKeeper, one that was killed starts when its session has timed out.
func (c *Cluster) StartBroker(ctx context.Context, id int) error {
	b, err := c.broker(id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errNotReady)
	defer cancel()
	if running, _ := b.up(); !running {
		if err := c.keeper.forgotten(ctx, id); err != nil {
			return fmt.Errorf("starting broker %d: %w", id, err)
		}
	}
	if err := c.launch(b); err != nil {
		return err
	}
	return c.waitReady(ctx, []*Broker{b})
}

// Kill ends a broker with SIGKILL and returns when it is gone. The others learn
// of it when broker.session.timeout.ms (6 s) has passed, and let it come back only
// then. A broker that is down stays so.
func (c *Cluster) Kill(id int) error {
	b, err := c.broker(id)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running() {
		b.proc.kill()
	}
	return nil
}

// Stop shuts a broker down with SIGTERM, so that it hands over its leaderships,
// and returns when it is gone. When ctx ends first, the broker is still
// shutting down. A broker that is down stays so.
func (c *Cluster) Stop(ctx context.Context, id int) error {
	b, err := c.broker(id)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.running() {
		return nil
	}
	err = b.proc.signal(syscall.SIGTERM)
	if err == nil || errors.Is(err, os.ErrProcessDone) {
		err = b.proc.wait(ctx)
	}
	if err != nil {
		return fmt.Errorf("stopping broker %d: %w", id, err)
	}
	return nil
}

// Restart stops a broker as Stop does and starts it as StartBroker does.
func (c *Cluster) Restart(ctx context.Context, id int) error {
	if err := c.Stop(ctx, id); err != nil {
		return err
	}
	return c.StartBroker(ctx, id)
}

// Freeze halts a running broker with SIGSTOP: its connections stay open, and it
// answers nothing until Thaw.
func (c *Cluster) Freeze(id int) error { return c.pause(id, syscall.SIGSTOP, true) }

// Thaw lets a frozen broker go on.
func (c *Cluster) Thaw(id int) error { return c.pause(id, syscall.SIGCONT, false) }

func (c *Cluster) pause(id int, sig syscall.Signal, frozen bool) error {
	b, err := c.broker(id)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.running() {
		return fmt.Errorf("sending %v to broker %d: it is down", sig, id)
	}
	if err := b.proc.signal(sig); err != nil {
		return fmt.Errorf("sending %v to broker %d: %w", sig, id, err)
	}
	b.frozen = frozen
	return nil
}
