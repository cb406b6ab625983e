package rates

// Rate is how fast an offset advances, in offsets per second.
type Rate struct {
	// PerSecond is the estimate. Low and High enclose it: what else fits to what
	// was seen, 0 at least; High may be +Inf.
	PerSecond, Low, High float64
	// Known is false where too little was seen; then all else is 0.
	Known bool
}
