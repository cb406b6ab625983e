package rates

import (
	"cmp"
	"math"
	"slices"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// point is one answer: at asked, the first record with a timestamp at or after it
// is at offset, with that stamp.
type point struct {
	asked, stamp snapshot.Instant
	offset       int64
	// order numbers the points of a log as they were learned.
	order uint32
	// depth is how many answers narrowed down to this one, in this poll; again how
	// many later ones came to the same offset.
	depth, again uint8
	// none says that there was no record: offset is where the log ended.
	none bool
}

// points are by offset, and their moments are in the same order: one was asked
// about after the stamp of the one before.
type points []point

// maxPoints bounds what is kept: enough for some groups far behind.
const maxPoints = 48

// oneStamp is how many offsets with one timestamp are a lie.
const oneStamp = 10000

// find is the index of the first point at an offset or after it.
func (ps points) find(offset int64) int {
	i, _ := slices.BinarySearchFunc(ps, offset, func(p point, o int64) int { return cmp.Compare(p.offset, o) })
	return i
}

// around are the points at or before an offset, and after it; nil for none.
func (ps points) around(offset int64) (lower, upper *point) {
	i := ps.find(offset)
	if i < len(ps) && ps[i].offset == offset {
		i++
	}
	if i > 0 {
		lower = &ps[i-1]
	}
	if i < len(ps) {
		upper = &ps[i]
	}
	return lower, upper
}

// end is the end of a log that polls saw end at an offset, and in which records
// beyond it were found since.
func (ps points) end(polled int64) int64 {
	for _, p := range ps {
		if !p.none && p.offset >= polled && p.offset+1 > polled {
			polled = p.offset + 1
		}
	}
	return polled
}

// take puts in an answer; true if it contradicts earlier ones, or shows that very
// many records have one timestamp. An answer that one after it excludes by little,
// and one that leaves out a record that was found before, only replace those: clocks
// are set, records are deleted. Too often that is a contradiction too.
func (m *memory) take(p point) (contradiction bool) {
	if m.replace(p) || m.doubts > maxDoubts {
		return true
	}
	i := m.points.find(p.offset)
	lower, upper := m.points.around(p.offset)
	for _, q := range []*point{lower, upper} {
		if q != nil {
			p.depth = max(p.depth, min(q.depth, 254)+1)
		}
	}
	m.points.number(&p)
	if i < len(m.points) && m.points[i].offset == p.offset {
		m.points[i].merge(p)
	} else {
		m.points = slices.Insert(m.points, i, p)
	}
	equal := m.points.equal(i) || m.points.equal(i+1)
	m.points.bound()
	return equal
}

// replace drops the points that an answer excludes. True if no clock and no
// deletion explains it.
func (m *memory) replace(p point) (contradiction bool) {
	m.points = slices.DeleteFunc(m.points, func(q point) bool {
		switch {
		case q.offset > p.offset && p.stamp >= q.asked:
			contradiction = contradiction || gap(p.stamp, q.asked) > late
		case q.offset < p.offset && q.stamp >= p.asked:
		case q.offset == p.offset && !q.none && !p.none && p.stamp != q.stamp:
			contradiction = contradiction || max(gap(p.stamp, q.stamp), gap(q.stamp, p.stamp)) > late
			return false
		default:
			return false
		}
		m.doubts = min(m.doubts, 254) + 1
		return true
	})
	return contradiction
}

// number gives a point its place in the order of learning.
func (ps points) number(p *point) {
	for _, q := range ps {
		p.order = max(p.order, q.order+1)
	}
}

// merge takes in another answer with the same offset.
func (p *point) merge(q point) {
	again := min(p.again, math.MaxUint8-1) + 1
	q.asked = min(p.asked, q.asked)
	if !p.none {
		q.stamp, q.none = max(p.stamp, q.stamp), false
	}
	*p, p.again = q, again
}

// bound drops the point that was learned first, if there are too many.
func (ps *points) bound() {
	if len(*ps) <= maxPoints {
		return
	}
	first := 0
	for i, p := range *ps {
		if p.order < (*ps)[first].order {
			first = i
		}
	}
	*ps = slices.Delete(*ps, first, first+1)
}

// equal tells whether a point and the one before enclose very many records with one
// timestamp.
func (ps points) equal(i int) bool {
	if i <= 0 || i >= len(ps) || ps[i-1].none {
		return false
	}
	return gap(ps[i].asked, ps[i-1].stamp) <= sameStamp && ps[i].offset-ps[i-1].offset >= oneStamp
}
