package testkafka

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The testdata is what Kafka 4.4.0 printed.
func TestParseGroupDescribe(t *testing.T) {
	groups := []GroupRow{
		{Group: "app", Topic: "orders", Partition: new(1), End: new(int64(5)), Member: "3i1CzVXVR4eb4MaMOWQNsA", Host: "/127.0.0.1", ClientID: "idle"},
		{Group: "app", Topic: "orders", Partition: new(0), End: new(int64(5)), Member: "KoC7iQy_TrOKeifjSY8C3w", Host: "/127.0.0.1", ClientID: "b"},
		{Group: "off-00000", Topic: "orders", Partition: new(0), Current: new(int64(3)), End: new(int64(5)), Lag: new(int64(2))},
		{Group: "off-00001", Topic: "orders", Partition: new(0), Current: new(int64(3)), End: new(int64(5)), Lag: new(int64(2))},
	}
	for file, want := range map[string][]GroupRow{
		"describe.txt":         groups,
		"describe-verbose.txt": groups,
		"describe-unknown.txt": nil,
	} {
		out, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseGroupDescribe(string(out))
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestParseGroupDescribeMemberWithoutPartition(t *testing.T) {
	const header = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
	got, err := ParseGroupDescribe("Consumer group 'g' is rebalancing.\n\n" + header + "g - - - - - m-1 /10.0.0.1 app\n")
	want := []GroupRow{{Group: "g", Member: "m-1", Host: "/10.0.0.1", ClientID: "app"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for _, row := range []string{"g t 0 1 2\n", "g t x 1 2 1 - - -\n", "g t 0 1 2 lots - - -\n"} {
		if got, err := ParseGroupDescribe(header + row); err == nil {
			t.Errorf("%q became %+v", row, got)
		}
	}
}
