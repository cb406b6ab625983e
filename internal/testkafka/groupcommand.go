package testkafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// GroupCommand runs Kafka's own consumer groups tool against the cluster and
// returns its standard output. The bootstrap servers are given; args are the
// rest, such as "--describe", "--group", "orders". It takes a few seconds of
// processor time. The tool also reports some failures, such as a group that
// isn't there, on standard output with exit status 0. Kafka 3.3 to 3.8 have it
// where this doesn't look.
func (c *Cluster) GroupCommand(ctx context.Context, args ...string) (string, error) {
	class := "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
	if c.keeper != nil {
		class = "kafka.admin.ConsumerGroupCommand"
	}
	all := append([]string{
		class, "--bootstrap-server", strings.Join(c.Bootstrap(), ","),
		"--timeout", "60000", // its own are 5 seconds, too few for a busy machine
	}, args...)
	out, err := run(ctx, java(c.dist, nil, quietFlags(), all...))
	if err != nil {
		return out, fmt.Errorf("group command %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// GroupRow is one partition of a group, or one member without partitions, as
// Kafka's group command describes it. What the command shows as "-" is nil, or
// empty.
type GroupRow struct {
	Group     string
	Topic     string
	Partition *int
	// Current, End and Lag are offsets: committed, high watermark, difference.
	Current, End, Lag *int64
	// Member, Host and ClientID are the owner's, if there is one. The host
	// starts with a slash.
	Member, Host, ClientID string
}

// ParseGroupDescribe reads what the group command prints for --describe, with
// --verbose or without, for one group or several. Sentences between the tables
// are left out.
func ParseGroupDescribe(out string) ([]GroupRow, error) {
	var rows []GroupRow
	var columns []string
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
			columns = nil
		case fields[0] == "GROUP":
			columns = fields
		case columns != nil:
			row, err := parseGroupRow(columns, fields)
			if err != nil {
				return nil, fmt.Errorf("group command output %q: %w", strings.TrimSpace(line), err)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func parseGroupRow(columns, fields []string) (GroupRow, error) {
	if len(fields) != len(columns) {
		return GroupRow{}, fmt.Errorf("%d fields under %d columns", len(fields), len(columns))
	}
	value := map[string]string{}
	for i, column := range columns {
		if fields[i] != "-" {
			value[column] = fields[i]
		}
	}
	row := GroupRow{
		Group: value["GROUP"], Topic: value["TOPIC"], Member: value["CONSUMER-ID"],
		Host: value["HOST"], ClientID: value["CLIENT-ID"],
	}
	partition, err0 := optionalInt(value["PARTITION"])
	if partition != nil {
		row.Partition = new(int(*partition))
	}
	var err1, err2, err3 error
	row.Current, err1 = optionalInt(value["CURRENT-OFFSET"])
	row.End, err2 = optionalInt(value["LOG-END-OFFSET"])
	row.Lag, err3 = optionalInt(value["LAG"])
	return row, errors.Join(err0, err1, err2, err3)
}

func optionalInt(text string) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, err
	}
	return &n, nil
}
