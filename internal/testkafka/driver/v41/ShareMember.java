package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;

/** A consumer of a share group. It acknowledges what it processed with the next poll. */
final class ShareMember implements Consumers.Running {
  private final Events events;
  private final Work work;
  private final KafkaShareConsumer<byte[], byte[]> consumer;
  private final Thread thread;
  private final JsonNode args;

  ShareMember(Connection connection, Wire wire, JsonNode args) {
    this.args = args;
    String id = args.get("id").asText();
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
    if (args.get("maxPollRecords").asInt() > 0) {
      config.put("max.poll.records", args.get("maxPollRecords").asInt());
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

  private void run() {
    try (consumer) {
      consumer.subscribe(Wire.strings(args.get("topics")));
      while (!work.stopping()) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
        long processed = 0;
        for (ConsumerRecord<byte[], byte[]> ignored : records) {
          processed += work.onRecord() ? 1 : 0;
        }
        if (processed > 0) {
          events.send(events.event("processed").put("records", processed));
        }
      }
      events.send(events.event("closed"));
    } catch (Throwable e) {
      events.trouble("failed", e);
    }
  }
}
