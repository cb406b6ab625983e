package daemon

import (
	"strings"

	"github.com/lagwatch/lagwatch/collector/kafka"
	"github.com/lagwatch/lagwatch/configs"
)

// security is how connections to a cluster are encrypted and authenticate; nil
// is not at all.
type security struct {
	tls  kafka.TLSFunc
	sasl *kafka.SASL
}

// security is that of [Security], with what is to be said of it in the log.
func (d *Daemon) security(c *configs.Cluster) (s security, err error) {
	if s.tls, s.sasl, err = Security(c); err != nil {
		return s, err
	}
	for _, text := range c.Warnings() {
		d.log.Warn(text, "kafka_cluster", c.Name)
	}
	return s, nil
}

// Security is how connections to a cluster are encrypted and authenticate; nil is not at
// all. It reads the files of a cluster once, so that one that is missing ends the start.
// From then on they are read for each connection, and what is wrong with them is a
// problem of that poll.
func Security(c *configs.Cluster) (tls kafka.TLSFunc, sasl *kafka.SASL, err error) {
	if c.TLS.Enabled {
		if _, err := c.TLS.Config(""); err != nil {
			return nil, nil, err
		}
		tls = c.TLS.Config
	}
	if c.SASL.Mechanism != "" {
		if _, _, err := c.SASL.Credentials(); err != nil {
			return nil, nil, err
		}
		sasl = &kafka.SASL{Mechanism: strings.ToUpper(c.SASL.Mechanism), Credentials: c.SASL.Credentials}
	}
	return tls, sasl, nil
}
