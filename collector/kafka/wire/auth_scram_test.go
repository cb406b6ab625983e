package wire

import (
	"strings"
	"testing"

	"github.com/segmentio/kafka-go/sasl"
)

// rfc7677 is the conversation that RFC 7677 §3 gives for SCRAM-SHA-256.
var rfc7677 = struct{ user, password, nonce, first, server, final, signature string }{
	user: "user", password: "pencil", nonce: "rOprNGfwEbeRWgbNEkqO",
	first:     "n,,n=user,r=rOprNGfwEbeRWgbNEkqO",
	server:    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
	final:     "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
	signature: "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
}

func startSCRAM(t *testing.T) sasl.StateMachine {
	t.Helper()
	s := scramSHA256(rfc7677.user, rfc7677.password)
	s.nonce = func() string { return rfc7677.nonce }
	c, first, err := s.Start(t.Context())
	must(t, err)
	if string(first) != rfc7677.first {
		t.Fatalf("first message %q", first)
	}
	return c
}

func TestSCRAMOfTheRFC(t *testing.T) {
	c := startSCRAM(t)
	done, final, err := c.Next(t.Context(), []byte(rfc7677.server))
	if done || err != nil || string(final) != rfc7677.final {
		t.Fatalf("%t, %q, %v", done, final, err)
	}
	if done, _, err := c.Next(t.Context(), []byte(rfc7677.signature)); !done || err != nil {
		t.Errorf("%t, %v", done, err)
	}
}

func TestSCRAMNoncesDiffer(t *testing.T) {
	_, a, _ := scramSHA512("u", "p").Start(t.Context())
	_, b, _ := scramSHA512("u", "p").Start(t.Context())
	if string(a) == string(b) || len(a) < 24 {
		t.Errorf("%q and %q", a, b)
	}
}

// A broker that says anything else is refused before the password is hashed
// for it, and one that doesn't know the password after.
func TestSCRAMRefusesBrokers(t *testing.T) {
	change := func(old, new string) string { return strings.Replace(rfc7677.server, old, new, 1) }
	for name, first := range map[string]string{
		"nothing":              "",
		"garbage":              "\xff\x00,\xfe,,",
		"no fields":            "hello",
		"an error":             "e=other-error",
		"a mandatory extra":    "m=x," + rfc7677.server,
		"another nonce":        change("r=rOpr", "r=other"),
		"salt that is none":    change("W22ZaJ0SNY7soEsUEjb6gQ==", "???"),
		"few iterations":       change("4096", "4095"),
		"years of iterations":  change("4096", "2147483647"),
		"more than a number":   change("4096", "99999999999999999999"),
		"negative iterations":  change("4096", "-1"),
		"iterations in letter": change("4096", "many"),
	} {
		t.Run(name, func(t *testing.T) {
			if done, message, err := startSCRAM(t).Next(t.Context(), []byte(first)); err == nil || done || message != nil {
				t.Errorf("%t, %q, %v", done, message, err)
			}
		})
	}
	for name, last := range map[string]string{
		"nothing":         "",
		"garbage":         "\xff",
		"an error":        "e=invalid-proof",
		"another's proof": "v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
		"cut short":       "v=6rri",
		"empty proof":     "v=",
	} {
		t.Run("last: "+name, func(t *testing.T) {
			c := startSCRAM(t)
			_, _, err := c.Next(t.Context(), []byte(rfc7677.server))
			must(t, err)
			if _, _, err := c.Next(t.Context(), []byte(last)); err == nil {
				t.Error("it was believed")
			}
		})
	}
}
