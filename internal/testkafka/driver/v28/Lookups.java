package lagwatch;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** The look-ups as the admin client before Kafka 3.3 has them: one request for each group. */
final class Lookups {
  private Lookups() {}

  static Map<String, TopicDescription> topics(Admin admin, Collection<String> names)
      throws Exception {
    return admin.describeTopics(names).all().get();
  }

  static Map<String, Map<TopicPartition, OffsetAndMetadata>> committed(
      Admin admin, Collection<String> groups) throws Exception {
    Map<String, ListConsumerGroupOffsetsResult> asked = new HashMap<>();
    groups.forEach(group -> asked.put(group, admin.listConsumerGroupOffsets(group)));
    Map<String, Map<TopicPartition, OffsetAndMetadata>> all = new HashMap<>();
    for (Map.Entry<String, ListConsumerGroupOffsetsResult> e : asked.entrySet()) {
      all.put(e.getKey(), e.getValue().partitionsToOffsetAndMetadata().get());
    }
    return all;
  }
}
