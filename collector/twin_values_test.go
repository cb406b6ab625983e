package collector

import (
	"fmt"
	"math"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// mayLag tells whether something waits, or may.
func (w *twin) mayLag(k spot) bool {
	lag, known := w.lag[k]
	s := w.state[k]
	return lag > 0 || !known && (s == PairUnread || s == PairCommitted || s == PairBeyondEnd)
}

// limit is what limits a topic's log, while it is there.
func (w *twin) limit(topic string) (c snapshot.TopicConfig, limited bool) {
	c, ok := w.est.configs[topic].Get()
	return c, ok && w.topics[topic] != nil && c.Delete && (c.RetentionTime.Known() || c.RetentionBytes)
}

// watched is for how many seconds polls have seen that a record waits.
func (w *twin) watched(k spot) float64 {
	l := w.est.logs[twinColumn{k.topic, int(k.partition), w.est.isolated[k.group]}]
	if l == nil || w.topics[k.topic] == nil || w.lag[k] == 0 {
		return 0
	}
	oldest := w.committed[k] + w.lost[k]
	if start, shared := w.start[k]; shared {
		oldest = start
	}
	if p := w.est.pairs[k]; p != nil {
		return p.pair.Watched(w.est.clock, &l.log, oldest).Seconds()
	}
	return l.log.Watched(w.est.clock, oldest).Seconds()
}

func valueOr(v rates.Value, other float64) float64 {
	if n, ok := v.Get(); ok {
		return n
	}
	return other
}

// finite is unknown for +Inf, which is the least of nothing.
func finite(n float64) rates.Value {
	if math.IsInf(n, 1) {
		return rates.Value{}
	}
	return rates.Of(n)
}

// tellEstimates writes what is known.
func tellEstimates(e Estimates) string {
	return fmt.Sprint(e.Complete) + tellValues(map[string]rates.Value{"age": e.LagAge, "unread": e.UnreadAge, "arrival": e.Arrival, "drain": e.Drain, "eta": e.DrainSeconds,
		"low": e.DrainLow, "high": e.DrainHigh, "headroom": e.Headroom})
}

func tellPairEstimate(age rates.Value, e *PairEstimate) string {
	return tellValues(map[string]rates.Value{"age": age, "drain": e.Drain, "eta": e.DrainSeconds, "low": e.DrainLow, "high": e.DrainHigh, "processing": e.Processing,
		"commit": e.CommitAge, "headroom": e.Headroom}) + number(" lost since=", e.Lost)
}

// tellValues writes to four digits: sums of the same in another order differ in
// the last.
func tellValues(values map[string]rates.Value) string {
	text := map[string]string{}
	for name, v := range values {
		if n, ok := v.Get(); ok {
			text[name] = fmt.Sprintf("%.4g", n)
		}
	}
	return fmt.Sprint(text) // sorted by name
}
