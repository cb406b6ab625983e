package rates

// What counts as a change: so many standard deviations, and this part of the rate. A
// drift is less of a surprise.
const (
	surprising = 3.3
	relevant   = 0.02
	drifting   = 2
)

// changed tells whether the rate since knot m is another than between m and j, and
// by how much of what is surprising: above 1 it is.
func (k *knots) changed(vague float64, m, j int) float64 {
	d := k.difference(0, m, j)
	r := d.rate * relevant
	return d.squared / (surprising*surprising*(vague*d.timing+k.noise*d.counting+d.exact) + r*r)
}

// recent returns since which knot the rate has been what it is now. It goes back for
// as long as what lies before is no surprise; where the rate seems to rise or fall
// since then, the newer half is nearer to what it is now.
func (k *knots) recent() int {
	last := k.n - 1
	k.measure(last, false)
	m := k.unchanged(last)
	k.measure(m, true)
	for vague := k.vague(); m >= 4; m = (m + 1) / 2 {
		d := k.difference(0, m/2, m)
		if d.squared <= drifting*drifting*(vague*d.timing+k.noise*d.counting+d.exact) {
			break
		}
	}
	return m
}

// unchanged returns the knot since which nothing is a surprise.
func (k *knots) unchanged(last int) int {
	vague := k.vague()
	for m := 1; m < last; m += max(1, m/3) {
		for before := 1; before <= 4*m; before += max(1, before) {
			j := min(m+before, last)
			if k.changed(vague, m, j) > 1 {
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
		if by := k.changed(vague, m, j); by > most {
			best, most = m, by
		}
	}
	if best > 1 {
		d := k.difference(0, best-1, best)
		if d.squared > vague*d.timing+k.noise*d.counting+d.exact {
			best--
		}
	}
	return best
}
