//go:build !breaking && !soak

package integration

import "github.com/lagwatch/lagwatch/internal/testkafka"

// fourCheck compares pages with readings.
type fourCheck struct {
	*four
	pages, values, moving, lagged int
	shareWidth                    int64 // of all brackets of share lags
	shareValues                   int
}

func (c *fourCheck) page(p *page, before, after testkafka.Positions) {
	c.t.Helper()
	c.pages++
	ends := p.offsets(endOf, labels{})
	for group, places := range c.committing() {
		committed, lag := p.groupOffsets(committedOf, group), p.groupOffsets(lagOf, group)
		for _, at := range places {
			c.within(group+" committed", at, committed, before.Committed[group][at], after.Committed[group][at])
			c.within(group+" end", at, ends, before.FirstEnds[at], after.LastEnds[at])
			if n, ok := lag[at]; !ok || n != max(0, ends[at]-committed[at]) {
				c.t.Errorf("%s at %v: lag %d (%v), but end %d − committed %d", group, at, n, ok, ends[at], committed[at])
			}
			if lag[at] > 0 {
				c.lagged++
			}
		}
		c.sum(p, group, lag)
	}
	starts, lag := p.groupOffsets(shareStartOf, c.share), p.groupOffsets(lagOf, c.share)
	was, is := before.Share[c.share], after.Share[c.share]
	for _, at := range c.places {
		c.within("share start", at, starts, was.Starts[at], is.Starts[at])
		// What is done, end − lag, only grows. Each reading bounds it by the
		// ends before and after; so it is bounded during the poll.
		least, most := before.FirstEnds[at]-was.Lags[at], after.LastEnds[at]-is.Lags[at]
		low, high := max(0, before.LastEnds[at]-most), after.FirstEnds[at]-least
		c.within("share lag", at, lag, low, high)
		c.shareWidth, c.shareValues = c.shareWidth+high-low, c.shareValues+1
	}
	c.sum(p, c.share, lag)
}

// within checks that a value lies between two readings.
func (c *fourCheck) within(what string, at testkafka.TopicPartition, got testkafka.Offsets, low, high int64) {
	c.t.Helper()
	n, ok := got[at]
	if c.values++; !ok || n < low || n > high {
		c.t.Errorf("%s at %v is %d (known: %v); Kafka allows %d to %d", what, at, n, ok, low, high)
	}
	if low != high {
		c.moving++
	}
}

func (c *fourCheck) sum(p *page, group string, lag testkafka.Offsets) {
	c.t.Helper()
	total := int64(0)
	for _, n := range lag {
		total += n
	}
	if !p.shows(float64(total), "lagwatch_group_lag", labels{"group": group}) {
		c.t.Errorf("%s: group_lag is not the sum %d of its partitions", group, total)
	}
}

func (c *fourCheck) report() {
	c.t.Helper()
	c.t.Logf("%d polls compared, %d values, %d of them moving meanwhile, %d with lag; share lags were known to %.0f offsets",
		c.pages, c.values, c.moving, c.lagged, float64(c.shareWidth)/float64(c.shareValues))
	if c.moving == 0 || c.lagged == 0 {
		c.t.Error("nothing moved: there was no load")
	}
}
