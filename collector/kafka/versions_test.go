package kafka

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Every Kafka since 0.11 is read as well as its requests allow: a request in a
// version that a broker lacks would close the connection without a word.
func TestKafkaVersions(t *testing.T) {
	for name, v := range map[string]*kversion.Versions{
		"0.11": kversion.V0_11_0(),
		"1.0":  kversion.V1_0_0(),
		"2.2":  kversion.V2_2_0(),
		"2.4":  kversion.V2_4_0(),
		"2.8":  kversion.V2_8_0(),
		"3.0":  kversion.V3_0_0(),
		"3.7":  kversion.V3_7_0(),
		"4.0":  kversion.V4_0_0(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{MaxVersions: v})
			more := groupsOn(c, 1, "more", 4)
			for _, g := range more {
				commit(t, c, g, "orders", 0, 0)
			}
			client, wire := startClient(t, c, Options{Configs: true})
			for range 2 {
				s := poll(t, client)
				if len(s.Problems) > 0 || len(s.Groups) != 7 || len(configs(s)) != 1 {
					t.Fatalf("problems %v, groups %d", problems(s), len(s.Groups))
				}
				s.Groups = slices.DeleteFunc(s.Groups, func(g snapshot.Group) bool { return slices.Contains(more, g.ID) })
				check(t, s, trioLines(groups, -1)...)
				if max, _ := v.LookupMaxKeyVersion(int16(kmsg.Metadata)); s.Topics[0].ID.Known() != (max >= 10) {
					t.Errorf("topic id %x", s.Topics[0].ID)
				}
			}
			for _, k := range wire.reset() {
				if limit, ok := v.LookupMaxKeyVersion(k.req.Key()); k.api() != "ApiVersions" && (!ok || k.req.GetVersion() > limit) {
					t.Errorf("%s v%d was sent", k.api(), k.req.GetVersion())
				}
			}
		})
	}
}

// Before Kafka 3.0 one OffsetFetch is needed for each group; the others stay
// batched.
func TestOldOffsetFetch(t *testing.T) {
	c, _ := trio(t, lab.Options{MaxVersions: kversion.V2_8_0()})
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.reset()
	poll(t, client)
	if sent := requests(wire.reset()); sent["OffsetFetch"] != 3 || total(sent) != 4*3+1 {
		t.Errorf("requests %v", sent)
	}
}

// A Kafka that is too old is named as such, not as unreachable.
func TestTooOld(t *testing.T) {
	c, err := lab.Start(lab.Options{Brokers: 1, MaxVersions: kversion.V0_10_2()})
	must(t, err)
	t.Cleanup(c.Close)
	client, _ := startClient(t, c, Options{})
	s, err := client.Poll(testContext(t))
	if err == nil || len(s.Problems) == 0 || s.Problems[0].Reason != snapshot.ReasonUnsupported {
		t.Fatalf("%v, %v", err, problems(s))
	}
	checkLine(t, err.Error())
}

// apiVersions makes an alteration of what one broker says it speaks.
func apiVersions(addr string, on *atomic.Bool, f func(*kmsg.ApiVersionsResponse)) func(*call, kmsg.Response) {
	return func(k *call, resp kmsg.Response) {
		if r, ok := resp.(*kmsg.ApiVersionsResponse); ok && k.addr == addr && on.Load() {
			f(r)
		}
	}
}

func lacking(key kmsg.Key) func(*kmsg.ApiVersionsResponse) {
	return func(r *kmsg.ApiVersionsResponse) {
		r.ApiKeys = slices.DeleteFunc(r.ApiKeys, func(k kmsg.ApiVersionsResponseApiKey) bool { return k.ApiKey == int16(key) })
	}
}

func capped(limits map[kmsg.Key]int16) func(*kmsg.ApiVersionsResponse) {
	return func(r *kmsg.ApiVersionsResponse) {
		for i := range r.ApiKeys {
			if limit, ok := limits[kmsg.Key(r.ApiKeys[i].ApiKey)]; ok {
				r.ApiKeys[i].MaxVersion = min(limit, r.ApiKeys[i].MaxVersion)
			}
		}
	}
}

func enabled() *atomic.Bool {
	var on atomic.Bool
	on.Store(true)
	return &on
}

