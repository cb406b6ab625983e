package testkafka

import (
	"context"
	"fmt"
	"strings"
)

// ACL is one rule of the authorizer.
type ACL struct {
	// Principal is a kind and a name: User:lagwatch.
	Principal string `json:"principal"`
	// Operation is in Kafka's spelling: DESCRIBE, DESCRIBE_CONFIGS, READ, …
	Operation string `json:"operation"`
	// Resource is TOPIC, GROUP or CLUSTER.
	Resource string `json:"resource"`
	// Name is the resource's, or "*" for all. A cluster's is kafka-cluster.
	Name string `json:"name"`
	// Prefixed makes it a rule for all resources whose names begin with Name.
	Prefixed bool `json:"prefixed"`
	// Deny forbids, and wins over every rule that allows.
	Deny bool `json:"deny"`
}

func (a ACL) String() string {
	verb := "allow"
	if a.Deny {
		verb = "deny"
	}
	name := a.Name
	if a.Prefixed {
		name += "…"
	}
	return fmt.Sprintf("%s %s %s on %s %s", verb, a.Principal, a.Operation, a.Resource, name)
}

// CreateACLs adds rules. Brokers follow them some moments later, each in its
// own time. The cluster needs Options.Authorizer.
func (d *Driver) CreateACLs(ctx context.Context, acls ...ACL) error {
	return d.call(ctx, fmt.Sprintf("creating ACLs %v", acls), "createAcls", map[string]any{"acls": acls}, nil)
}

// DeleteACLs removes exactly these rules. Brokers follow as with CreateACLs.
func (d *Driver) DeleteACLs(ctx context.Context, acls ...ACL) error {
	return d.call(ctx, fmt.Sprintf("deleting ACLs %v", acls), "deleteAcls", map[string]any{"acls": acls}, nil)
}

// SetPassword makes a user for SCRAM-SHA-256 and SCRAM-SHA-512, or replaces the
// password. Brokers follow some moments later; connections that have
// authenticated stay.
func (d *Driver) SetPassword(ctx context.Context, user, password string) error {
	args := map[string]string{"user": user, "password": password}
	return d.call(ctx, "setting the password of "+user, "setPassword", args, nil)
}

// ACLCommand runs Kafka's own ACL tool against the cluster, as a super user. The
// bootstrap servers are given; args are the rest. It takes a few seconds of
// processor time. Its class is that of 4.4.
func (c *Cluster) ACLCommand(ctx context.Context, args ...string) error {
	all := append([]string{"org.apache.kafka.tools.AclCommand", "--bootstrap-server", strings.Join(c.Bootstrap(), ",")}, args...)
	if _, err := run(ctx, java(c.dist, nil, quietFlags(), all...)); err != nil {
		return fmt.Errorf("ACL command %s: %w", strings.Join(args, " "), err)
	}
	return nil
}
