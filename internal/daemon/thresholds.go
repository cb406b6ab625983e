package daemon

import (
	"time"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// thresholds tells by which the conditions of a group are judged: one set for all groups
// of an entry of the config, and one for those that none matches.
func thresholds(c *configs.Config) func(group string) *diagnosis.Thresholds {
	usual := diagnosis.Defaults()
	sets := map[*configs.Conditions]*diagnosis.Thresholds{nil: &usual}
	for i := range c.Conditions {
		set := diagnosis.Defaults()
		for _, k := range diagnosis.Keys() {
			put(k.Of(&set), c.Conditions[i].Thresholds[k.Name])
		}
		sets[&c.Conditions[i]] = &set
	}
	return func(group string) *diagnosis.Thresholds { return sets[c.ConditionsFor(group)] }
}

// put sets what a config says of a threshold; what it does not say, as one built by hand
// may not, is left as it is.
func put(threshold, value any) {
	switch to := threshold.(type) {
	case *time.Duration:
		if v, ok := value.(time.Duration); ok {
			*to = v
		}
	case *float64:
		if v, ok := value.(float64); ok {
			*to = v
		}
	case *int:
		if v, ok := value.(int); ok {
			*to = v
		}
	}
}
