package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;

/** Transactions that are committed, aborted, or left open. */
final class Transactions {
  /** A producer with its transaction open, and where its records ended. */
  private static final class Open {
    final Producer<byte[], byte[]> producer;
    Map<TopicPartition, Long> next = new HashMap<>();

    Open(Producer<byte[], byte[]> producer) {
      this.producer = producer;
    }
  }

  private final Connection connection;
  private final Map<String, Open> open = new ConcurrentHashMap<>();

  Transactions(Connection connection) {
    this.connection = connection;
  }

  void register(Map<String, Driver.Op> ops) {
    ops.put("beginTransaction", this::begin);
    ops.put("endTransaction", this::end);
  }

  private Object begin(JsonNode args) throws Exception {
    String id = args.get("transactionalId").asText();
    Map<String, Object> config = connection.producerConfig();
    config.put("client.id", id);
    config.put("transactional.id", id);
    config.put("transaction.timeout.ms", args.get("timeoutMillis").asInt());
    Open transaction = new Open(new KafkaProducer<>(config));
    if (open.putIfAbsent(id, transaction) != null) {
      transaction.producer.close();
      throw new IllegalArgumentException("transaction " + id + " is open");
    }
    try {
      transaction.producer.initTransactions();
      transaction.producer.beginTransaction();
      transaction.next = new Records(args).send(transaction.producer);
    } catch (Exception e) {
      open.remove(id);
      transaction.producer.close();
      throw e;
    }
    return Wire.toJson(transaction.next);
  }

  /** Ends a transaction and waits for its marker in each log; returns where the logs end then. */
  private Object end(JsonNode args) throws Exception {
    String id = args.get("transactionalId").asText();
    Open transaction = open.remove(id);
    if (transaction == null) {
      throw new IllegalArgumentException("no open transaction " + id);
    }
    try (Producer<byte[], byte[]> producer = transaction.producer) {
      if (args.get("commit").asBoolean()) {
        producer.commitTransaction();
      } else {
        producer.abortTransaction();
      }
    }
    Map<TopicPartition, Long> behindMarker = new HashMap<>();
    transaction.next.forEach((p, offset) -> behindMarker.put(p, offset + 1));
    connection.awaitEnd(behindMarker);
    return Wire.toJson(behindMarker);
  }
}
