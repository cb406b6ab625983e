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
  private Producer<byte[], byte[]> shared;

  Producers(Connection connection) {
    this.connection = connection;
  }

  void register(Map<String, Driver.Op> ops) {
    ops.put("produce", args -> Wire.toJson(new Records(args).send(shared())));
    ops.put("startProducer", this::start);
    ops.put("stopProducer", this::stop);
  }

  private synchronized Producer<byte[], byte[]> shared() {
    if (shared == null) {
      Map<String, Object> config = connection.producerConfig();
      config.put("client.id", "testkafka-producer");
      config.put("linger.ms", 0);
      shared = new KafkaProducer<>(config);
    }
    return shared;
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
