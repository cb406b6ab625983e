package lagwatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** How clients find the cluster, and the one admin client that all requests share. */
final class Connection {
  final Admin admin;
  private final String bootstrap;

  Connection(String bootstrap) {
    this.bootstrap = bootstrap;
    this.admin = newAdmin();
  }

  Admin newAdmin() {
    Map<String, Object> config = config();
    config.put("client.id", "testkafka-admin");
    config.put("request.timeout.ms", 5000); // a frozen broker should not cost half a minute
    config.put("default.api.timeout.ms", 30000);
    return Admin.create(config);
  }

  Map<String, Object> config() {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", bootstrap);
    return config;
  }

  Map<String, Object> consumerConfig() {
    Map<String, Object> config = config();
    config.put("key.deserializer", ByteArrayDeserializer.class.getName());
    config.put("value.deserializer", ByteArrayDeserializer.class.getName());
    return config;
  }

  Map<String, Object> producerConfig() {
    Map<String, Object> config = config();
    config.put("acks", "all"); // with "enable.idempotence" the default only since Kafka 3.0
    config.put("enable.idempotence", true);
    // With more, the first batch may reach a broker just before it leads the partition and the
    // second just after: it is taken, as nothing of this producer is known there, and the first is
    // out of order for ever.
    config.put("max.in.flight.requests.per.connection", 1);
    config.put("key.serializer", ByteArraySerializer.class.getName());
    config.put("value.serializer", ByteArraySerializer.class.getName());
    return config;
  }

  List<TopicPartition> partitionsOf(Collection<String> topics) throws Exception {
    List<TopicPartition> partitions = new ArrayList<>();
    for (TopicDescription topic : Lookups.topics(admin, topics).values()) {
      topic
          .partitions()
          .forEach(p -> partitions.add(new TopicPartition(topic.name(), p.partition())));
    }
    return partitions;
  }

  /** Offsets of partitions; one without an answer (no record at a time) is left out. */
  Map<TopicPartition, Long> offsets(
      Collection<TopicPartition> partitions, OffsetSpec spec, IsolationLevel isolation)
      throws Exception {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    partitions.forEach(p -> asked.put(p, spec));
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (Map.Entry<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> e :
        admin.listOffsets(asked, new ListOffsetsOptions(isolation)).all().get().entrySet()) {
      if (e.getValue().offset() >= 0) {
        offsets.put(e.getKey(), e.getValue().offset());
      }
    }
    return offsets;
  }

  /** Waits until the log ends at or behind each offset. */
  void awaitEnd(Map<TopicPartition, Long> least) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
    while (true) {
      Map<TopicPartition, Long> ends =
          offsets(least.keySet(), OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
      if (least.entrySet().stream().allMatch(e -> ends.get(e.getKey()) >= e.getValue())) {
        return;
      }
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the logs end at " + ends + ", want " + least);
      }
      Thread.sleep(20);
    }
  }
}
