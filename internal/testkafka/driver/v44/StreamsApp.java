package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TaskMetadata;
import org.apache.kafka.streams.ThreadMetadata;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;

/**
 * One instance of an application that counts records by key, in two subtopologies: the first reads
 * the input and writes a repartition topic, the second reads that and writes the output. Each of its
 * threads is a member of the group, under its consumer's client id.
 */
final class StreamsApp {
  private static final long LOOK_MILLIS = 20;

  private final Connection connection;
  private final Wire wire;
  private final JsonNode args;
  private final String application;
  private final Work work;
  private final AtomicInteger unkeyed = new AtomicInteger();
  private final KafkaStreams streams;
  private final Thread watcher;

  // Below is the watcher's own, by client id.
  private final Map<String, Set<TopicPartition>> held = new HashMap<>();

  StreamsApp(Connection connection, Wire wire, JsonNode args) {
    this.connection = connection;
    this.wire = wire;
    this.args = args;
    application = args.get("application").asText();
    work = new Work(args.get("processingNanos").asLong());
    streams = new KafkaStreams(topology(), config());
    streams.setUncaughtExceptionHandler(
        e -> {
          new Events(wire, args.get("id").asText(), application).trouble("failed", e);
          return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
    streams.start();
    watcher = new Thread(this::watch, "streams-" + args.get("id").asText());
    watcher.setDaemon(true);
    watcher.start();
  }

  private Properties config() {
    Properties config = new Properties();
    config.putAll(connection.config());
    config.put("application.id", application);
    config.put("client.id", args.get("id").asText());
    config.put("group.protocol", "streams");
    config.put("num.stream.threads", args.get("threads").asInt());
    config.put("state.dir", args.get("stateDir").asText());
    config.put("commit.interval.ms", args.get("commitMillis").asLong());
    config.put("statestore.cache.max.bytes", 0L); // every count goes on at once
    config.put("main.consumer.auto.offset.reset", "earliest");
    config.putAll(Wire.settings(args.get("config")));
    return config;
  }

  private Topology topology() {
    StreamsBuilder builder = new StreamsBuilder();
    builder
        .stream(
            args.get("input").asText(),
            Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
        .map((key, value) -> KeyValue.pair(worked(key), value))
        .groupByKey(Grouped.with("keyed", Serdes.ByteArray(), Serdes.ByteArray()))
        .count(
            Materialized.<byte[], Long>as(Stores.inMemoryKeyValueStore("counts"))
                .withKeySerde(Serdes.ByteArray())
                .withValueSerde(Serdes.Long()))
        .toStream()
        .to(args.get("output").asText(), Produced.with(Serdes.ByteArray(), Serdes.Long()));
    return builder.build();
  }

  /** Works on a record and returns its key; a record without one gets one of a hundred. */
  private byte[] worked(byte[] key) {
    work.onRecord();
    return key != null ? key : Records.key(unkeyed.getAndIncrement() % 100);
  }

  void slow(long nanosPerRecord) {
    work.slow(nanosPerRecord);
  }

  /** Ends it; with abandon the group learns of it by the session timeout. */
  void stop(boolean abandon) throws Exception {
    work.stop();
    streams.close(
        CloseOptions.groupMembershipOperation(
                abandon
                    ? CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP
                    : CloseOptions.GroupMembershipOperation.LEAVE_GROUP)
            .withTimeout(Duration.ofSeconds(60)));
    watcher.join();
  }

  /** Reports, for each thread, whenever its active tasks read other partitions. */
  private void watch() {
    try {
      while (streams.state().isRunningOrRebalancing()) {
        for (ThreadMetadata thread : streams.metadataForLocalThreads()) {
          notice(thread.consumerClientId(), activePartitions(thread));
        }
        Thread.sleep(LOOK_MILLIS);
      }
    } catch (IllegalStateException | InterruptedException e) {
      // It closes: the threads are gone with it.
    }
    held.keySet().forEach(id -> events(id).send(events(id).event("closed")));
  }

  private static Set<TopicPartition> activePartitions(ThreadMetadata thread) {
    Set<TopicPartition> partitions = new HashSet<>();
    for (TaskMetadata task : thread.activeTasks()) {
      partitions.addAll(task.topicPartitions());
    }
    return partitions;
  }

  private void notice(String clientId, Set<TopicPartition> now) {
    Set<TopicPartition> before = held.put(clientId, now);
    if (now.equals(before)) {
      return;
    }
    ObjectNode event = events(clientId).event("assigned");
    event.set("assignment", Wire.toJson(now));
    events(clientId).send(event);
  }

  private Events events(String clientId) {
    return new Events(wire, clientId, application);
  }
}
