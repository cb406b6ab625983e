//go:build !breaking && !soak

package integration

import "testing"

// TestSecured runs lagwatch against a broker that asks who it is: over every
// listener, past every obstacle, and (fault 26) through sessions that end. The
// broker ends with the test.
func TestSecured(t *testing.T) {
	s := startSecured(t, 1)
	s.askedData()
	s.want = s.reference()
	for name, test := range map[string]func(*secured){
		"listeners": listeners,
		"obstacles": obstacles,
		"sessions":  sessions,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(s.in(t))
		})
	}
}
