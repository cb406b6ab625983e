package testkafka

import (
	"context"
	"fmt"
)

// Positions is where logs and groups of all types stand, read at one time. The
// first and the last end offsets are read before and after all the rest.
type Positions struct {
	Starts    Offsets                   `json:"starts"`
	FirstEnds Offsets                   `json:"firstEnds"`
	LastEnds  Offsets                   `json:"lastEnds"`
	Committed map[string]Offsets        `json:"committed"`
	Share     map[string]SharePositions `json:"share"`
}

// SharePositions is where a share group stands: the offset of its first record
// that is not done with, and how many behind that are not. A partition that it
// never read is absent; a lag that the broker does not know, too.
type SharePositions struct {
	Starts Offsets `json:"starts"`
	Lags   Offsets `json:"lags"`
}

// Positions reads the logs of topics, what groups have committed (classic,
// consumer and streams groups), and where share groups stand. It needs Kafka
// 4.4 or later.
func (d *Driver) Positions(ctx context.Context, topics, groups, shareGroups []string) (r Reading[Positions], err error) {
	what := fmt.Sprintf("reading the positions of %v and %v on %v", groups, shareGroups, topics)
	args := map[string][]string{"topics": topics, "groups": groups, "shareGroups": shareGroups}
	err = d.call(ctx, what, "positions", args, &r)
	return r, err
}

// DescribeShareGroups reads the state, members and assignments of share groups;
// a partition may be assigned to several members. It needs Kafka 4.4 or later.
func (d *Driver) DescribeShareGroups(ctx context.Context, groups ...string) (r Reading[map[string]GroupDescription], err error) {
	what := fmt.Sprintf("describing share groups %v", groups)
	err = d.call(ctx, what, "describeShareGroups", map[string]any{"groups": groups}, &r)
	return r, err
}

// DescribeStreamsGroups reads the state and members of streams groups; the
// assignment of a member is what its active tasks read. It needs Kafka 4.4 or
// later.
func (d *Driver) DescribeStreamsGroups(ctx context.Context, groups ...string) (r Reading[map[string]GroupDescription], err error) {
	what := fmt.Sprintf("describing streams groups %v", groups)
	err = d.call(ctx, what, "describeStreamsGroups", map[string]any{"groups": groups}, &r)
	return r, err
}
