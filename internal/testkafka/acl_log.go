package testkafka

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"time"
)

// authorizerLogger logs one line for each decision: at level debug what was
// allowed, at info what was refused, and at trace what was only looked up, such
// as which topics of many a client may see.
const authorizerLogger = "kafka.authorizer.logger"

// Authorization is one decision of a broker's authorizer, as it logged it.
type Authorization struct {
	// At is when it was made, to the millisecond.
	At time.Time
	// Principal is who asked: User:lagwatch.
	Principal string
	// Operation is in Kafka's spelling: DESCRIBE, CLUSTER_ACTION, …
	Operation string
	// Resource is Topic, Group, Cluster, … and Name is the resource's.
	Resource, Name string
	// Request is what it was needed for: Metadata, OffsetFetch, …
	Request string
	Allowed bool
}

func (a Authorization) String() string {
	verdict := "refused"
	if a.Allowed {
		verdict = "allowed"
	}
	return fmt.Sprintf("%s %s on %s %s: %s", a.Request, a.Operation, a.Resource, a.Name, verdict)
}

var errNoAuthorizer = errors.New("reading authorizations: the cluster was started without Options.Authorizer")

// Authorizations returns by broker id what the authorizers decided about a
// principal since a mark, in the order of the decisions, and the mark to go on
// from. An empty principal means everyone, brokers and controllers too.
//
// A decision is logged before the request is answered, so whatever a client has
// an answer for is complete.
func (c *Cluster) Authorizations(since Mark, principal string) (map[int][]Authorization, Mark, error) {
	if !c.opts.Authorizer {
		return nil, since, errNoAuthorizer
	}
	found := map[int][]Authorization{}
	next := Mark{offsets: maps.Clone(since.offsets)}
	if next.offsets == nil {
		next.offsets = map[int]int64{}
	}
	for _, b := range c.brokers {
		list, end, err := readAuthorizations(b.log(), since.offsets[b.id], principal)
		if err != nil {
			return nil, since, fmt.Errorf("reading the authorizations of broker %d: %w", b.id, err)
		}
		found[b.id], next.offsets[b.id] = list, end
	}
	return found, next, nil
}

func readAuthorizations(path string, from int64, principal string) ([]Authorization, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, from, err
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return nil, from, err
	}
	return parseAuthorizations(f, from, principal)
}

// parseAuthorizations parses the whole lines of a log and returns where they
// end, where the log began at from.
func parseAuthorizations(r io.Reader, from int64, principal string) ([]Authorization, int64, error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	var list []Authorization
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return list, from, nil // an unfinished line is for the next time
		}
		if err != nil {
			return nil, from, err
		}
		a, ok, err := parseAuthorization(line)
		if err != nil {
			return nil, from, fmt.Errorf("at byte %d: %w", from, err)
		}
		from += int64(len(line))
		if ok && (principal == "" || a.Principal == principal) {
			list = append(list, a)
		}
	}
}

var authorizationPattern = regexp.MustCompile(`^Principal = (.*?) is (Allowed|Denied) operation = (\w+) from host = \S+ on resource = (\w+):\w+:(.*) for request = (\w+) with resourceRefCount = \d+ based on rule `)

// parseAuthorization reads one line: TIME [THREAD] LEVEL LOGGER - DECISION. Any
// other line is not ok.
func parseAuthorization(line []byte) (a Authorization, ok bool, err error) {
	head, text, found := bytes.Cut(line, []byte(" "+authorizerLogger+" - "))
	if !found || !bytes.HasPrefix(text, []byte("Principal = ")) {
		return Authorization{}, false, nil
	}
	m := authorizationPattern.FindSubmatch(text)
	if m == nil {
		return Authorization{}, false, fmt.Errorf("authorizer line: cannot read %.200q", text)
	}
	stamp, _, _ := bytes.Cut(head, []byte(" "))
	at, err := time.Parse(goTimeLayout, string(stamp))
	if err != nil {
		return Authorization{}, false, fmt.Errorf("authorizer line: %w", err)
	}
	return Authorization{
		At: at, Principal: string(m[1]), Allowed: string(m[2]) == "Allowed", Operation: string(m[3]),
		Resource: string(m[4]), Name: string(m[5]), Request: string(m[6]),
	}, true, nil
}
