package configs

import "testing"

func TestFilters(t *testing.T) {
	loaded, err := Load(sources{yaml: `
brokers: a:1
groups: {include: [pay.*, "refund|batch"], exclude: [".*-test", "(?i)PAYROLL"]}
topics: {exclude: [__.*]}
isolation: [{groups: pay-raw, level: read_uncommitted}, {groups: pay.*}]
`}.options(t))
	if err != nil {
		t.Fatal(err)
	}
	byHand := Cluster{
		Groups:    Filter{Include: []string{"pay.*", "refund|batch"}, Exclude: []string{".*-test", "(?i)PAYROLL", "(", "a)|(b"}},
		Topics:    Filter{Exclude: []string{"__.*"}},
		Isolation: []Isolation{{Groups: "("}, {Groups: "pay-raw", Level: "read_uncommitted"}, {Groups: "pay.*", Level: "read_committed"}},
	}
	for _, tt := range []struct {
		name                    string
		group, topic, committed bool
	}{
		{name: "payments", group: true, topic: true, committed: true},
		{name: "pay-raw", group: true, topic: true},
		{name: "my-payments", topic: true},
		{name: "refund", group: true, topic: true},
		{name: "refunds", topic: true},
		{name: "batch", group: true, topic: true},
		{name: "batch\n", topic: true},
		{name: "pay\nments", group: true, topic: true, committed: true}, // a dot did not match the newline
		{name: "payments-test", topic: true, committed: true},
		{name: "payroll", topic: true, committed: true},
		{name: "__consumer_offsets"},
		{name: "", topic: true},
	} {
		for how, c := range map[string]*Cluster{"loaded": &loaded.Clusters[0], "by hand": &byHand} {
			if g, p, r := c.KeepGroup(tt.name), c.KeepTopic(tt.name), c.ReadCommitted(tt.name); g != tt.group || p != tt.topic || r != tt.committed {
				t.Errorf("%s: %q: group %t, topic %t, committed %t", how, tt.name, g, p, r)
			}
		}
	}
	if !new(Cluster).KeepGroup("x") || !new(Cluster).KeepTopic("") || new(Cluster).ReadCommitted("x") {
		t.Error("no filter is one")
	}
}
