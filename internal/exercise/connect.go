package exercise

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/lagwatch/lagwatch/collector/kafka"
)

// connectTimeout bounds a connection attempt, as kgo's own does.
const connectTimeout = 10 * time.Second

// connect makes a client of the brokers, which dial reaches.
func (o *Options) connect(id string, dial kafka.DialFunc, opts ...kgo.Opt) (*kgo.Client, error) {
	opts = append(opts, kgo.SeedBrokers(o.Brokers...), kgo.ClientID(clientPrefix+id), kgo.Dialer(dial),
		kgo.DisableClientMetrics(), kgo.MetadataMinAge(metadataAge))
	if o.SASL != nil {
		m, err := mechanism(o.SASL)
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.SASL(m))
	}
	return kgo.NewClient(opts...)
}

// dial opens connections, encrypted where the options say so.
func (o *Options) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: connectTimeout}).DialContext(ctx, network, address)
	if err != nil || o.TLS == nil {
		return conn, err
	}
	secured, err := o.secure(ctx, conn, address)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}

func (o *Options) secure(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	settings, err := o.TLS(host)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	secured := tls.Client(conn, settings)
	return secured, secured.HandshakeContext(ctx)
}

// mechanism is how kgo authenticates as lagwatch does.
func mechanism(s *kafka.SASL) (sasl.Mechanism, error) {
	asScram := func(context.Context) (scram.Auth, error) {
		user, password, err := s.Credentials()
		return scram.Auth{User: user, Pass: password}, err
	}
	switch s.Mechanism {
	case "PLAIN":
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			user, password, err := s.Credentials()
			return plain.Auth{User: user, Pass: password}, err
		}), nil
	case "SCRAM-SHA-256":
		return scram.Sha256(asScram), nil
	case "SCRAM-SHA-512":
		return scram.Sha512(asScram), nil
	}
	return nil, fmt.Errorf("SASL mechanism %q is not known; use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", s.Mechanism)
}
