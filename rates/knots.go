package rates

// Knots of the newest readings are one poll apart.
const dense = 32

// knots are points of a line that rises: how far an offset was below where it is
// now, and how long ago, the newest first.
type knots struct {
	n int
	// ago is in seconds, below in offsets; both grow. unsure is the variance of
	// ago, in seconds squared: a commit is seen later than it was made.
	ago, below, unsure [96]float64
	// noise is how much less even the increments are than those of records that
	// come one by one and independently.
	noise float64
	// jump is the largest difference between neighbours, squared, in variances of
	// what times may be off: 2 if a commit comes as late as can be after one
	// that came as early.
	jump float64
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

// spread is the variance of the rate between two knots. Nothing is counted more
// exactly than to one offset.
func (k *knots) spread(i, j int) float64 {
	r, t := k.rate(i, j), k.ago[j]-k.ago[i]
	return k.vague()*r*r*(k.unsure[i]+k.unsure[j])/(t*t) + k.noise*r/t + 1/(t*t)
}

// differ returns by how much the rate since knot m differs from the one between m
// and j, squared, and the variance of that, if it were the same rate.
func (k *knots) differ(i, m, j int) (squared, variance float64) {
	a, b := 1/(k.ago[m]-k.ago[i]), 1/(k.ago[j]-k.ago[m])
	d := (k.below[m]-k.below[i])*a - (k.below[j]-k.below[m])*b
	timing, counting := k.expected(i, m, j, a, b)
	return d * d, k.vague()*timing + k.noise*counting + (a*a + b*b)
}

// vague is how much of what the times of commits may be off they are thought to be.
// For a while they may come always as late, and then once not: the largest jump
// counts.
func (k *knots) vague() float64 { return max(k.noise, min(1, k.jump/2), 0.05) }

// expected is the variance of a difference where records come independently, of
// what the times may be off and of the count. The knot in the middle belongs to
// both rates: what it is off makes one larger and the other smaller.
func (k *knots) expected(i, m, j int, a, b float64) (timing, counting float64) {
	r := k.rate(i, j)
	return r * r * (k.unsure[i]*a*a + k.unsure[j]*b*b + k.unsure[m]*(a+b)*(a+b)), r * (a + b)
}

// measure sets the noise from how much the rates of neighbours differ. What was
// measured over some time may have a change of rate in it: the largest difference is
// left out of it.
func (k *knots) measure(knots int, whole bool) {
	const prior = 2
	var seen, expected, largest float64
	k.jump = 0
	for m := 1; m < min(knots, dense); m++ {
		a, b := 1/(k.ago[m]-k.ago[m-1]), 1/(k.ago[m+1]-k.ago[m])
		d := (k.below[m]-k.below[m-1])*a - (k.below[m+1]-k.below[m])*b
		timing, counting := k.expected(m-1, m, m+1, a, b)
		e := timing + counting
		if e == 0 {
			continue
		}
		ratio := max(0, d*d-(a*a+b*b)/6) / e
		seen += ratio
		expected++
		largest = max(largest, ratio)
		if timing > 0 {
			k.jump = max(k.jump, d*d/timing)
		}
	}
	if !whole && expected > 3 {
		seen, expected = seen-largest, expected-1
	}
	k.noise = (prior + seen) / (prior + expected)
}

// What counts as a change: so many standard deviations, and this part of the rate.
const (
	surprising = 3.3
	relevant   = 0.02
	drifting   = 2
)

// changed tells whether the rate since knot m is another than between m and j, and
// by how much of what is surprising.
func (k *knots) changed(m, j int) float64 {
	squared, variance := k.differ(0, m, j)
	r := k.rate(0, j) * relevant
	return squared / (surprising*surprising*variance + r*r)
}

// recent returns for how many knots back the rate has been what it is now. It goes
// back for as long as what lies before is no surprise.
func (k *knots) recent() int {
	last := k.n - 1
	k.measure(last, false)
	m := k.unchanged(last)
	k.measure(m, true)
	for m >= 4 && k.drifts(m) {
		m = (m + 1) / 2
	}
	return m
}

// drifts tells whether the rate seems to rise or fall since knot m: then the newer half is
// nearer to what it is now.
func (k *knots) drifts(m int) bool {
	squared, variance := k.differ(0, m/2, m)
	return squared > drifting*drifting*variance
}

// unchanged returns the knot since which nothing is a surprise.
func (k *knots) unchanged(last int) int {
	for m := 1; m < last; m += max(1, m/4) {
		for before := 1; before <= 4*m; before += max(1, before/2) {
			j := min(m+before, last)
			if k.changed(m, j) > 1 {
				return k.since(j)
			}
			if j == last {
				break
			}
		}
	}
	return last
}

// since finds the knot after which the rate changed, of those before j. The poll in
// which it did belongs to neither.
func (k *knots) since(j int) int {
	best, most := 1, 0.0
	for m := 1; m < j; m++ {
		if by := k.changed(m, j); by > most {
			best, most = m, by
		}
	}
	if best > 1 {
		squared, variance := k.differ(0, best-1, best)
		if squared > variance {
			best--
		}
	}
	return best
}
