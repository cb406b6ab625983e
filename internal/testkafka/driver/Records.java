package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** A number of records to produce at once, as a request describes them. */
final class Records {
  private final String topic;
  private final Integer partition;
  private final long count;
  private final int keys;
  private final byte[] value;
  private final Long timestamp;

  Records(JsonNode args) {
    topic = args.get("topic").asText();
    partition = args.hasNonNull("partition") ? args.get("partition").asInt() : null;
    count = args.get("records").asLong();
    keys = args.get("keys").asInt();
    value = new byte[args.get("valueBytes").asInt()];
    timestamp = args.hasNonNull("timestamp") ? args.get("timestamp").asLong() : null;
  }

  /** Sends all and returns, by partition, the offset behind the last record. */
  Map<TopicPartition, Long> send(Producer<byte[], byte[]> producer) throws Exception {
    int partitions = producer.partitionsFor(topic).size();
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      sent.add(producer.send(record(i, partitions)));
    }
    producer.flush();
    Map<TopicPartition, Long> next = new HashMap<>();
    for (Future<RecordMetadata> future : sent) {
      RecordMetadata metadata = future.get();
      next.merge(
          new TopicPartition(metadata.topic(), metadata.partition()),
          metadata.offset() + 1,
          Math::max);
    }
    return next;
  }

  private ProducerRecord<byte[], byte[]> record(long i, int partitions) {
    if (partition != null) {
      return new ProducerRecord<>(topic, partition, timestamp, null, value);
    }
    if (keys > 0) {
      return new ProducerRecord<>(topic, null, timestamp, key((int) (i % keys)), value);
    }
    return new ProducerRecord<>(topic, (int) (i % partitions), timestamp, null, value);
  }

  static byte[] key(int number) {
    return ("key-" + number).getBytes(StandardCharsets.UTF_8);
  }
}
