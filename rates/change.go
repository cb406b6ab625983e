package rates

// What counts as a change: so many standard deviations, and this part of the rate. A
// drift is less of a surprise. What is unseen is the part of a rate by which it usually
// changes without being noticed.
const (
	surprising = 3.3
	relevant   = 0.02
	drifting   = 2.5
	unseen     = 0.005
)

// changed is by how much the rate since knot m seems to be another than between m
// and j, and by how much it would be no surprise.
func (k *knots) changed(vague float64, m, j int) (by, noSurprise float64) {
	d := k.difference(0, m, j)
	return d.squared, surprising*surprising*d.variance(vague, k.noise) + relevant*relevant*d.rate
}

// recent returns since which knot the rate has been what it is now. It goes back for
// as long as what lies before is no surprise; where the rate seems to rise or fall
// since then, the newer half is nearer to what it is now. Of knots that were looked
// at already, up to one, only the noise is taken.
func (k *knots) recent(seen int) int {
	last := k.n - 1
	if seen == 0 {
		k.measure(last, false)
	}
	m := k.unchanged(max(1, seen/2), last)
	k.measure(m, true)
	for vague := k.vague(); m >= 4; m = (m + 1) / 2 {
		if d := k.difference(0, m/2, m); d.squared <= drifting*drifting*d.variance(vague, k.noise) {
			break
		}
	}
	return m
}

// unchanged returns the knot since which nothing is a surprise, where nothing was
// until knot m.
func (k *knots) unchanged(m, last int) int {
	vague := k.vague()
	for ; m < last; m += max(1, m/3) {
		for before := 1; before <= 4*m; before += before {
			j := min(m+before, last)
			if by, no := k.changed(vague, m, j); by > no {
				return k.since(vague, j)
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
func (k *knots) since(vague float64, j int) int {
	best, most := 1, 0.0
	for m := 1; m < j; m++ {
		if by, no := k.changed(vague, m, j); by > most*no {
			best, most = m, by/no
		}
	}
	if best > 1 {
		d := k.difference(0, best-1, best)
		if d.squared > d.variance(vague, k.noise) {
			best--
		}
	}
	return best
}
