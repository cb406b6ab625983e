package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/lagwatch/lagwatch/collector/kafka"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/internal/testkafka"
)

var began = time.Now()
var mu sync.Mutex

func say(f string, a ...any) {
	mu.Lock()
	defer mu.Unlock()
	fmt.Printf("%7.2f "+f+"\n", append([]any{time.Since(began).Seconds()}, a...)...)
}
func must(err error) {
	if err != nil {
		say("ERR %v", err)
	}
}

func describe(g *snapshot.Group) string {
	var b strings.Builder
	gen := "-"
	if v, ok := g.Generation.Get(); ok {
		gen = fmt.Sprint(v)
	}
	co, _ := g.Coordinator.Get()
	fmt.Fprintf(&b, "%s %s gen=%s co=%d", g.Type, g.State, gen, co)
	if m, ok := g.Members.Get(); ok {
		fmt.Fprintf(&b, " assigned=%t", m.Assigned)
		for _, x := range m.List {
			n := ""
			for _, t := range x.Assignment {
				n += t.Topic[:1] + fmt.Sprint(t.Partitions)
			}
			fmt.Fprintf(&b, " %s(%s%s)%s", short(x.ClientID), x.ID[max(0, len(x.ID)-4):], x.InstanceID, n)
		}
	} else {
		b.WriteString(" members?")
	}
	return b.String()
}
func short(s string) string { return strings.ReplaceAll(s, "StreamThread", "T") }

