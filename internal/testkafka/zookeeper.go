package testkafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// zookeeper is the server that keeps a cluster's metadata where brokers can't do
// so themselves. There is one for each such cluster, and it is never down. The
// nil *zookeeper is that of a KRaft cluster, which has none.
type zookeeper struct {
	dir  string
	dist Distribution
	port port
	proc *process // nil before start
}

// needsZooKeeper reports whether the brokers of a version need ZooKeeper: KRaft
// was not for use before Kafka 3.3.
func (r release) needsZooKeeper() bool { return !r.atLeast(3, 3) }

func newZooKeeper(dir string, dist Distribution) (*zookeeper, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("creating ZooKeeper's folder: %w", err)
	}
	port, err := reservePort()
	if err != nil {
		return nil, err
	}
	return &zookeeper{dir: dir, dist: dist, port: port}, nil
}

func (z *zookeeper) log() string { return filepath.Join(z.dir, "zookeeper.log") }

// start starts the server and returns when it answers.
func (z *zookeeper) start(ctx context.Context) error {
	if z == nil {
		return nil
	}
	config := filepath.Join(z.dir, "zookeeper.properties")
	if err := writeProperties(config, z.properties()); err != nil {
		return fmt.Errorf("configuring ZooKeeper: %w", err)
	}
	log, err := openLog(z.log())
	if err != nil {
		return fmt.Errorf("starting ZooKeeper: %w", err)
	}
	defer log.Close()
	cmd := z.command(config)
	cmd.Dir, cmd.Stdout, cmd.Stderr = z.dir, log, log
	if z.proc, err = startProcess(cmd); err != nil {
		return fmt.Errorf("starting ZooKeeper: %w", err)
	}
	return waitFor(ctx, 50*time.Millisecond, func() error {
		if z.proc.exited() {
			return fmt.Errorf("%w: ZooKeeper exited; the end of its log:\n%s", errGiveUp, tail(z.log()))
		}
		_, err := z.ask(ctx, "ruok")
		return err
	})
}

func (z *zookeeper) properties() map[string]string {
	return map[string]string{
		"dataDir":           filepath.Join(z.dir, "data"),
		"clientPort":        strconv.Itoa(z.port.number),
		"clientPortAddress": "127.0.0.1",
		"tickTime":          "1000", // the shortest session is twice as long
		"maxClientCnxns":    "0",    // no limit
		// Its web server is not among the jars.
		"admin.enableServer":     "false",
		"4lw.commands.whitelist": "ruok,dump",
	}
}

func (z *zookeeper) command(config string) *exec.Cmd {
	flags := append(quietFlags(), "-Dzookeeper.forceSync=no", "-Dzookeeper.jmx.log4j.disable=true")
	return java(z.dist, nil, flags, "org.apache.zookeeper.server.ZooKeeperServerMain", config)
}

// ask sends one of its four-letter words and returns the answer.
func (z *zookeeper) ask(ctx context.Context, word string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("no answer after 5s"))
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", z.port.addr())
	if err != nil {
		return "", err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if _, err := io.WriteString(conn, word); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(conn)
	if err == nil && len(answer) == 0 {
		err = errors.New("an empty answer")
	}
	return string(answer), err
}

// forgotten waits until no session of a broker is left. One that was killed has
// a session until zookeeper.session.timeout.ms has passed, and would refuse to
// start beside it.
func (z *zookeeper) forgotten(ctx context.Context, id int) error {
	if z == nil {
		return nil
	}
	node := fmt.Sprintf("/brokers/ids/%d", id)
	return waitFor(ctx, 100*time.Millisecond, func() error {
		dump, err := z.ask(ctx, "dump")
		if err != nil {
			return fmt.Errorf("asking ZooKeeper for sessions: %w", err)
		}
		for line := range strings.Lines(dump) {
			if strings.TrimSpace(line) == node {
				return fmt.Errorf("ZooKeeper still has a session of broker %d", id)
			}
		}
		return nil
	})
}

func (z *zookeeper) close() {
	if z == nil {
		return
	}
	if z.proc != nil {
		z.proc.kill()
	}
	z.port.release()
}

// place replaces what places a broker in a KRaft cluster by what places it in
// one with ZooKeeper.
func (z *zookeeper) place(p map[string]string, id int) {
	if z == nil {
		return
	}
	for key := range p {
		if strings.HasPrefix(key, "controller.") || key == "process.roles" || key == "node.id" {
			delete(p, key)
		}
	}
	p["broker.id"] = strconv.Itoa(id)
	p["listeners"] = p["advertised.listeners"] // without the controller's
	p["zookeeper.connect"] = z.port.addr()
	p["zookeeper.session.timeout.ms"] = "6000" // as long as KRaft's broker.session.timeout.ms
}
