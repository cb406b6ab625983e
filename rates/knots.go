package rates

// knots are points of a line that rises: how far an offset was below where it is
// now, and how long ago, the newest first.
type knots struct {
	n int
	// ofCommits says that only changes count.
	ofCommits bool
	// ago is in seconds, below in offsets; both grow. unsure is the variance of
	// ago, in seconds squared: a commit is seen later than it was made.
	ago, below, unsure [mostKnots]float64
	// noise is how much less even the increments are than those of records that
	// come one by one and independently. jump is the largest difference between
	// neighbours, squared, in variances of what times may be off: 2 if a commit
	// comes as late as can be after one that came as early.
	noise, jump float64
	// silent is how long ago the last commit was seen, and apart how long before
	// a poll had not seen it; 0 where knots are no commits.
	silent, apart float64
}

// mostKnots is of how many knots a change is looked for.
const mostKnots = 48

// gather makes the newest knots of a history, so many at most.
func (k *knots) gather(c *Clock, h *history, most int) {
	if k.n = 0; k.ofCommits {
		k.commits(c, h, most)
	} else {
		k.polls(c, h, most)
	}
}

// add adds a knot that is older than the last one; false if there is no room.
func (k *knots) add(ago, below, unsure float64) bool {
	if k.n == len(k.ago) {
		return false
	}
	if k.n == 0 || ago > k.ago[k.n-1] {
		k.ago[k.n], k.below[k.n], k.unsure[k.n] = ago, below, unsure
		k.n++
	}
	return true
}

// rate is how fast the line rises between two knots, the newer first.
func (k *knots) rate(i, j int) float64 {
	return (k.below[j] - k.below[i]) / (k.ago[j] - k.ago[i])
}

// vague is how much of what the times of commits may be off they are thought to be.
// For a while they may come always as late, and then once not: the largest jump
// counts.
func (k *knots) vague() float64 { return max(k.noise, min(1, k.jump/2), 0.05) }

// difference is by how much the rate between the knots i and m differs from the one
// between m and j, squared, with the variance of that if it were the same rate: what
// times may be off and what records that come independently make of it, and that
// nothing is counted more exactly than to one offset. The knot in the middle belongs
// to both rates: what it is off makes one larger and the other smaller. rate is the
// rate over both, squared.
//
// All are multiplied by the same number, so that nothing need be divided: only what
// they are to each other means something.
type difference struct{ squared, timing, counting, exact, rate float64 }

func (k *knots) difference(i, m, j int) difference {
	w, b := k.ago[m]-k.ago[i], k.ago[j]-k.ago[m]
	xw, xb := k.below[m]-k.below[i], k.below[j]-k.below[m]
	t, x, wb := w+b, xw+xb, w*b
	d := (xw*b - xb*w) * t
	return difference{
		squared:  d * d,
		timing:   x * x * (k.unsure[i]*b*b + k.unsure[j]*w*w + k.unsure[m]*t*t),
		counting: x * wb * t * t,
		exact:    (w*w + b*b) * t * t,
		rate:     x * x * wb * wb,
	}
}

// variance is what a difference is due to if nothing changed.
func (d difference) variance(vague, noise float64) float64 {
	return vague*d.timing + noise*d.counting + d.exact
}

// measure sets the noise from how much the rates of neighbours differ, as far as
// knot n. What was measured over some time may have a change of rate in it: the
// largest difference is left out of it.
func (k *knots) measure(n int, whole bool) {
	const prior, enough = 2, 20
	var seen, expected, largest float64
	k.jump = 0
	for m := 1; m < min(n, enough); m++ {
		d := k.difference(m-1, m, m+1)
		e := d.timing + d.counting
		if e == 0 {
			continue
		}
		ratio := max(0, d.squared-d.exact/6) / e
		seen += ratio
		expected++
		largest = max(largest, ratio)
		if d.timing > 0 {
			k.jump = max(k.jump, d.squared/d.timing)
		}
	}
	if !whole && expected > 3 {
		seen, expected = seen-largest, expected-1
	}
	k.noise = (prior + seen) / (prior + expected)
}
