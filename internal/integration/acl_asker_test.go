//go:build !breaking && !soak

package integration

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"github.com/twmb/franz-go/pkg/sasl/plain"
)

// asker sends single requests as one user, to every broker.
type asker struct {
	*secured
	client *kgo.Client
}

func (s *secured) askAs(user string) asker {
	s.t.Helper()
	return s.asking(s.cluster.BootstrapOf(onSASL), kgo.SASL(plain.Auth{User: user, Pass: passwordOf(user)}.AsMechanism()))
}

func (s *secured) asking(brokers []string, options ...kgo.Opt) asker {
	s.t.Helper()
	versions := kversion.Stable()
	versions.SetMaxKeyVersion(int16(kmsg.OffsetFetch), 9) // lagwatch's; 10 has ids in place of names
	cl := must(kgo.NewClient(append(options, kgo.SeedBrokers(brokers...), kgo.MaxVersions(versions))...))(s.t)
	s.t.Cleanup(cl.Close)
	return asker{s, cl}
}

// ask sends a request to every broker.
func ask[R kmsg.Response](a asker, req kmsg.Request) []R {
	a.t.Helper()
	var list []R
	for id := range a.cluster.Bootstrap() {
		resp, err := a.client.Broker(id+1).Request(a.ctx, req)
		a.must(err)
		list = append(list, resp.(R))
	}
	return list
}

// coded is something an answer names, with its error code.
type coded struct {
	name string
	code int16
}

// shown lists what answers name, sorted, each once; what a broker that is not
// the coordinator says is left out.
func shown(list []coded) string {
	const notCoordinator = 16
	list = slices.DeleteFunc(list, func(c coded) bool { return c.code == notCoordinator })
	slices.SortFunc(list, func(a, b coded) int { return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.code, b.code)) })
	var parts []string
	for _, c := range slices.Compact(list) {
		if c.code != 0 {
			c.name += fmt.Sprintf("!%d", c.code)
		}
		parts = append(parts, c.name)
	}
	return strings.Join(parts, " ")
}

func (a asker) metadata(topics []string) string {
	a.t.Helper()
	req := kmsg.NewPtrMetadataRequest()
	for _, name := range topics {
		req.Topics = append(req.Topics, kmsg.MetadataRequestTopic{Topic: &name})
	}
	var list []coded
	for _, resp := range ask[*kmsg.MetadataResponse](a, req) {
		for _, t := range resp.Topics {
			if strings.HasPrefix(*t.Topic, "asked-") {
				list = append(list, coded{*t.Topic, t.ErrorCode})
			}
		}
	}
	return shown(list)
}

func (a asker) listGroups() string {
	a.t.Helper()
	var list []coded
	for _, resp := range ask[*kmsg.ListGroupsResponse](a, kmsg.NewPtrListGroupsRequest()) {
		if resp.ErrorCode != 0 {
			list = append(list, coded{"", resp.ErrorCode})
		}
		for _, g := range resp.Groups {
			if strings.HasPrefix(g.Group, "asked-") {
				list = append(list, coded{g.Group, 0})
			}
		}
	}
	return shown(list)
}

func (a asker) describeClassic(groups ...string) string {
	a.t.Helper()
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = groups
	var list []coded
	for _, resp := range ask[*kmsg.DescribeGroupsResponse](a, req) {
		for _, g := range resp.Groups {
			list = append(list, members(g.Group, len(g.Members), g.ErrorCode))
		}
	}
	return shown(list)
}

func (a asker) describeConsumer(groups ...string) string {
	a.t.Helper()
	req := kmsg.NewPtrConsumerGroupDescribeRequest()
	req.Groups = groups
	var list []coded
	for _, resp := range ask[*kmsg.ConsumerGroupDescribeResponse](a, req) {
		for _, g := range resp.Groups {
			list = append(list, members(g.Group, len(g.Members), g.ErrorCode))
		}
	}
	return shown(list)
}

func (a asker) describeShare(groups ...string) string {
	a.t.Helper()
	req := kmsg.NewPtrShareGroupDescribeRequest()
	req.GroupIDs = groups
	var list []coded
	for _, resp := range ask[*kmsg.ShareGroupDescribeResponse](a, req) {
		for _, g := range resp.Groups {
			list = append(list, members(g.GroupID, len(g.Members), g.ErrorCode))
		}
	}
	return shown(list)
}

func (a asker) describeStreams(groups ...string) string {
	a.t.Helper()
	req := kmsg.NewPtrStreamsGroupDescribeRequest()
	req.Groups = groups
	var list []coded
	for _, resp := range ask[*kmsg.StreamsGroupDescribeResponse](a, req) {
		for _, g := range resp.Groups {
			list = append(list, members(g.Group, len(g.Members), g.ErrorCode))
		}
	}
	return shown(list)
}

// members names a group with the number of its members, where it has any.
func members(group string, n int, code int16) coded {
	if n > 0 {
		group += fmt.Sprintf("(%d)", n)
	}
	return coded{group, code}
}
