package wire

import (
	"errors"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// refusal is an error whose reason and remedy are known best where it is made.
// It is not worth a retry, whatever it wraps.
type refusal struct {
	reason snapshot.Reason
	remedy string // "" for that of the reason
	err    error
}

// Refuse makes an error whose reason is known: ReasonOf and Explain tell what is
// given here. A remedy of "" is the one that its reason has.
func Refuse(reason snapshot.Reason, remedy string, err error) error {
	return &refusal{reason, remedy, err}
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// remedyOf says what to try; "" where nothing is known.
func remedyOf(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok && r.remedy != "" {
		return r.remedy
	}
	return remedies[ReasonOf(err)]
}

// closedRemedy is for a broker that closes connections: what it may want
// depends on what lagwatch was told to do.
func (o *Options) closedRemedy(greeted bool) string {
	switch {
	case greeted && o.SASL == nil:
		return "it answers ApiVersions and nothing else, as a SASL listener does: set sasl, or is it restarting?"
	case o.TLS == nil && o.SASL == nil:
		return remedies[snapshot.ReasonUnreachable]
	case o.TLS == nil:
		return "the broker closed the connection: is it restarting, or is this a TLS listener?"
	}
	return "the broker closed the connection: is it restarting?"
}
