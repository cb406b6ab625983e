package configs

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// addressRule is what brokers and the listening address differ in.
type addressRule struct {
	host    string // for remedies; empty where an address needs no host
	port    string // for remedies
	minPort uint64
}

func (r addressRule) example() string { return r.host + ":" + r.port }

// parseBrokers reads addresses out of texts that hold one or several each. It
// does its own splitting: hooks of config libraries split on commas too, but
// keep blanks and empty entries.
func parseBrokers(texts ...string) ([]string, error) {
	rule := addressRule{host: "kafka1", port: "9092", minPort: 1}
	var out []string
	for _, entry := range strings.Split(strings.Join(texts, ","), ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		address, err := rule.parse(entry)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, address) {
			out = append(out, address)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("names no broker; write " + rule.example())
	}
	return out, nil
}

// parseListen reads the address of the HTTP server.
func parseListen(text string) (string, error) {
	return addressRule{port: "9742"}.parse(text)
}

// parse returns text as host:port, or says what is wrong and what to write.
func (r addressRule) parse(text string) (string, error) {
	if err := r.checkShape(text); err != nil {
		return "", err
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil || port == "" {
		return "", r.explainSplit(text)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n < r.minPort {
		return "", fmt.Errorf("%s has the port %s; write a number from %d to 65535", quote(text), quote(port), r.minPort)
	}
	if err := r.checkHost(text, host); err != nil {
		return "", err
	}
	return net.JoinHostPort(host, strconv.FormatUint(n, 10)), nil
}

// checkShape refuses what is more than an address.
func (r addressRule) checkShape(text string) error {
	if strings.Contains(text, "@") {
		// What stands before the @ may be a password: it is not repeated.
		return errors.New("has a user before an @; write the address only, like " + r.example())
	}
	if _, rest, ok := strings.Cut(text, "://"); ok {
		return fmt.Errorf("%s has a scheme; write %s", quote(text), r.withoutScheme(rest))
	}
	if strings.ContainsFunc(text, unicode.IsSpace) {
		return fmt.Errorf("%s has a blank in it; write %s, with commas between addresses", quote(text), r.example())
	}
	return nil
}

// withoutScheme returns what a URL's rest should have been.
func (r addressRule) withoutScheme(rest string) string {
	host, _, _ := strings.Cut(rest, "/")
	switch {
	case host == "":
		return r.example()
	case !strings.Contains(host, ":"):
		host += ":" + r.port
	}
	return plain(host)
}

// explainSplit says why a text does not fall into host and port.
func (r addressRule) explainSplit(text string) error {
	bare := strings.TrimSuffix(text, ":")
	switch {
	case len(bare) > maxQuoted:
		return fmt.Errorf("%s is not host:port; write %s", quote(text), r.example())
	case bare == "":
		return fmt.Errorf("%s is no address; write %s", quote(text), r.example())
	case strings.Trim(bare, "0123456789") == "":
		return fmt.Errorf("%s is a port without a host; write %s:%s", quote(text), r.host, bare)
	case isIPv6(text):
		return fmt.Errorf("%s is IPv6 without brackets and port; write [%s]:%s", quote(text), plain(text), r.port)
	case !strings.Contains(bare, ":"), strings.HasPrefix(bare, "[") && strings.HasSuffix(bare, "]"):
		return fmt.Errorf("%s has no port; write %s", quote(text), plain(bare+":"+r.port))
	}
	return fmt.Errorf("%s is not host:port; write %s, or [::1]:%s for IPv6", quote(text), r.example(), r.port)
}

func (r addressRule) checkHost(text, host string) error {
	bracketed := strings.HasPrefix(text, "[")
	switch {
	case bracketed && !isIPv6(host):
		return fmt.Errorf("%s in brackets is not an IPv6 address; write [::1]:%s", quote(host), r.port)
	case bracketed:
		return nil
	case host == "" && r.host != "":
		return fmt.Errorf("%s has no host; write %s", quote(text), r.example())
	case !isHostName(host):
		return fmt.Errorf("%s is not a host name; write %s", quote(host), r.example())
	}
	return nil
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	// A zone may hold anything, but a host in a message or a log must not.
	return err == nil && a.Is6() && plain(s) == s && !strings.ContainsAny(s, " []")
}

// isHostName is generous: container networks have names with underscores, and
// the resolver has the last word. An empty name passes.
func isHostName(host string) bool {
	for _, c := range host {
		ok := c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("-_.", c))
		if !ok {
			return false
		}
	}
	return !strings.HasPrefix(host, ".") && !strings.Contains(host, "..")
}
