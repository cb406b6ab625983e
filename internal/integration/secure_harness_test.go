//go:build !breaking && !soak

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// saslMechanisms are those that lagwatch and Kafka share.
var saslMechanisms = []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}

// The listeners of a secured cluster.
const (
	onSASL    = "SASL"     // any mechanism, in plaintext
	onSASLTLS = "SASL_TLS" // any mechanism
	onTLS     = "TLS"      // everyone, who is then a super user
	onMutual  = "MUTUAL"   // whoever shows a certificate
	onExpired = "EXPIRED"  // as onTLS, with a certificate of yesterday
	onForeign = "FOREIGN"  // as onTLS, with a certificate for another host
	onSession = "SESSION"  // SCRAM-SHA-512, in plaintext, for sessionTime
)

// sessionTime is how long Kafka lets a session last on the listener onSession.
const sessionTime = 3 * time.Second

// secured is a cluster with an authorizer and all those listeners, as one test
// uses it.
type secured struct {
	*kafka
	ca     *testkafka.Authority
	client *testkafka.Certificate // its principal is User:CN=lagwatch
	dir    string                 // for secrets and certificates, this test's own
	want   content                // what a super user's lagwatch shows
}

// startSecured starts a secured cluster, which ends with the test. Its plaintext
// listener, and the driver, may do everything.
func startSecured(t *testing.T, brokers int) *secured {
	t.Helper()
	testkafka.Require(t, testkafka.DefaultVersion)
	s := &secured{ca: must(testkafka.NewAuthority("the cluster's"))(t)}
	issue := func(spec testkafka.CertSpec) *testkafka.Certificate { return must(s.ca.Issue(spec))(t) }
	server := issue(testkafka.CertSpec{Name: "kafka", Hosts: []string{"127.0.0.1"}})
	s.client = issue(testkafka.CertSpec{Name: "lagwatch"})
	began := time.Now()
	c := must(testkafka.Start(t.Context(), testkafka.Options{
		Brokers: brokers, Authorizer: true, PlainUsers: plainUsers(),
		// The members of streams groups here send one heartbeat.
		Properties: map[string]string{
			"group.streams.session.timeout.ms": "600000", "group.streams.max.session.timeout.ms": "600000",
		},
		Listeners: []testkafka.Listener{
			{Name: onSASL, Mechanisms: saslMechanisms},
			{Name: onSASLTLS, Mechanisms: saslMechanisms, Certificate: server},
			{Name: onTLS, Certificate: server},
			{Name: onMutual, Certificate: server, ClientCA: s.ca},
			{Name: onExpired, Certificate: issue(testkafka.CertSpec{Name: "kafka", Hosts: []string{"127.0.0.1"}, NotAfter: time.Now().Add(-time.Hour)})},
			{Name: onForeign, Certificate: issue(testkafka.CertSpec{Name: "kafka", Hosts: []string{"kafka.example"}})},
			{Name: onSession, Mechanisms: []string{"SCRAM-SHA-512"}, Session: sessionTime},
		},
	}))(t)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	s.kafka = driving(t, c)
	t.Logf("started %d secured brokers in %.1f s", brokers, time.Since(began).Seconds())
	return s.in(t)
}

// must takes what a function returns and the test that its error fails.
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// in is the same for a subtest.
func (s *secured) in(t *testing.T) *secured {
	return &secured{kafka: s.kafka.in(t), ca: s.ca, client: s.client, dir: t.TempDir(), want: s.want}
}

// plainUsers are the users of the mechanism PLAIN, one for each test that has
// permissions of its own, with their passwords.
func plainUsers() map[string]string {
	users := map[string]string{}
	for _, name := range []string{
		"everything", "no-cluster", "no-configs", "no-group", "no-group-no-cluster", "no-topic", "nothing",
		"nobody-yet", "lagwatch", "fewest", "refused-group", "refused-topic", "refused-listing", "refused-settings", "refused-all",
		"withdrawn-listed", "withdrawn-unlisted", "withdrawn-topic", "plain",
	} {
		users[name] = passwordOf(name)
	}
	return users
}

