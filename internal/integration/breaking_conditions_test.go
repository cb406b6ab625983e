//go:build breaking

package integration

import (
	"testing"
	"time"
)

// TestBreakingConditions proves that groups in which one thing goes wrong on purpose, all
// at once on one cluster, are each told to have just that: at no poll is another
// condition the headline. Of a group that works nothing is told.
func TestBreakingConditions(t *testing.T) {
	c := startBrokers(t)
	k := driving(t, c)
	f := follow(t, c.Bootstrap(), followingTroubles(), ofTrouble)
	var groups []*troubled
	for _, what := range troubles {
		groups = append(groups, &troubled{k, what, f})
	}
	each := func(do func(g *troubled)) {
		for _, g := range groups {
			do(g)
		}
	}
	defer each((*troubled).nothingElse)
	each((*troubled).begin)
	each((*troubled).feed)
	caused := time.Now()
	each(func(g *troubled) {
		if g.cause != nil {
			g.usual()
			g.cause(g)
		}
	})
	each(func(g *troubled) {
		if !g.calm {
			g.recognised(caused)
		}
	})
}
