package lagwatch;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Reports the commits that a consumer makes by itself; nothing else sees them. */
public final class AutoCommits implements ConsumerInterceptor<byte[], byte[]> {
  static final String EVENTS = "testkafka.events";

  private Events events;

  @Override
  public void configure(Map<String, ?> config) {
    events = (Events) config.get(EVENTS);
  }

  @Override
  public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
    return records;
  }

  @Override
  public void onCommit(Map<TopicPartition, OffsetAndMetadata> commits) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    commits.forEach((p, commit) -> offsets.put(p, commit.offset()));
    events.committed(offsets, 0);
  }

  @Override
  public void close() {}
}