// documented are the permissions that docs/permissions.md asks for.
func documented() []testkafka.ACL {
	return []testkafka.ACL{theCluster, allGroups, allTopics, allSettings}
}

func passwordOf(user string) string { return user + "-secret" }

// allow grants operations to a user, however it logs in, and returns when every
// broker knows.
func (s *secured) allow(user string, grants ...testkafka.ACL) {
	s.t.Helper()
	for i := range grants {
		grants[i].Principal = "User:" + user
	}
	if len(grants) > 0 {
		s.must(s.CreateACLs(s.ctx, grants...))
		s.awaitACLs(user, len(grants))
	}
}

// awaitACLs waits until every broker's authorizer has so many rules for a user.
func (s *secured) awaitACLs(user string, least int) {
	s.t.Helper()
	req := kmsg.NewPtrDescribeACLsRequest()
	req.ResourceType, req.ResourcePatternType = kmsg.ACLResourceTypeAny, kmsg.ACLResourcePatternTypeAny
	req.Operation, req.PermissionType = kmsg.ACLOperationAny, kmsg.ACLPermissionTypeAny
	req.Principal = new("User:" + user)
	everyone := s.asking(s.cluster.Bootstrap())
	s.waitUntil("brokers to learn what "+user+" may do", func() bool {
		for _, resp := range ask[*kmsg.DescribeACLsResponse](everyone, req) {
			rules := 0
			for _, r := range resp.Resources {
				rules += len(r.ACLs)
			}
			if rules < least {
				return false
			}
		}
		return true
	})
}

// describe is an ACL that grants DESCRIBE.
func describe(resource, name string) testkafka.ACL {
	return testkafka.ACL{Operation: "DESCRIBE", Resource: resource, Name: name}
}

// refuse is an ACL that forbids DESCRIBE, whatever else grants it.
func refuse(resource, name string) testkafka.ACL {
	return testkafka.ACL{Operation: "DESCRIBE", Resource: resource, Name: name, Deny: true}
}

var (
	allTopics  = describe("TOPIC", "*")
	allGroups  = describe("GROUP", "*")
	theCluster = describe("CLUSTER", "kafka-cluster")

	allSettings = testkafka.ACL{Operation: "DESCRIBE_CONFIGS", Resource: "TOPIC", Name: "*"}
)

// file writes a file of this test's and returns its path.
func (s *secured) file(name string, text []byte) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	// A reader sees the old file or the new one.
	s.must(os.WriteFile(path+".new", text, 0o600))
	s.must(os.Rename(path+".new", path))
	return path
}

// saslSetting is the config of a user; the password is in a file of this
// test's, named after the user.
func (s *secured) saslSetting(mechanism, user, password string) string {
	s.t.Helper()
	path := s.file(user+"-password", []byte(password+"\n"))
	return fmt.Sprintf("sasl: {mechanism: %s, username: %s, password_file: %s}", strings.ToLower(mechanism), user, path)
}

// tlsSetting is the config that trusts the cluster's authority.
func (s *secured) tlsSetting(more ...string) string {
	s.t.Helper()
	list := append([]string{"enabled: true", "ca_file: " + s.file("ca.pem", s.ca.PEM())}, more...)
	return "tls: {" + strings.Join(list, ", ") + "}"
}

// clientSetting makes tlsSetting show a certificate.
func (s *secured) clientSetting(c *testkafka.Certificate) string {
	s.t.Helper()
	return "cert_file: " + s.file("client.pem", c.Cert) + ", key_file: " + s.file("client-key.pem", c.Key)
}

// on starts a lagwatch on a listener. Brokers may be slow, as in kafka.lagwatch.
func (s *secured) on(listener string, settings ...string) *lagwatch {
	s.t.Helper()
	return startLagwatch(s.t, s.cluster.BootstrapOf(listener), append(settings, "request_timeout: 800ms")...)
}

// scramUser makes a user for SCRAM who may do what is documented.
func (s *secured) scramUser(name string) {
	s.t.Helper()
	s.must(s.SetPassword(s.ctx, name, passwordOf(name)))
	s.allow(name, documented()...)
}
