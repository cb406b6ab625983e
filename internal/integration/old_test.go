//go:build !breaking && !soak

package integration

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// oldKafka is an older Kafka, set up in one way, and what is known of it.
type oldKafka struct {
	version  string
	settings map[string]string
	// protocols are those that its clients and its brokers both have.
	protocols []testkafka.Protocol
	// forgetsAssignments says that the coordinator of a group that rebalances
	// describes members without partitions.
	forgetsAssignments bool
	// withoutIDs says that it gives topics no ids.
	withoutIDs bool
	// clientsTellGeneration says that classic members of its own time tell in
	// which generation they joined.
	clientsTellGeneration bool
}

var classicOnly = []testkafka.Protocol{testkafka.ClassicRange, testkafka.ClassicCooperative}

var (
	zooKeeper28 = oldKafka{
		version: "2.8.2", protocols: classicOnly, forgetsAssignments: true,
	}
	beforeIDs = oldKafka{
		version: "2.8.2", settings: map[string]string{"inter.broker.protocol.version": "2.7"},
		protocols: classicOnly, forgetsAssignments: true, withoutIDs: true,
	}
	plain39 = oldKafka{
		version: "3.9.2", protocols: classicOnly, forgetsAssignments: true, clientsTellGeneration: true,
	}
	consumer39 = oldKafka{
		version: "3.9.2", settings: map[string]string{"group.coordinator.rebalance.protocols": "classic,consumer"},
		protocols: append(slices.Clone(classicOnly), testkafka.Consumer), clientsTellGeneration: true,
	}
)

// What lagwatch shows of an old Kafka is right, by the fallbacks that this one
// needs. Each has one broker, and clients of its own version.
func TestOldKafka(t *testing.T) {
	type steps = map[string]func(*kafka, oldKafka)
	for name, test := range map[string]struct {
		oldKafka
		steps
	}{
		"2.8 with ZooKeeper": {zooKeeper28, steps{
			"exact": oldExact, "quiet": oldQuiet, "owners": oldOwners, "new clients": newClients, "rebalancing": oldRebalancing,
			"topic ids": topicIDs, "group deleted": oldDeleted, "requests": oldRequests,
			"times": timesOfRecords, "settings": topicSettings,
		}},
		"2.8 that speaks 2.7 to its brokers": {beforeIDs, steps{"topic ids": topicIDs}},
		"3.9":                                {plain39, steps{"rebalancing": oldRebalancing}},
		"3.9 with the consumer protocol": {consumer39, steps{
			"exact": oldExact, "quiet": oldQuiet, "owners": oldOwners, "rebalancing": oldRebalancing,
			"topic ids": topicIDs, "group deleted": oldDeleted, "requests": oldRequests,
			"times": timesOfRecords, "settings": topicSettings,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			k := startOld(t, test.oldKafka)
			for name, step := range test.steps {
				t.Run(name, func(t *testing.T) { step(k.in(t), test.oldKafka) })
			}
			noneRefused(t, k.cluster)
		})
	}
}

// startOld starts one broker.
func startOld(t *testing.T, old oldKafka) *kafka {
	t.Helper()
	testkafka.Require(t, old.version)
	c, err := testkafka.Start(t.Context(), testkafka.Options{
		Version: old.version, Brokers: 1, RequestLog: true, Properties: old.settings,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return driving(t, c)
}

// noneRefused checks that lagwatch sent reads only, and no request that a broker
// could not read: it closes the connection then, without a word to the client.
func noneRefused(t *testing.T, c *testkafka.Cluster) {
	t.Helper()
	list, err := c.Requests(t.Context(), 1, "lagwatch")
	if err == nil {
		err = onlyReads(list)
	}
	if err != nil {
		t.Error(err)
	}
	log, err := os.ReadFile(c.Log(1))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		for _, sign := range []string{"UnsupportedVersionException", "InvalidRequestException", "Exception while processing request"} {
			if strings.Contains(line, sign) {
				t.Errorf("the broker logged: %.400s", line)
			}
		}
	}
	t.Logf("the broker answered %d requests of lagwatch's and refused none", len(list))
}
