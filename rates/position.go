package rates

// Committed is the position that the pair was last seen at; false before it was seen
// once.
func (p *Pair) Committed() (offset int64, ok bool) { return p.commits.offset, p.commits.poll > 0 }
