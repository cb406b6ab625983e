package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** A producer that sends records at a steady rate until it is told to finish. */
final class Stream {
  private static final byte[] HOT = "hot".getBytes(StandardCharsets.UTF_8);
  private static final long TICK_MILLIS = 10;

  private final String topic;
  private final double perSecond;
  private final double hotShare;
  private final int keys;
  private final byte[] value;
  private final KafkaProducer<byte[], byte[]> producer;
  private final Thread thread;
  private final Random random = new Random(1);
  private final Map<TopicPartition, Long> acknowledged = new HashMap<>();
  private volatile boolean stopping;
  private volatile Exception failure;

  Stream(JsonNode args, Map<String, Object> config) {
    topic = args.get("topic").asText();
    perSecond = args.get("rate").asDouble();
    hotShare = args.get("hotShare").asDouble();
    keys = Math.max(1, args.get("keys").asInt());
    value = new byte[args.get("valueBytes").asInt()];
    producer = new KafkaProducer<>(config);
    thread = new Thread(this::run, "producer-" + config.get("client.id"));
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Stops, waits for what was sent and returns how many records each partition took. */
  Map<TopicPartition, Long> finish() throws Exception {
    stopping = true;
    thread.join();
    producer.close();
    if (failure != null) {
      throw failure;
    }
    synchronized (acknowledged) {
      return new HashMap<>(acknowledged);
    }
  }

  private void run() {
    try {
      long started = System.nanoTime();
      long sent = 0;
      while (!stopping) {
        double due = (System.nanoTime() - started) / 1e9 * perSecond;
        for (; sent < due && !stopping; sent++) {
          producer.send(new ProducerRecord<>(topic, key(), value), this::count);
        }
        Thread.sleep(TICK_MILLIS);
      }
    } catch (Exception e) {
      failure = e;
    }
  }

  private byte[] key() {
    return random.nextDouble() < hotShare ? HOT : Records.key(random.nextInt(keys));
  }

  private void count(RecordMetadata metadata, Exception e) {
    if (e != null) {
      failure = e;
      return;
    }
    synchronized (acknowledged) {
      acknowledged.merge(
          new TopicPartition(metadata.topic(), metadata.partition()), 1L, Long::sum);
    }
  }
}