// What a broker lacks costs what it would have told; the broker itself is not
// silent, and its other answers count.
func TestBrokerLacksAnAPI(t *testing.T) {
	for _, test := range []struct {
		api  kmsg.Key
		want func(groups [3]string) []string
	}{
		{kmsg.ListGroups, func(g [3]string) []string {
			return append(wantGroup(g, 1), "problem list_groups unsupported broker=1 ×1")
		}},
		{kmsg.DescribeGroups, func(g [3]string) []string {
			return append(wantGroup(g, 1, groupLine(g, 1, "classic / empty"), "  members=?", "  committed orders 1=2"),
				"problem describe_groups unsupported broker=1 ×1")
		}},
		{kmsg.OffsetFetch, func(g [3]string) []string {
			return append(wantGroup(g, 1, groupLine(g, 1, "classic / empty"), "  commits=?"),
				"problem fetch_offsets unsupported broker=1 ×1")
		}},
		{kmsg.ListOffsets, func(g [3]string) []string {
			list := trioLines(g, -1)
			list[2] = "  1 leader=1 ?..?"
			return append(list, "problem list_offsets unsupported broker=1 ×1")
		}},
	} {
		t.Run(kmsg.NameForKey(int16(test.api)), func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{})
			client, wire := startClient(t, c, Options{})
			wire.onAnswer(apiVersions(c.Addrs()[1], enabled(), lacking(test.api)))
			for range 2 {
				s := poll(t, client)
				check(t, s, test.want(groups)...)
				if !s.Brokers[1].Answered.Or(false) {
					t.Error("the broker counts as silent")
				}
			}
		})
	}
}

// versionsAt is the versions in which an API was asked for at an address.
func versionsAt(calls []*call, addr string, key kmsg.Key) (list []int16) {
	for _, k := range ofAPI(calls, key) {
		if v := k.req.GetVersion(); k.addr == addr && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

var old = map[kmsg.Key]int16{kmsg.ListGroups: 3, kmsg.DescribeGroups: 4, kmsg.OffsetFetch: 7, kmsg.ListOffsets: 5, kmsg.Metadata: 8}

// In a rolling upgrade brokers speak different versions: each is asked in its
// own.
func TestMixedVersions(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	wire.onAnswer(apiVersions(c.Addrs()[1], enabled(), capped(old)))
	check(t, poll(t, client), trioLines(groups, -1)...)
	calls := wire.reset()
	for key, limit := range old {
		if key == kmsg.Metadata {
			continue
		}
		if v := versionsAt(calls, c.Addrs()[1], key); !slices.Equal(v, []int16{limit}) {
			t.Errorf("%s at the old broker in %v", kmsg.NameForKey(int16(key)), v)
		}
		if v := versionsAt(calls, c.Addrs()[2], key); !slices.Equal(v, []int16{wiretest.Newest[key]}) {
			t.Errorf("%s at a new broker in %v", kmsg.NameForKey(int16(key)), v)
		}
	}
}

// A broker that is upgraded between polls is asked for its versions anew,
// whether it closed its connections or just went silent: asked as the old one
// it would list consumer-protocol groups without their type.
func TestUpgradeBetweenPolls(t *testing.T) {
	for name, restart := range map[string]func(*lab.Cluster, *tap, *Client){
		"closes": func(c *lab.Cluster, w *tap, _ *Client) { w.cut(c.Addrs()[1]) },
		"silent": func(c *lab.Cluster, _ *tap, client *Client) {
			_ = c.SetLink(1, lab.LinkHung)
			_, _ = client.Poll(context.Background())
			_ = c.SetLink(1, lab.LinkUp)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{})
			client, wire := startClient(t, c, Options{RequestTimeout: time.Second})
			isOld := enabled()
			wire.onAnswer(apiVersions(c.Addrs()[1], isOld, capped(old)))
			poll(t, client)
			isOld.Store(false)
			restart(c, wire, client)
			wire.reset()
			check(t, poll(t, client), trioLines(groups, -1)...)
			if v := versionsAt(wire.reset(), c.Addrs()[1], kmsg.DescribeGroups); !slices.Equal(v, []int16{wiretest.Newest[kmsg.DescribeGroups]}) {
				t.Errorf("after the upgrade: %v", v)
			}
		})
	}
}

// Kafka 3.7 has groups of the consumer protocol and a listing that tells no
// types: taken for a classic group, such a one does not exist there.
func TestConsumerGroupWithoutAType(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 2}})
	consume(t, c, lab.ConsumerSpec{Group: "modern", Topics: []string{"orders"}, Protocol: lab.ProtocolConsumer, NeverCommit: true})
	assigned(t, c, "modern", 1, 2)
	commit(t, c, "plain", "orders", 0, 0)
	client, wire := startClient(t, c, Options{})
	wire.onAnswer(both(apiVersions(c.Addrs()[0], enabled(), capped(map[kmsg.Key]int16{kmsg.ListGroups: 4, kmsg.DescribeGroups: 5})),
		func(_ *call, resp kmsg.Response) {
			r, ok := resp.(*kmsg.DescribeGroupsResponse)
			for i := 0; ok && i < len(r.Groups); i++ {
				if r.Groups[i].Group == "modern" { // kfake describes it as an empty one
					r.Groups[i] = kmsg.DescribeGroupsResponseGroup{Group: "modern", State: "Dead"}
				}
			}
		}))
	for range 2 {
		s := poll(t, client)
		g, _ := s.Group("modern")
		m, _ := g.Members.Get()
		if plain, _ := s.Group("plain"); g.Type != snapshot.TypeConsumer || len(m.List) != 1 || !g.Commits.Known() || plain.Type != snapshot.TypeClassic || len(s.Problems) > 0 {
			t.Errorf("groups %+v, problems %v", s.Groups, problems(s))
		}
	}
}
