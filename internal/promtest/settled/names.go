package settled

import (
	"context"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// Name is what Kafka has, and the label value that Prometheus must have of it.
type Name struct{ Kafka, Label string }

// same are names that are label values as they are.
func same(names ...string) []Name {
	var out []Name
	for _, n := range names {
		out = append(out, Name{n, n})
	}
	return out
}

// Groups are the groups without members, in order: the lag of the first is 1,
// that of the next 2, and so on, so that none passes for another.
func Groups() []Name {
	return append(same(
		"plain",
		"", " ", "\u00a0", "\u200b", // nothing to see
		`say "hi"`, `back\slash`, `end\`, `\"`, `\\`,
		"new\nline", `new\nline`, "\n", // the second has a backslash and an n
		"cr\r", "\r\n", "tab\t", "nul\x00in", "\x1b[31mred", "del\x7f",
		`{a="b"} 1`, "# HELP x y", "# EOF", "a,b", "a b", "a=b",
		"größe-日本語-🚀", "e\u0301", "\u00e9", // the same letter, composed or not
		"\u2028", "\u0085", "\ufeffbom", "\ufffd",
		"NaN", "+Inf", "-1",
	),
		Name{"bad\xffbyte", `bad\xffbyte`},
		Name{`bad\xffbyte`, `bad\x5cxffbyte`},
		Name{"\xed\xa0\x80", `\xed\xa0\x80`}, // half of a surrogate pair
		Name{"cut\xe6\x97", `cut\xe6\x97`},
	)
}

// Topics are the topics, of which every group has committed on the first.
func Topics() []Name {
	return append(same("orders", `t"o\p`+"\nic", "größe"), Name{"bad\xff", `bad\xff`})
}

// Members are groups with one member each, which owns the first topic; the
// client id is the group's name.
func Members() []Name {
	return append(same("member", `mem"ber\`+"\n"), Name{"mem\xffber", `mem\xffber`})
}

const partitions = 2

// fill leaves a cluster in which nothing moves.
func fill(ctx context.Context, c *lab.Cluster) error {
	const end = 1000
	topic := Topics()[0].Kafka
	if _, err := c.Produce(ctx, topic, 0, end); err != nil {
		return err
	}
	for i, group := range Groups() {
		if err := c.Commit(ctx, group.Kafka, topic, 0, end-int64(i)-1); err != nil {
			return err
		}
	}
	for i, group := range Members() {
		protocols := []lab.Protocol{lab.ProtocolRange, lab.ProtocolConsumer}
		_, err := c.StartConsumer(lab.ConsumerSpec{
			Group: group.Kafka, ClientID: group.Kafka, Topics: []string{topic},
			Protocol: protocols[i%len(protocols)], NeverCommit: true,
		})
		if err != nil {
			return err
		}
		if _, err := c.WaitAssigned(ctx, group.Kafka, 1, partitions); err != nil {
			return err
		}
	}
	return nil
}
