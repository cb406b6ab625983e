package ownership

import (
	"cmp"
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Identities are compared by 64 bits of a hash: all that is asked of two is whether
// they are the same, and this way no name of a member that is long gone is kept.

// identity is that of the process behind a member: a static one keeps it when it
// comes back with another member id.
func identity(m *snapshot.Member) uint64 {
	if m.InstanceID != "" {
		return hash(1, m.InstanceID)
	}
	return hash(2, m.ID)
}

// hash is FNV-1a, mixed so that sums of hashes are as good.
func hash(of uint64, s string) uint64 {
	h := uint64(14695981039346656037) ^ of
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}

// mix is the finalizer of splitmix64.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// roster is who was there, by identity, sorted.
type roster struct {
	known        bool
	list         []uint64
	joined, left int // since the last round
}

// observe takes in who is there, and tells whether that changed, and whether somebody
// stayed.
func (r *roster) observe(members []snapshot.Member) (changed, stayed bool) {
	now := make([]uint64, len(members))
	for i := range members {
		now[i] = identity(&members[i])
	}
	slices.Sort(now)
	now = slices.Compact(now)
	if !r.known {
		r.known, r.list = true, now
		return false, true
	}
	if slices.Equal(now, r.list) {
		return false, len(now) > 0
	}
	same := common(r.list, now)
	r.joined, r.left = r.joined+len(now)-same, r.left+len(r.list)-same
	r.list = now
	return true, same > 0
}

// common is how many two sorted lists have in common.
func common(a, b []uint64) (n int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n, a, b = n+1, a[1:], b[1:]
		}
	}
	return n
}

// turnover is how many came and went since it was last asked for.
func (r *roster) turnover() (joined, left int) {
	joined, left = r.joined, r.left
	r.joined, r.left = 0, 0
	return joined, left
}

// remember is how long it counts who owned the partitions of a topic that nobody owns
// a partition of any more.
const remember = 24 * time.Hour

// holdings are the last known owners, by topic.
type holdings struct {
	topics []holding // sorted by name
	print  uint64    // of who owns what now
	known  bool
}

// holding is one topic.
type holding struct {
	topic string
	owned bool             // a partition of it has an owner
	left  snapshot.Instant // since when not
	list  []held           // sorted by partition
}

// held is a partition and its last known owners.
type held struct {
	partition int32
	owners    uint64 // the sum of their identities
}

// claim is a partition that a member is assigned.
type claim struct {
	topic     string
	partition int32
	owner     uint64
}

func (c claim) compare(o claim) int {
	return cmp.Or(cmp.Compare(c.topic, o.topic), cmp.Compare(c.partition, o.partition), cmp.Compare(c.owner, o.owner))
}

// observe takes in who owns what, and returns how many partitions have another owner
// than their last one, and whether anything is not as it was.
func (h *holdings) observe(members []snapshot.Member, now snapshot.Instant) (moved int, changed bool) {
	claims := claimsOf(members)
	print := uint64(0)
	for _, c := range claims {
		print += mix(c.owner ^ hash(uint64(uint32(c.partition)), c.topic))
	}
	if h.known && print == h.print {
		return 0, false
	}
	changed = h.known
	h.known, h.print = true, print
	h.leave(now)
	for len(claims) > 0 {
		n := 1
		for n < len(claims) && claims[n].topic == claims[0].topic {
			n++
		}
		t := h.of(claims[0].topic)
		t.owned = true
		moved += t.take(claims[:n])
		claims = claims[n:]
	}
	return moved, changed
}

// leave begins a new assignment, in which nothing has an owner yet, and forgets what
// had none for too long.
func (h *holdings) leave(now snapshot.Instant) {
	for i := range h.topics {
		if t := &h.topics[i]; t.owned {
			t.owned, t.left = false, now
		}
	}
	h.topics = slices.DeleteFunc(h.topics, func(t holding) bool { return now.Sub(t.left) > remember })
}

// claimsOf are all, sorted, each once.
func claimsOf(members []snapshot.Member) []claim {
	size := 0
	for i := range members {
		for _, t := range members[i].Assignment {
			size += len(t.Partitions)
		}
	}
	claims := make([]claim, 0, size)
	for i := range members {
		owner := identity(&members[i])
		for _, t := range members[i].Assignment {
			for _, p := range t.Partitions {
				claims = append(claims, claim{t.Topic, p, owner})
			}
		}
	}
	slices.SortFunc(claims, claim.compare)
	return slices.Compact(claims)
}

// of finds a topic, or adds it.
func (h *holdings) of(topic string) *holding {
	i, ok := slices.BinarySearchFunc(h.topics, topic, func(t holding, name string) int { return cmp.Compare(t.topic, name) })
	if !ok {
		h.topics = slices.Insert(h.topics, i, holding{topic: topic})
	}
	return &h.topics[i]
}

// take takes in the owners of some partitions of the topic, and returns how many have
// moved. The first owner ever moves nothing.
func (h *holding) take(claims []claim) (moved int) {
	known, at := len(h.list), 0
	for len(claims) > 0 {
		now := held{claims[0].partition, 0}
		for len(claims) > 0 && claims[0].partition == now.partition {
			now.owners += claims[0].owner
			claims = claims[1:]
		}
		for at < known && h.list[at].partition < now.partition {
			at++
		}
		switch {
		case at == known || h.list[at].partition != now.partition:
			h.list = append(h.list, now)
		case h.list[at].owners != now.owners:
			h.list[at] = now
			moved++
		}
	}
	if len(h.list) > known {
		slices.SortFunc(h.list, func(a, b held) int { return cmp.Compare(a.partition, b.partition) })
	}
	return moved
}
