package testkafka

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// StreamsSpec describes one instance of a Kafka Streams application that speaks
// the streams protocol (KIP-1071). It counts the records of a topic by key, in
// two subtopologies: one reads Input and writes the repartition topic, the other
// reads that and writes Output. Both topics must exist. It needs brokers and
// clients of Kafka 4.4 or later.
type StreamsSpec struct {
	// ID names the instance, in StopStreams and in the client ids of its
	// threads: see StreamsThreads.
	ID string
	// Application is the application's id, which is the group's name and starts
	// those of its internal topics.
	Application   string
	Input, Output string
	// Threads is how many members of the group it has; 0 means 1.
	Threads int
	// CommitInterval is 500 ms when 0. It has nothing to do with how soon a
	// member hears of its tasks.
	CommitInterval time.Duration
	// Processing is how long it works on each record of the input.
	Processing time.Duration
	// Config are Java settings that win over all of the above.
	Config map[string]string
}

// wireStreams is a StreamsSpec for the driver.
type wireStreams struct {
	ID              string            `json:"id"`
	Application     string            `json:"application"`
	Input           string            `json:"input"`
	Output          string            `json:"output"`
	Threads         int               `json:"threads"`
	CommitMillis    int64             `json:"commitMillis"`
	ProcessingNanos int64             `json:"processingNanos"`
	StateDir        string            `json:"stateDir"`
	Config          map[string]string `json:"config"`
}

// StartStreams starts an instance and does not wait until it has tasks: see
// WaitAssigned, which takes the application's id. Its id must not belong to one
// that runs. Each of its threads reports Assigned whenever its active tasks read
// other partitions, of Input or of the repartition topic.
func (d *Driver) StartStreams(ctx context.Context, spec StreamsSpec) error {
	what := fmt.Sprintf("starting instance %q of streams application %q", spec.ID, spec.Application)
	if spec.ID == "" || spec.Application == "" || spec.Input == "" || spec.Output == "" {
		return fmt.Errorf("%s: %w", what, errors.New("want an id, an application, an input and an output"))
	}
	return d.call(ctx, what, "startStreams", wireStreams{
		ID: spec.ID, Application: spec.Application, Input: spec.Input, Output: spec.Output,
		Threads:         orDefault(spec.Threads, 1),
		CommitMillis:    orDefault(spec.CommitInterval, 500*time.Millisecond).Milliseconds(),
		ProcessingNanos: spec.Processing.Nanoseconds(),
		StateDir:        filepath.Join(filepath.Dir(d.log), "streams-"+spec.ID), Config: spec.Config,
	}, nil)
}

// SlowStreams changes how long an instance works on each record of its input.
func (d *Driver) SlowStreams(ctx context.Context, id string, processing time.Duration) error {
	what := fmt.Sprintf("setting streams instance %s to %v a record", id, processing)
	return d.call(ctx, what, "slowStreams", map[string]any{"id": id, "processingNanos": processing.Nanoseconds()}, nil)
}

// StopStreams ends an instance as an application would that shuts down: it
// commits, its members leave the group, and it is gone when StopStreams returns.
func (d *Driver) StopStreams(ctx context.Context, id string) error {
	return d.call(ctx, "stopping streams instance "+id, "stopStreams", map[string]any{"id": id, "abandon": false}, nil)
}

// AbandonStreams ends an instance whose members stay in the group until their
// session times out.
func (d *Driver) AbandonStreams(ctx context.Context, id string) error {
	return d.call(ctx, "abandoning streams instance "+id, "stopStreams", map[string]any{"id": id, "abandon": true}, nil)
}

// StreamsThreads are the client ids by which the threads of an instance are
// known, as members of the group and in events.
func StreamsThreads(id string, threads int) []string {
	list := make([]string, threads)
	for i := range list {
		list[i] = id + "-StreamThread-" + strconv.Itoa(i+1) + "-consumer"
	}
	return list
}

// RepartitionTopic is the topic between the subtopologies of an application,
// with as many partitions as its input.
func RepartitionTopic(application string) string { return application + "-keyed-repartition" }

// InternalTopics are all topics that an application makes for itself.
func InternalTopics(application string) []string {
	return []string{RepartitionTopic(application), application + "-counts-changelog"}
}
