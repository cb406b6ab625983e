package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer of a share group. It acknowledges what it processed with the next poll: each record as
 * a test asked for, but for one that it holds.
 */
final class ShareMember implements Consumers.Running {
  private final Events events;
  private final Work work;
  private final KafkaShareConsumer<byte[], byte[]> consumer;
  private final Thread thread;
  private final JsonNode args;
  private final AcknowledgeType answer;
  private final boolean holds;

  // The thread's own: the record that it holds.
  private ConsumerRecord<byte[], byte[]> held;

  ShareMember(Connection connection, Wire wire, JsonNode args) {
    this.args = args;
    String id = args.get("id").asText();
    String acknowledge = args.get("acknowledge").asText();
    holds = acknowledge.equals("hold");
    answer = holds ? AcknowledgeType.ACCEPT : AcknowledgeType.valueOf(acknowledge.toUpperCase());
    events = new Events(wire, id, args.get("group").asText());
    work = new Work(args.get("processingNanos").asLong());
    consumer = new KafkaShareConsumer<>(config(connection, id));
    thread = new Thread(this::run, "share-" + id);
    thread.setDaemon(true);
    thread.start();
  }

  private Map<String, Object> config(Connection connection, String id) {
    Map<String, Object> config = connection.consumerConfig();
    config.put("client.id", id);
    config.put("group.id", args.get("group").asText());
    config.put("share.acknowledgement.mode", "explicit");
    config.put("max.poll.interval.ms", Integer.MAX_VALUE); // one that holds a record does not poll
    if (args.get("maxPollRecords").asInt() > 0) {
      config.put("max.poll.records", args.get("maxPollRecords").asInt());
    }
    if (holds) { // and takes no other, which nobody would get while it is held
      config.put("max.poll.records", 1);
      config.put("share.acquire.mode", "record_limit");
    }
    config.putAll(Wire.settings(args.get("config")));
    return config;
  }

  @Override
  public void stop(boolean abandon) throws Exception {
    if (abandon) {
      throw new UnsupportedOperationException("a share consumer can't be abandoned, only closed");
    }
    work.stop();
    thread.join();
  }

  @Override
  public boolean ended() {
    return !thread.isAlive();
  }

  @Override
  public void slow(long nanosPerRecord) {
    work.slow(nanosPerRecord);
  }

  @Override
  public void poison(Set<TopicPartition> partitions) {
    throw new UnsupportedOperationException("a share consumer rejects single records: see acknowledge");
  }

  private void run() {
    try (consumer) {
      consumer.subscribe(Wire.strings(args.get("topics")));
      while (!work.stopping()) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
        long processed = process(records);
        if (processed > 0 && args.get("reportCommits").asBoolean()) {
          events.send(events.event("processed").put("records", processed));
        }
        if (held != null) {
          hold();
        }
      }
      events.send(events.event("closed"));
    } catch (Throwable e) {
      events.trouble("failed", e);
    }
  }

  /** Works on a batch; returns how many records are done with. */
  private long process(ConsumerRecords<byte[], byte[]> records) {
    long processed = 0;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      if (holds && held == null) {
        held = record;
        continue;
      }
      boolean done = work.onRecord();
      consumer.acknowledge(record, done ? answer : AcknowledgeType.RELEASE);
      processed += done ? 1 : 0;
    }
    return processed;
  }

  /** Keeps a record until the end: without another poll nothing is said of it. */
  private void hold() throws InterruptedException {
    consumer.commitSync();
    events.send(held(held));
    while (!work.stopping()) {
      Thread.sleep(20);
    }
  }

  private ObjectNode held(ConsumerRecord<?, ?> record) {
    TopicPartition p = new TopicPartition(record.topic(), record.partition());
    ObjectNode event = events.event("held");
    event.set("offsets", Wire.toJson(Map.of(p, record.offset())));
    return event;
  }
}
