package testkafka

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestParseAuthorizations reads another line, two decisions, and one of which a
// part has not been written yet.
func TestParseAuthorizations(t *testing.T) {
	log, err := os.ReadFile("testdata/authorizer.log")
	check(t, err)
	controller := Authorization{
		At:        time.Date(2026, 11, 30, 13, 8, 39, 152e6, time.UTC),
		Principal: Anonymous, Operation: "CLUSTER_ACTION", Resource: "Cluster", Name: "kafka-cluster",
		Request: "ControllerRegistration", Allowed: true,
	}
	reader := Authorization{
		At:        time.Date(2026, 11, 30, 13, 8, 45, 211e6, time.UTC),
		Principal: "User:reader", Operation: "DESCRIBE", Resource: "Group", Name: "a for request = b", Request: "ListGroups",
	}
	for principal, want := range map[string][]Authorization{
		"": {controller, reader}, "User:reader": {reader}, "User:nobody": nil,
	} {
		got, end, err := parseAuthorizations(strings.NewReader(string(log)), 100, principal)
		check(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", principal, diff)
		}
		if whole := int64(100 + strings.LastIndex(string(log), "\n") + 1); end != whole {
			t.Errorf("%q: read to %d, want %d", principal, end, whole)
		}
	}
}

func TestParseAuthorizationsRefuses(t *testing.T) {
	const line = "2026-11-30T13:08:45.211Z [x] INFO kafka.authorizer.logger - Principal = User:a is Denied operation = DESCRIBE from host = h on resource = Topic:LITERAL:t for request = Metadata with resourceRefCount = 1 based on rule R\n"
	if _, _, err := parseAuthorizations(strings.NewReader(line), 0, ""); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{strings.Replace(line, "Denied", "Unsure", 1), strings.Replace(line, "2026-", "2026/", 1)} {
		if got, _, err := parseAuthorizations(strings.NewReader(wrong), 0, ""); err == nil {
			t.Errorf("%q became %v", wrong, got)
		}
	}
}
