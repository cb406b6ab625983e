//go:build !breaking && !soak

package integration

import (
	"testing"
	"time"
)

// Groups in which one thing goes wrong on purpose, all at once on one cluster, are each
// told to have just that: at no poll is another condition the headline. Of a group that
// works nothing is told.
func TestConditionsOfRealGroups(t *testing.T) {
	k := useKafka(t)
	f := follow(t, k.cluster.Bootstrap(), followingTroubles(), ofTrouble)
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
