package kafka

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// liar replaces answers of one broker to one API by a body that it made up.
type liar struct {
	addr string
	api  kmsg.Key
	lies map[int16][]byte // by version of the API

	mu    sync.Mutex
	asked map[int32]kmsg.Response // by correlation id
	told  int
}

func (l *liar) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := dialTCP(ctx, network, addr)
	if err != nil || addr != l.addr {
		return conn, err
	}
	return &liarConn{Conn: conn, liar: l}, nil
}

func (l *liar) request(k *call) verdict {
	if k.addr == l.addr && !k.own && k.req.Key() == int16(l.api) {
		of := k.req.ResponseKind()
		of.SetVersion(k.req.GetVersion())
		l.mu.Lock()
		l.asked[k.correlation] = of
		l.mu.Unlock()
	}
	return pass
}

func (l *liar) answer(frame []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	of, ok := l.asked[int32(binary.BigEndian.Uint32(frame[4:]))]
	if !ok {
		return frame
	}
	l.told++
	body := slices.Clone(frame[4:8])
	if of.IsFlexible() && l.api != kmsg.ApiVersions {
		body = append(body, 0)
	}
	body = append(body, l.lies[of.GetVersion()]...)
	return wiretest.AppendFrame(nil, body)
}

// liarConn reads whole answers and passes them on, true or not.
type liarConn struct {
	net.Conn
	liar *liar
	out  []byte
}

func (c *liarConn) Read(b []byte) (int, error) {
	if len(c.out) == 0 {
		frame, err := wiretest.ReadFrame(c.Conn)
		if err != nil {
			return 0, err
		}
		c.out = c.liar.answer(frame)
	}
	n := copy(b, c.out)
	c.out = c.out[n:]
	return n, nil
}

// cutShort is an answer with n elements, as small as there are, in its innermost
// list, but for its last byte. kmsg would make structs of all, and maps of the
// tags that each has, until it finds that the byte is missing.
func cutShort(api kmsg.Key, version int16, n int) []byte {
	var tags kmsg.Tags
	tags.Set(100, nil)
	of := kmsg.ResponseForKey(int16(api))
	of.SetVersion(version)
	switch r := of.(type) {
	case *kmsg.ApiVersionsResponse:
		r.ApiKeys = slices.Repeat([]kmsg.ApiVersionsResponseApiKey{{UnknownTags: tags}}, n)
	case *kmsg.ListGroupsResponse:
		r.Groups = slices.Repeat([]kmsg.ListGroupsResponseGroup{{UnknownTags: tags}}, n)
	case *kmsg.DescribeGroupsResponse:
		members := slices.Repeat([]kmsg.DescribeGroupsResponseGroupMember{{UnknownTags: tags}}, n)
		r.Groups = []kmsg.DescribeGroupsResponseGroup{{Members: members}}
	case *kmsg.OffsetFetchResponse:
		partitions := slices.Repeat([]kmsg.OffsetFetchResponseGroupTopicPartition{{UnknownTags: tags}}, n)
		r.Groups = []kmsg.OffsetFetchResponseGroup{{Topics: []kmsg.OffsetFetchResponseGroupTopic{{Partitions: partitions}}}}
	case *kmsg.ListOffsetsResponse:
		partitions := slices.Repeat([]kmsg.ListOffsetsResponseTopicPartition{{UnknownTags: tags}}, n)
		r.Topics = []kmsg.ListOffsetsResponseTopic{{Partitions: partitions}}
	}
	b := of.AppendTo(nil)
	return b[:len(b)-1]
}

// A broker that lies about lengths costs what it alone knows, is named, and
// takes little memory; all others are read as ever, and it is, too, as soon as
// it tells the truth.
func TestLyingBroker(t *testing.T) {
	for _, api := range []kmsg.Key{kmsg.ApiVersions, kmsg.ListGroups, kmsg.DescribeGroups, kmsg.OffsetFetch, kmsg.ListOffsets} {
		for name, n := range map[string]int{"large and cut short": 150_000, "cut short": 1} {
			t.Run(api.Name()+" "+name, func(t *testing.T) {
				c, groups := trio(t, lab.Options{})
				newest := wiretest.Newest[api] // or, for ApiVersions, 0 where that fails
				lies := map[int16][]byte{0: cutShort(api, 0, n), newest: cutShort(api, newest, n)}
				l := &liar{addr: c.Addrs()[1], api: api, lies: lies, asked: map[int32]kmsg.Response{}}
				client, tapped := newClient(t, Options{Dial: l.dial}, c.Addrs()[0])
				poll(t, client)
				tapped.onRequest(l.request)
				tapped.cut(l.addr)
				var s *snapshot.Snapshot
				took := wiretest.Allocates(func() { s = poll(t, client) })
				// Reading a lie takes twice its size, passing it on here
				// another four times. It is never decoded.
				if limit := uint64(l.told*7*len(lies[newest]) + 4<<20); took > limit {
					t.Errorf("%d lies of %d KiB took %d KiB", l.told, len(lies[newest])>>10, took>>10)
				}
				t.Logf("%d lies of %d KiB took %d KiB", l.told, len(lies[newest])>>10, took>>10)
				checkLied(t, s, groups, api)
				tapped.onRequest(nil)
				check(t, poll(t, client), trioLines(groups, -1)...)
			})
		}
	}
}

// checkLied checks a snapshot to which broker 1 gave what it was asked before it
// was asked api, and nothing after.
func checkLied(t *testing.T, s *snapshot.Snapshot, groups [3]string, api kmsg.Key) {
	t.Helper()
	want := trioLines(groups, -1)
	want[2] = "  1 leader=1 0..?" // the start is known from before
	at := slices.Index(want, "  committed orders 1=2")
	stages := []snapshot.Stage{snapshot.StageListOffsets}
	switch api {
	case kmsg.ApiVersions, kmsg.ListGroups:
		want = slices.Replace(want, at-1, at+1, unreadGroup(groups[1])...)
		want = append(want, "problem list_groups malformed broker=1 ×1", "problem describe_groups unavailable group="+groups[1]+" ×1")
	case kmsg.DescribeGroups:
		want = slices.Replace(want, at, at+1, "  members=?", "  commits=?")
		stages = []snapshot.Stage{snapshot.StageDescribeGroups, snapshot.StageFetchOffsets, snapshot.StageListOffsets}
	case kmsg.OffsetFetch:
		want[at] = "  commits=?"
		stages = []snapshot.Stage{snapshot.StageFetchOffsets, snapshot.StageListOffsets}
	}
	for _, stage := range stages {
		want = append(want, fmt.Sprintf("problem %s malformed broker=1 ×1", stage))
	}
	check(t, s, want...)
	for _, p := range s.Problems {
		checkLine(t, p.Detail)
	}
}
