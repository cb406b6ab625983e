package lagwatch;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** What the admin client of Kafka 3.3 and later spells differently: it asks for many groups at once. */
final class Lookups {
  private Lookups() {}

  static Map<String, TopicDescription> topics(Admin admin, Collection<String> names)
      throws Exception {
    return admin.describeTopics(names).allTopicNames().get();
  }

  static Map<String, Map<TopicPartition, OffsetAndMetadata>> committed(
      Admin admin, Collection<String> groups) throws Exception {
    Map<String, ListConsumerGroupOffsetsSpec> all = new HashMap<>();
    groups.forEach(group -> all.put(group, new ListConsumerGroupOffsetsSpec()));
    return admin.listConsumerGroupOffsets(all).all().get();
  }
}
