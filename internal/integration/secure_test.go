//go:build !breaking && !soak

package integration

import "testing"

// TestSecured runs lagwatch against a cluster that asks who it is and what it
// may do. The cluster ends with the test.
func TestSecured(t *testing.T) {
	s := startSecured(t, 2)
	for name, test := range map[string]func(*secured){
		"answers": kafkaAnswers,
	} {
		t.Run(name, func(t *testing.T) { test(s.in(t)) })
	}
}
