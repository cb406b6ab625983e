package main

import (
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// sooner are those thresholds of conditions that the demo lowers, so that what takes
// minutes with the defaults is to be seen within one.
var sooner = map[string]any{
	"behind":          10 * time.Second, // 30 s
	"stalled":         10 * time.Second, // 1 min
	"held_back":       20 * time.Second, // 5 min
	"never_committed": 20 * time.Second, // 1 min
	"abandoned":       30 * time.Second, // 10 min
	"settle":          20 * time.Second, // 1 min
}

// promises are the objectives of the demo's groups: tight, so that who is late is seen
// within minutes. The others have the default, and no team.
func promises() []configs.Objective {
	return []configs.Objective{
		{Groups: "fraud-check|card-ledger|refund-approval|invoice-archive", Age: time.Minute, Target: 0.999, Mode: "continuous", Team: "payments"},
		{Groups: "click-attribution|search-indexer|session-builder", Age: time.Minute, Target: 0.99, Mode: "continuous", Team: "search"},
		{Groups: "order-fulfilment|shipment-tracking|return-labels", Age: 2 * time.Minute, Target: 0.99, Mode: "continuous", Team: "shop"},
		{Groups: "statement-mailer|inventory-snapshot", Age: time.Hour, Target: 0.99, Mode: "batch", Team: "reporting"},
	}
}

// settings are those of the very daemon that serve runs, with every family published,
// so that there is nothing to see that the demo does not show; with what has to be told
// of the groups of the scenes that are played, and where losses are looked for with every
// poll.
func settings(listen string, interval time.Duration, brokers []string, scenes []lab.Scenario) (*configs.Config, error) {
	flags := pflag.NewFlagSet("demo", pflag.ContinueOnError)
	configs.AddFlags(flags)
	for name, value := range map[string]string{
		"brokers": strings.Join(brokers, ","), "cluster": "demo", "listen": listen, "interval": interval.String(),
		"metrics-include": ".*",
	} {
		if err := flags.Set(name, value); err != nil {
			return nil, err
		}
	}
	c, err := configs.Load(configs.Options{Flags: flags})
	if err != nil {
		return nil, err
	}
	c.Conditions = []configs.Conditions{{Groups: ".*", Thresholds: sooner}}
	c.Objectives = promises()
	watched := &c.Clusters[0]
	watched.StartOffsetInterval = interval
	for _, s := range scenes {
		if s.Expected {
			watched.ExpectedGroups = append(watched.ExpectedGroups, s.Group)
		}
		if s.ReadCommitted {
			watched.Isolation = append(watched.Isolation, configs.Isolation{Groups: regexp.QuoteMeta(s.Group), Level: "read_committed"})
		}
	}
	return c, nil
}