func poll(ctx context.Context, c *testkafka.Cluster) {
	k, err := kafka.New(kafka.Options{Brokers: c.Bootstrap(), Interval: time.Second, RequestTimeout: 900 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	last := map[string]string{}
	lastErr := ""
	for ctx.Err() == nil {
		lim, cancel := context.WithTimeout(ctx, 900*time.Millisecond)
		s, err := k.Poll(lim)
		cancel()
		e := fmt.Sprint(err)
		for _, p := range s.Problems {
			e += fmt.Sprintf(" | %v", p)
		}
		if len(e) > 300 {
			e = e[:300]
		}
		if e != lastErr {
			say("PROBLEMS %s", e)
			lastErr = e
		}
		if err == nil {
			seen := map[string]bool{}
			for i := range s.Groups {
				g := &s.Groups[i]
				seen[g.ID] = true
				if d := describe(g); d != last[g.ID] {
					say("  poll %-9s %s", g.ID, d)
					last[g.ID] = d
				}
			}
			for id := range last {
				if !seen[id] {
					say("  poll %-9s GONE", id)
					delete(last, id)
				}
			}
		}
		time.Sleep(250 * time.Millisecond)
	}
}

func events(ctx context.Context, d *testkafka.Driver) {
	n := 0
	for ctx.Err() == nil {
		e, at, err := d.WaitEvent(ctx, n, func(testkafka.Event) bool { return true })
		if err != nil {
			return
		}
		n = at + 1
		gen := "-"
		if e.Generation != nil {
			gen = fmt.Sprint(*e.Generation)
		}
		as := ""
		for _, p := range e.Assignment {
			as += fmt.Sprint(" ", p.Topic[:1], p.Partition)
		}
		say("     EV %-9s %s %v gen=%s id=%s [%s] %s", e.Group, short(e.Consumer), e.Kind, gen, e.MemberID[max(0, len(e.MemberID)-4):], as, e.Error)
	}
}

func main() {
	ctx := context.Background()
	c, err := testkafka.Start(ctx, testkafka.Options{Dir: os.Args[2]})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	d, err := c.Driver(ctx)
	if err != nil {
		log.Fatal(err)
	}
	pctx, stop := context.WithCancel(ctx)
	defer stop()
	must(d.CreateTopic(ctx, testkafka.TopicSpec{Name: "top", Partitions: 6, Replicas: 3}))
	must(d.CreateTopic(ctx, testkafka.TopicSpec{Name: "out", Partitions: 1, Replicas: 3}))
	must(d.StartProducer(ctx, testkafka.ProducerSpec{ID: "p", Topic: "top", Rate: 100}))
	go poll(pctx, c)
	go events(pctx, d)
	join := func(group, id string, p testkafka.Protocol, inst string) {
		must(d.StartConsumer(ctx, testkafka.ConsumerSpec{ID: id, Group: group, Topics: []string{"top"}, Protocol: p, InstanceID: inst, Session: ses(p)}))
	}
	leave := func(id string) { must(d.CloseConsumer(ctx, id)) }
	pause := func(s float64, what string) { say("---- %s", what); time.Sleep(time.Duration(s * float64(time.Second))) }
	types := []struct {
		g string
		p testkafka.Protocol
	}{{"range", testkafka.ClassicRange}, {"coop", testkafka.ClassicCooperative}, {"cons", testkafka.Consumer}, {"share", testkafka.Share}}
	each := func(j, l string) {
		for _, t := range types {
			if j != "" {
				join(t.g, t.g+"-"+j, t.p, "")
			}
			if l != "" {
				leave(t.g + "-" + l)
			}
		}
		if j != "" {
			must(d.StartStreams(ctx, testkafka.StreamsSpec{ID: "s" + j, Application: "streams", Input: "top", Output: "out"}))
		}
		if l != "" {
			must(d.StopStreams(ctx, "s"+l))
		}
	}
	mode := os.Args[1]
	if strings.Contains(mode, "z") {
		join("str", "str-a", testkafka.ClassicRange, "ia")
		pause(4, "a")
		join("str", "str-b", testkafka.ClassicRange, "ib")
		pause(4, "b")
		leave("str-b")
		join("str", "str-b2", testkafka.ClassicRange, "ib")
		pause(5, "b2 quick")
		for range 3 {
		r, err := d.DescribeGroups(ctx, "str")
		must(err)
		say("%+v", r.Value["str"].Members)
		pause(2,"")
		}
		leave("str-b2")
		pause(4, "b2 gone")
		join("str", "str-b3", testkafka.ClassicRange, "ib")
		pause(5, "b3")
	}
	if strings.Contains(mode, "q") {
		st := func(id string) {
			must(d.StartStreams(ctx, testkafka.StreamsSpec{ID: "s" + id, Application: "streams", Input: "top", Output: "out"}))
			join("share", "share-"+id, testkafka.Share, "")
		}
		st("a")
		pause(10, "a")
		st("b")
		pause(8, "b")
		must(d.StopStreams(ctx, "sa"))
		leave("share-a")
		pause(6, "a left")
	}
	if strings.Contains(mode, "t") {
		each("a", "")
		pause(12, "a joined")
		each("b", "")
		pause(12, "b joined")
		each("", "a")
		pause(10, "a left")
		each("c", "")
		pause(12, "c joined")
		if strings.Contains(mode, "k") {
			r, err := d.DescribeGroups(ctx, "range", "coop", "cons")
			must(err)
			for g, v := range r.Value {
				say("co %s %d", g, v.Coordinator)
			}
			b := r.Value["cons"].Coordinator
			must(c.Kill(b))
			pause(40, fmt.Sprint("killed ", b))
			must(c.StartBroker(ctx, b))
			pause(15, "restarted")
		}
		each("", "b")
		pause(10, "b left")
		each("", "c")
		pause(8, "c left: empty")
	}
	if strings.Contains(mode, "s") {
		for _, p := range []testkafka.Protocol{testkafka.ClassicRange, testkafka.Consumer} {
			g := "st" + string(p)[:1]
			join(g, g+"-a", p, "ia")
			time.Sleep(3 * time.Second)
			join(g, g+"-b", p, "ib")
		}
		pause(10, "static joined")
		for _, g := range []string{"str", "stc"} {
			leave(g + "-b")
		}
		pause(4, "static b closed")
		for _, p := range []testkafka.Protocol{testkafka.ClassicRange, testkafka.Consumer} {
			g := "st" + string(p)[:1]
			join(g, g+"-b2", p, "ib")
		}
		pause(12, "static b back")
		for _, g := range []string{"str", "stc"} {
			leave(g + "-a")
		}
		pause(4, "static a closed")
		for _, p := range []testkafka.Protocol{testkafka.ClassicRange, testkafka.Consumer} {
			g := "st" + string(p)[:1]
			join(g, g+"-a", p, "ia")
		}
		pause(12, "static a back")
	}
	if strings.Contains(mode, "m") {
		for _, t := range []struct {
			g string
			p testkafka.Protocol
		}{{"mr", testkafka.ClassicRange}, {"mc", testkafka.ClassicCooperative}} {
			join(t.g, t.g+"-a", t.p, "")
		}
		pause(6, "m a classic")
		for _, t := range []struct {
			g string
			p testkafka.Protocol
		}{{"mr", testkafka.ClassicRange}, {"mc", testkafka.ClassicCooperative}} {
			join(t.g, t.g+"-b", t.p, "")
		}
		pause(10, "m b classic")
		for _, g := range []string{"mr", "mc"} {
			leave(g + "-a")
		}
		pause(6, "m a left")
		for _, g := range []string{"mr", "mc"} {
			join(g, g+"-a2", testkafka.Consumer, "")
		}
		pause(14, "m a2 consumer joined (mixed)")
		for _, g := range []string{"mr", "mc"} {
			leave(g + "-b")
		}
		pause(8, "m b left: all consumer")
		for _, g := range []string{"mr", "mc"} {
			join(g, g+"-b2", testkafka.Consumer, "")
		}
		pause(12, "m b2 consumer joined")
		// back
		join("mr", "mr-c", testkafka.ClassicRange, "")
		join("mc", "mc-c", testkafka.ClassicCooperative, "")
		pause(14, "m c classic joined a consumer group")
		for _, g := range []string{"mr", "mc"} {
			leave(g + "-a2")
			leave(g + "-b2")
		}
		pause(14, "m a2 b2 left: only classic members: downgraded")
	}
	say("end")
}

func ses(p testkafka.Protocol) time.Duration {
	if p == testkafka.ClassicRange || p == testkafka.ClassicCooperative {
		return 10 * time.Second
	}
	return 0
}
