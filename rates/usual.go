package rates

// Usual is what was usual of a pair while it was not falling behind, in offsets per
// second: how fast its log grew, and how fast it drained; unknown before that was
// seen. It stands while the pair falls behind.
type Usual struct{ Arrival, Drain Value }
