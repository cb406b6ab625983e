package kafka

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

const notAllowed = wire.CodeTopicUnauthorized

// configs writes the settings of a snapshot's topics that are known, by name.
func configs(s *snapshot.Snapshot) map[string]snapshot.TopicConfig {
	list := map[string]snapshot.TopicConfig{}
	for i := range s.Topics {
		if c, ok := s.Topics[i].Config.Get(); ok {
			list[s.Topics[i].Name] = c
		}
	}
	return list
}

// askedConfigs are the topics whose settings calls asked for, and of how many
// brokers.
func askedConfigs(calls []*call) (topics []string, brokers int) {
	at := map[string]bool{}
	for _, k := range ofAPI(calls, kmsg.DescribeConfigs) {
		at[k.addr] = true
		for _, r := range k.req.(*kmsg.DescribeConfigsRequest).Resources {
			topics = append(topics, r.ResourceName)
		}
	}
	slices.Sort(topics)
	return topics, len(at)
}

func setConfig(t *testing.T, c *lab.Cluster, topic, name, value string) {
	t.Helper()
	_, err := c.Admin().AlterTopicConfigs(testContext(t), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: name, Value: &value}}, topic)
	must(t, err)
}

// commitAnew commits on partition 0 of a topic that was deleted and created
// again, whose id the lab's own client does not know yet.
func commitAnew(t *testing.T, c *lab.Cluster, group, topic string) {
	t.Helper()
	cl, err := c.NewClient()
	must(t, err)
	defer cl.Close()
	var at kadm.Offsets
	at.Add(kadm.Offset{Topic: topic, At: 0, LeaderEpoch: -1})
	must(t, kadm.NewClient(cl).CommitAllOffsets(testContext(t), group, at))
}

// later makes everything that was due at some time due again.
func later(c *Client) { c.configs.next = time.Time{} }

// Settings are read of topics that groups use and of no others: at the first
// poll, when a topic appears or is used first, and every ten minutes.
func TestConfigsAreReadWhenDue(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 1, "unused": 1, "audit": 1}})
	setConfig(t, c, "orders", "cleanup.policy", "compact")
	commit(t, c, "billing", "orders", 0, 0)
	client, wire := startClient(t, c, Options{Configs: true})
	step := func(what string, asked ...string) map[string]snapshot.TopicConfig {
		t.Helper()
		wire.reset()
		s := poll(t, client)
		if got, _ := askedConfigs(wire.reset()); !slices.Equal(got, asked) || len(s.Problems) > 0 {
			t.Errorf("%s: %v were asked for, want %v; problems %v", what, got, asked, problems(s))
		}
		return configs(s)
	}
	compacted := defaults(func(c *snapshot.TopicConfig) { c.Delete, c.Compact = false, true })
	plain := defaults(func(*snapshot.TopicConfig) {})
	want := map[string]snapshot.TopicConfig{"orders": compacted}
	expect := func(got map[string]snapshot.TopicConfig) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	expect(step("first poll", "orders"))
	expect(step("second poll"))
	commit(t, c, "billing", "audit", 0, 0)
	want["audit"] = plain
	expect(step("used first", "audit"))
	setConfig(t, c, "orders", "cleanup.policy", "delete")
	expect(step("not due"))
	later(client)
	want["orders"] = plain
	expect(step("due", "audit", "orders"))
	must(t, c.DeleteTopic("orders"))
	must(t, c.CreateTopic("orders", 1))
	commitAnew(t, c, "billing", "orders")
	expect(step("recreated", "orders"))
}

// Without the option nothing is asked.
func TestNoConfigs(t *testing.T) {
	c := settled(t, 1)
	client, wire := startClient(t, c, Options{})
	if s := poll(t, client); len(configs(s)) > 0 || requests(wire.reset())["DescribeConfigs"] > 0 {
		t.Errorf("%v", configs(s))
	}
}

// A request is for 500 topics at most, and the brokers share them.
func TestConfigsInBatches(t *testing.T) {
	topics := map[string]int32{}
	for i := range 1_203 {
		topics[fmt.Sprintf("topic-%04d", i)] = 1
	}
	c := startLab(t, lab.Options{Topics: topics})
	for topic := range topics {
		commit(t, c, "billing", topic, 0, 0)
	}
	client, wire := startClient(t, c, Options{Configs: true})
	if n := len(configs(poll(t, client))); n != len(topics) {
		t.Errorf("the settings of %d topics are known", n)
	}
	calls := wire.reset()
	asked, brokers := askedConfigs(calls)
	if sent := requests(calls)["DescribeConfigs"]; sent != 3 || brokers != 3 || len(slices.Compact(asked)) != len(topics) {
		t.Errorf("%d requests to %d brokers for %d topics", sent, brokers, len(asked))
	}
}

// One broker was asked every time, where one request is enough.
func TestConfigsInTurn(t *testing.T) {
	client, wire := startClient(t, settled(t, 1), Options{Configs: true})
	for range 3 {
		later(client)
		poll(t, client)
	}
	if asked, brokers := askedConfigs(wire.reset()); len(asked) != 3 || brokers != 3 {
		t.Errorf("%d requests to %d brokers", len(asked), brokers)
	}
}

// refuseConfigs makes answers of DescribeConfigs errors.
func refuseConfigs(code int16) func(*call, kmsg.Response) {
	return func(_ *call, resp kmsg.Response) {
		if r, ok := resp.(*kmsg.DescribeConfigsResponse); ok {
			for i := range r.Resources {
				r.Resources[i].ErrorCode = code
			}
		}
	}
}

