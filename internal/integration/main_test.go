//go:build !breaking && !soak

package integration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// shared is the cluster of all tests here, three brokers that log requests. It
// starts with the first test that wants it.
var shared struct {
	once    sync.Once
	cluster *testkafka.Cluster
	err     error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.cluster != nil {
		err := errors.Join(readsAll(shared.cluster), shared.cluster.Close())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// readsAll checks that in all tests together lagwatch has sent reads only.
func readsAll(c *testkafka.Cluster) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	byBroker, _, err := c.RequestsSince(ctx, testkafka.Mark{}, "lagwatch")
	var all []testkafka.Request
	for _, list := range byBroker {
		all = append(all, list...)
	}
	fmt.Printf("lagwatch sent %d requests in all tests\n", len(all))
	return errors.Join(err, onlyReads(all))
}

// useKafka returns the shared cluster.
func useKafka(t *testing.T) *kafka {
	t.Helper()
	testkafka.Require(t, testkafka.DefaultVersion)
	shared.once.Do(func() {
		began := time.Now()
		shared.cluster, shared.err = testkafka.Start(context.Background(), testkafka.Options{RequestLog: true})
		t.Logf("started the shared cluster in %.1f s", time.Since(began).Seconds())
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return driving(t, shared.cluster)
}
