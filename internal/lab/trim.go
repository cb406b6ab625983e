package lab

import "time"

// A lab that runs for days must not grow. What a partition keeps is
//
//   - what its group has not committed, plus keepBehind records,
//   - and never more than keepPerPartition records, whoever has read them.
//
// The second rule would make a group that is far behind lose records, so the
// scenes that fall behind recover before (see reliefAt). kfake frees the
// bytes of a log by segments of log.segment.bytes (64 KiB in the lab), and
// keeps those that are trimmed until it makes its list of them anew, which
// doubles: a partition is at most its kept records, what is produced in
// trimEvery, and as much again, in buffers of up to twice the size. Smaller
// segments help little, as more of them are kept. Of fetch sessions that
// clients left behind it keeps 1000 of a broker. Everything else that grows
// with time belongs to connections, members and producers, of which the scenes
// make a fixed number; the one that comes and goes takes its own with it.
const (
	keepPerPartition = 6000
	keepBehind       = 500
	trimEvery        = 5 * time.Second

	// reliefAt is the lag of one partition at which a scene recovers: far
	// enough below keepPerPartition that nothing is lost.
	reliefAt = 4000

	// reliefUntil is the lag of every partition at which the trouble of a
	// scene starts again.
	reliefUntil = 100

	reliefEvery = 2 * time.Second
)

// trim moves the start of a topic's partitions up. A partition without a
// commit is held by the limit alone.
func (c *Cluster) trim(topic, group string, limit int64) {
	commits := make(map[int32]int64)
	if info := c.fake.GroupInfo(group); info != nil {
		for p, commit := range info.Commits[topic] {
			commits[p] = commit.Offset
		}
	}
	for _, p := range c.fake.PartitionInfos(topic) {
		start := p.HighWatermark - limit
		if commit, ok := commits[p.Partition]; ok {
			start = max(start, commit-keepBehind)
		}
		start = min(start, p.HighWatermark) // a commit may be beyond the end
		if start <= p.LogStartOffset {
			continue
		}
		if err := c.DeleteRecords(topic, p.Partition, start); err != nil {
			c.logf("keeping the log short: %v", err)
		}
	}
}

// relief is the rhythm of a scene that falls behind: when one partition's lag
// reaches at, on is called; when no partition's lag is above until, off is
// called, and so on in turn. Both are called from one goroutine.
type relief struct {
	topic, group string
	at, until    int64
	on, off      func()
}

func (r *Running) relieve(f relief, every time.Duration) {
	relieved := false
	r.every(every, func() {
		var worst int64
		for _, lag := range r.cluster.Lag(f.group, f.topic) {
			worst = max(worst, lag)
		}
		switch {
		case !relieved && worst >= f.at:
			relieved = true
			f.on()
		case relieved && worst <= f.until:
			relieved = false
			f.off()
		}
	})
}