// A missing permission is told once a reading, however many topics and brokers,
// is nobody's loss, and leaves what is known for an hour.
func TestConfigsWithoutPermission(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	for b := range 4 {
		must(t, c.CreateTopic(fmt.Sprint("more-", b), 1))
		commit(t, c, groups[0], fmt.Sprint("more-", b), 0, 0)
	}
	client, wire := startClient(t, c, Options{Configs: true})
	poll(t, client)
	wire.onAnswer(refuseConfigs(notAllowed))
	later(client)
	s := poll(t, client)
	if diff := cmp.Diff([]string{"problem describe_configs unauthorized ×5"}, problems(s)); diff != "" || !s.Problems[0].Optional {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	if p := s.Problems[0]; !strings.Contains(p.Detail, "grant DESCRIBE_CONFIGS") {
		t.Errorf("no remedy: %s", p.Detail)
	} else {
		checkLine(t, p.Detail)
	}
	if len(configs(s)) != 5 {
		t.Errorf("known are %v", configs(s))
	}
	wire.reset()
	if s := poll(t, client); len(s.Problems) > 0 || requests(wire.reset())["DescribeConfigs"] > 0 {
		t.Errorf("refused, it is asked for and told at once again: %v", problems(s))
	}
	for _, topic := range client.cluster.topics {
		topic.configAt = topic.configAt.Add(-configsStay)
	}
	if s := poll(t, client); len(configs(s)) > 0 {
		t.Errorf("after an hour: %v", configs(s))
	}
	wire.onAnswer(nil)
	later(client)
	if s := poll(t, client); len(configs(s)) != 5 || len(s.Problems) > 0 {
		t.Errorf("granted: %v, %v", configs(s), problems(s))
	}
}

// Settings that do not come cost the poll nothing but the time of one request:
// all else is read, the broker is not silent, and they are asked for again in a
// minute.
func TestConfigsThatDoNotCome(t *testing.T) {
	for name, test := range map[string]struct {
		verdict verdict
		problem string
	}{
		"no answer": {hang, "problem describe_configs timeout broker=1 ×1"},
		"cut off":   {drop, "problem describe_configs unreachable broker=1 ×1"},
	} {
		t.Run(name, func(t *testing.T) {
			c, groups := trio(t, lab.Options{})
			client, wire := startClient(t, c, Options{Configs: true, RequestTimeout: 2 * time.Second})
			client.configs.turn = 1
			wire.onRequest(func(k *call) verdict {
				if k.req.Key() == int16(kmsg.DescribeConfigs) {
					return test.verdict
				}
				return pass
			})
			s := poll(t, client)
			check(t, s, append(trioLines(groups, -1), test.problem)...)
			if !s.Brokers[1].Answered.Or(false) || !s.Problems[0].Optional {
				t.Errorf("broker 1: %+v, optional: %t", s.Brokers[1], s.Problems[0].Optional)
			}
			wire.onRequest(nil)
			check(t, poll(t, client), trioLines(groups, -1)...)
			if sent := requests(wire.reset())["DescribeConfigs"]; sent > 2 {
				t.Errorf("%d requests, though it was not to be asked again yet", sent)
			}
			client.cluster.topics["orders"].configDue = time.Time{}
			if s := poll(t, client); len(configs(s)) != 1 {
				t.Errorf("a minute later: %v", problems(s))
			}
		})
	}
}

// A topic that a broker does not know yet is asked about again in a minute, one
// that lagwatch may not see with all the others.
func TestConfigsAgain(t *testing.T) {
	for code, soon := range map[int16]bool{wire.CodeUnknownTopic: true, notAllowed: false, 7: true} {
		c := settled(t, 1)
		client, wire := startClient(t, c, Options{Configs: true})
		wire.onAnswer(refuseConfigs(code))
		s := poll(t, client)
		if in := client.cluster.topics["orders"].configDue.Sub(s.Started); len(s.Problems) != 1 || (in == configsRetry) != soon || !soon && in != configsEvery {
			t.Errorf("error %d: again in %s, problems %v", code, in, problems(s))
		}
	}
}

// Brokers that lack the request are passed over; where all do, that is told.
func TestBrokersWithoutConfigs(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{Configs: true})
	wire.onAnswer(both(apiVersions(c.Addrs()[0], enabled(), lacking(kmsg.DescribeConfigs)), apiVersions(c.Addrs()[1], enabled(), lacking(kmsg.DescribeConfigs))))
	for range 3 {
		later(client)
		if s := poll(t, client); len(configs(s)) != 1 || len(s.Problems) > 0 {
			t.Errorf("one broker: %v, %v", configs(s), problems(s))
		}
	}
	for _, k := range ofAPI(wire.reset(), kmsg.DescribeConfigs) {
		if k.addr != c.Addrs()[2] {
			t.Errorf("%s was asked", k.addr)
		}
	}
	client, wire = startClient(t, c, Options{Configs: true})
	wire.onAnswer(func(_ *call, resp kmsg.Response) {
		if r, ok := resp.(*kmsg.ApiVersionsResponse); ok {
			lacking(kmsg.DescribeConfigs)(r)
		}
	})
	s := poll(t, client)
	check(t, s, append(trioLines(groups, -1), "problem describe_configs unsupported ×1")...)
	checkLine(t, s.Problems[0].Detail)
	check(t, poll(t, client), trioLines(groups, -1)...)
}
