package collector

import (
	"fmt"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// large is a poll of groups with 50 partitions each, five on each of ten topics:
// the last commits and ends of each poll differ.
func large(groups int, sec float64) *snapshot.Snapshot {
	var all []part
	topics := max(1, groups*50/2/10)
	for t := range topics {
		logs := make([]snapshot.Partition, 10)
		for i := range logs {
			logs[i] = ends(100, int64(1_000_000+t*1000+i)+int64(sec)*10)
		}
		all = append(all, logOf(fmt.Sprintf("topic-%06d", t), 1, logs...))
	}
	for g := range groups {
		var list []snapshot.TopicCommits
		var owned [4][]snapshot.TopicPartitions
		for t := range 5 {
			name := fmt.Sprintf("topic-%06d", (g*5+t)%topics)
			list = append(list, on(name, offsets(10, int64(999_000+g)+int64(sec)*9)...))
			for m := range owned {
				owned[m] = append(owned[m], owns(name, []int32{int32(m), int32(m + 4), int32(m + 8)}[:2+(5-m)/4]...))
			}
		}
		var ms []snapshot.Member
		for m, o := range owned {
			ms = append(ms, member(fmt.Sprintf("member-%d", m), o...))
		}
		all = append(all, groupOf(fmt.Sprintf("group-%06d", g), members(ms...), commits(list...)))
	}
	return poll(sec, all...)
}

func offsets(n int, from int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = from + int64(i)
	}
	return list
}

var sizes = []int{200, 2000}

// What a poll costs beside reading: the view of it, with what is estimated, and without
// why groups lag; they all do.
func BenchmarkView(b *testing.B) {
	for _, groups := range sizes {
		benchmarkView(b, fmt.Sprintf("pairs=%d", groups*50), groups, true)
		benchmarkView(b, fmt.Sprintf("pairs=%d/no_conditions", groups*50), groups, false)
	}
}

func benchmarkView(b *testing.B, name string, groups int, reasons bool) {
	b.Run(name, func(b *testing.B) {
		w, sec := newStory(), 0.0
		w.estimates.reasons = reasons
		next := func() *snapshot.Snapshot {
			sec += 10
			return large(groups, sec)
		}
		for range 30 {
			w.take(next(), nil)
		}
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			s := next()
			b.StartTimer()
			w.take(s, nil)
		}
	})
}

// The text of a page, beside a copy of the same bytes: the least that it can be.
func BenchmarkPage(b *testing.B) {
	for _, groups := range sizes {
		w := newStory()
		w.take(large(groups, 0), nil)
		at := &moment{build: testBuild, views: []*View{w.v}}
		size := 0
		b.Run(fmt.Sprintf("pairs=%d/write", groups*50), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := counted(0)
				text := page.NewText(&n)
				at.write(text)
				_ = text.Flush()
				size = int(n)
			}
			b.SetBytes(int64(size))
		})
		b.Run(fmt.Sprintf("pairs=%d/copy", groups*50), func(b *testing.B) {
			from, to := make([]byte, size), make([]byte, size)
			for b.Loop() {
				copy(to, from)
			}
			b.SetBytes(int64(size))
		})
	}
}

// counted is a writer that counts.
type counted int

func (n *counted) Write(b []byte) (int, error) {
	*n += counted(len(b))
	return len(b), nil
}

// A scrape of a page that is there.
func BenchmarkSameView(b *testing.B) {
	w := New(nil, Options{Cluster: "main", Interval: time.Hour})
	w.view.Store(assemble(w.View(), large(200, 0), nil, time.Now(), w.rules))
	p := NewPublisher(testBuild, w)
	b.ReportAllocs()
	for b.Loop() {
		p.Page()
	}
}
