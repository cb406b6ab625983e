package testkafka

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseMetadata(t *testing.T) {
	whole := []byte("\x00\x00\x00\x07" + "\x00\x00\x00\x02" +
		"\x00\x00\x00\x01" + "\x00\x04host" + "\x00\x00\x23\x84" + "\xff\xff" + // no rack
		"\x00\x00\x00\x03" + "\x00\x04host" + "\x00\x00\x23\x85" + "\x00\x01r" +
		"\x00\x00\x00\x01" + "\x00\x00\x00\x00") // controller, no topics
	got, err := parseMetadata(whole)
	if diff := cmp.Diff([]int{1, 3}, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for _, n := range []int{0, 3, 7, 20, len(whole) - 12} {
		if got, err := parseMetadata(whole[:n]); err == nil {
			t.Errorf("%d bytes became %v", n, got)
		}
	}
	whole[3]++
	if _, err := parseMetadata(whole); err == nil {
		t.Error("an answer to something else was taken")
	}
}

func TestOffsetsJSON(t *testing.T) {
	offsets := Offsets{{"b", 0}: 1, {"a", 10}: 2, {"a", 9}: 3}
	text, err := json.Marshal(offsets)
	const want = `[{"topic":"a","partition":9,"offset":3},{"topic":"a","partition":10,"offset":2},{"topic":"b","partition":0,"offset":1}]`
	if string(text) != want || err != nil {
		t.Errorf("got %s, %v", text, err)
	}
	var back Offsets
	if err := json.Unmarshal(text, &back); err != nil || !cmp.Equal(back, offsets) {
		t.Errorf("got back %v, %v", back, err)
	}
	if text, err := json.Marshal(Offsets(nil)); string(text) != "[]" || err != nil {
		t.Errorf("no offsets are %s, %v", text, err)
	}
}

func TestReadingJSON(t *testing.T) {
	var got Reading[map[string]Offsets]
	err := json.Unmarshal([]byte(`{"before":1700000000000000001,"after":1700000000000000002,"value":{"g":[{"topic":"t","partition":0,"offset":5}]}}`), &got)
	want := Reading[map[string]Offsets]{
		time.Unix(1700000000, 1), time.Unix(1700000000, 2), map[string]Offsets{"g": {{"t", 0}: 5}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

func TestConsumerSpecCheck(t *testing.T) {
	good := ConsumerSpec{ID: "c", Group: "g", Topics: []string{"t"}}
	tests := []struct {
		name   string
		change func(*ConsumerSpec)
		ok     bool
	}{
		{"plain", func(*ConsumerSpec) {}, true},
		{"no id", func(s *ConsumerSpec) { s.ID = "" }, false},
		{"no group", func(s *ConsumerSpec) { s.Group = "" }, false},
		{"topics and partitions", func(s *ConsumerSpec) { s.Assign = Partitions("t", 1) }, false},
		{"nothing to read", func(s *ConsumerSpec) { s.Topics = nil }, false},
		{"alone without a group", func(s *ConsumerSpec) {
			s.Group, s.Topics, s.Assign, s.Commit = "", nil, Partitions("t", 1), CommitNever
		}, true},
		{"alone in a share group", func(s *ConsumerSpec) {
			s.Topics, s.Assign, s.Protocol = nil, Partitions("t", 1), Share
		}, false},
		{"unknown protocol", func(s *ConsumerSpec) { s.Protocol = "sticky" }, false},
		{"unknown acknowledgement", func(s *ConsumerSpec) { s.Protocol, s.Acknowledge = Share, "shrug" }, false},
		{"unknown commit mode", func(s *ConsumerSpec) { s.Commit = "often" }, false},
	}
	for _, test := range tests {
		spec := good
		test.change(&spec)
		if err := spec.check(); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestReservedPort: a port must stay its broker's while the broker is down.
func TestReservedPort(t *testing.T) {
	p, err := reservePort()
	if err != nil {
		t.Fatal(err)
	}
	defer p.release()
	if conn, err := net.Dial("tcp", p.addr()); err == nil {
		conn.Close()
		t.Error("a reserved port accepts connections")
	}
	for range 3 {
		l, err := net.Listen("tcp", p.addr())
		if err != nil {
			t.Fatalf("its owner can't listen: %v", err)
		}
		l.Close()
	}
}

func TestWriteProperties(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	if err := writeProperties(path, map[string]string{"b": `c:\d`, "a": "1\n2"}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := `a=1\n2` + "\n" + `b=c:\\d` + "\n"; string(got) != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestBrokerProperties(t *testing.T) {
	c := &Cluster{
		opts: Options{Properties: map[string]string{"num.partitions": "7", "extra": "x"}},
		brokers: []*Broker{
			{id: 1, dir: "/b1", client: port{1001, -1}, controller: port{1002, -1}},
			{id: 2, dir: "/b2", client: port{2001, -1}, controller: port{2002, -1}},
		},
	}
	got := c.brokerProperties(c.brokers[1])
	for key, want := range map[string]string{
		"node.id":                          "2",
		"controller.quorum.voters":         "1@127.0.0.1:1002,2@127.0.0.1:2002",
		"listeners":                        "PLAINTEXT://127.0.0.1:2001,CONTROLLER://127.0.0.1:2002",
		"log.dirs":                         "/b2/data",
		"offsets.topic.replication.factor": "2",
		"num.partitions":                   "7",
		"extra":                            "x",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
}

// With ZooKeeper a broker is told nothing of KRaft, which it would refuse beside
// the other.
func TestBrokerPropertiesWithZooKeeper(t *testing.T) {
	c := &Cluster{
		keeper:  &zookeeper{port: port{3001, -1}},
		brokers: []*Broker{{id: 1, dir: "/b1", client: port{1001, -1}, controller: port{1002, -1}}},
	}
	got := c.brokerProperties(c.brokers[0])
	for key, want := range map[string]string{
		"broker.id":         "1",
		"zookeeper.connect": "127.0.0.1:3001",
		"listeners":         "PLAINTEXT://127.0.0.1:1001",
		"log.dirs":          "/b1/data",
		"num.partitions":    "3",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	for _, key := range []string{"node.id", "process.roles", "controller.quorum.voters", "controller.listener.names"} {
		if value, ok := got[key]; ok {
			t.Errorf("%s is %q, want none", key, value)
		}
	}
}

func TestDriverFolders(t *testing.T) {
	for version, want := range map[string]string{
		"2.8.2": "driver driver/v28", "3.2.0": "driver driver/v28", "3.3.0": "driver driver/v33",
		"3.9.2": "driver driver/v33", "4.0.1": "driver driver/v33", "4.1.0": "driver driver/v33 driver/v41", "4.4.0": "driver driver/v33 driver/v41 driver/v44",
	} {
		rel, err := parseRelease(version)
		if got := strings.Join(driverFolders(rel), " "); got != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", version, got, err, want)
		}
	}
}

func TestRandomID(t *testing.T) {
	a, b := randomID(), randomID()
	if a == b || len(a) != 22 || a[0] == '-' {
		t.Errorf("ids %q and %q", a, b)
	}
}
