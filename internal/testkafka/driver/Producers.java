package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/** Producing a number of records, and producing at a rate in the background. */
final class Producers {
  private final Connection connection;
  private final Map<String, Stream> running = new ConcurrentHashMap<>();

  Producers(Connection connection) {
    this.connection = connection;
  }

  void register(Map<String, Driver.Op> ops) {
    ops.put("produce", this::produce);
    ops.put("startProducer", this::start);
    ops.put("stopProducer", this::stop);
  }

  /** Produces with a producer of its own: one kept may still hold on to a topic of that name
   *  that was deleted since, and then waits for its records to expire. */
  private Object produce(JsonNode args) throws Exception {
    Map<String, Object> config = connection.producerConfig();
    config.put("client.id", "testkafka-producer");
    config.put("linger.ms", 0);
    try (Producer<byte[], byte[]> producer = new KafkaProducer<>(config)) {
      return Wire.toJson(new Records(args).send(producer));
    }
  }

  private Object start(JsonNode args) {
    String id = args.get("id").asText();
    Map<String, Object> config = connection.producerConfig();
    config.put("client.id", id);
    Stream stream = new Stream(args, config);
    if (running.putIfAbsent(id, stream) != null) {
      throw new IllegalArgumentException("producer " + id + " is running");
    }
    stream.start();
    return null;
  }

  private Object stop(JsonNode args) throws Exception {
    Stream stream = running.remove(args.get("id").asText());
    if (stream == null) {
      throw new IllegalArgumentException("no such producer");
    }
    return Wire.toJson(stream.finish());
  }
}
