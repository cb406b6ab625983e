package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/** Requests that only look; each answer has the times before and after the look. */
final class Readings {
  private final Connection connection;

  Readings(Connection connection) {
    this.connection = connection;
  }

  void register(Map<String, Driver.Op> ops) {
    ops.put("listOffsets", this::listOffsets);
    ops.put("committed", this::committed);
    ops.put("describeGroups", this::describeGroups);
    ops.put("describeTopics", this::describeTopics);
    ops.put("listTopics", this::listTopics);
  }

  private Object listOffsets(JsonNode args) throws Exception {
    List<TopicPartition> partitions = connection.partitionsOf(Wire.strings(args.get("topics")));
    IsolationLevel isolation =
        args.get("stable").asBoolean()
            ? IsolationLevel.READ_COMMITTED
            : IsolationLevel.READ_UNCOMMITTED;
    OffsetSpec spec = spec(args);
    return Wire.timed(() -> Wire.toJson(connection.offsets(partitions, spec, isolation)));
  }

  private static OffsetSpec spec(JsonNode args) {
    switch (args.get("at").asText()) {
      case "start":
        return OffsetSpec.earliest();
      case "end":
        return OffsetSpec.latest();
      default:
        return OffsetSpec.forTimestamp(args.get("at").asLong());
    }
  }

  private Object committed(JsonNode args) throws Exception {
    List<String> groups = Wire.strings(args.get("groups"));
    return Wire.timed(
        () -> {
          ObjectNode all = Wire.JSON.createObjectNode();
          Lookups.committed(connection.admin, groups)
              .forEach((group, commits) -> all.set(group, Wire.toJson(known(commits))));
          return all;
        });
  }

  static Map<TopicPartition, Long> known(Map<TopicPartition, OffsetAndMetadata> commits) {
    Map<TopicPartition, Long> known = new HashMap<>();
    commits.forEach(
        (p, commit) -> {
          if (commit != null) {
            known.put(p, commit.offset());
          }
        });
    return known;
  }

  private Object describeGroups(JsonNode args) throws Exception {
    List<String> groups = Wire.strings(args.get("groups"));
    return Wire.timed(
        () -> {
          ObjectNode all = Wire.JSON.createObjectNode();
          connection
              .admin
              .describeConsumerGroups(groups)
              .all()
              .get()
              .forEach((group, description) -> all.set(group, group(description)));
          return all;
        });
  }

  private static ObjectNode group(ConsumerGroupDescription group) {
    ObjectNode node = Wire.JSON.createObjectNode();
    node.put("group", group.groupId());
    node.put("state", Objects.toString(property(group, "groupState", "state"), ""));
    node.put("type", Objects.toString(property(group, "type"), ""));
    node.put("assignor", group.partitionAssignor());
    node.put("coordinator", group.coordinator().id());
    putEpoch(node, property(group, "groupEpoch"));
    ArrayNode members = node.putArray("members");
    group.members().forEach(member -> members.add(member(member)));
    return node;
  }

  private static ObjectNode member(MemberDescription member) {
    ObjectNode node = Wire.JSON.createObjectNode();
    node.put("memberId", member.consumerId());
    node.put("instanceId", member.groupInstanceId().orElse(""));
    node.put("clientId", member.clientId());
    node.put("host", member.host());
    putEpoch(node, property(member, "memberEpoch"));
    node.set("assignment", Wire.toJson(member.assignment().topicPartitions()));
    return node;
  }

  /** A property by the first of its names that this version of Kafka knows, else null. */
  private static Object property(Object of, String... names) {
    for (String name : names) {
      try {
        return of.getClass().getMethod(name).invoke(of);
      } catch (NoSuchMethodException e) {
        continue;
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
    return null;
  }

  private static void putEpoch(ObjectNode node, Object epoch) {
    if (epoch instanceof Optional<?> && ((Optional<?>) epoch).isPresent()) {
      node.put("epoch", (Integer) ((Optional<?>) epoch).get());
    }
  }

  private Object describeTopics(JsonNode args) throws Exception {
    List<String> topics = Wire.strings(args.get("topics"));
    return Wire.timed(
        () -> {
          ArrayNode all = Wire.JSON.createArrayNode();
          for (TopicDescription topic : Lookups.topics(connection.admin, topics).values()) {
            topic.partitions().forEach(p -> all.add(partition(topic.name(), p)));
          }
          return all;
        });
  }

  private static ObjectNode partition(String topic, TopicPartitionInfo info) {
    ObjectNode node = Wire.JSON.createObjectNode();
    node.put("topic", topic).put("partition", info.partition());
    if (info.leader() != null && !info.leader().isEmpty()) {
      node.put("leader", info.leader().id());
    }
    ids(node.putArray("replicas"), info.replicas());
    ids(node.putArray("inSync"), info.isr());
    return node;
  }

  private static void ids(ArrayNode list, List<Node> nodes) {
    nodes.forEach(node -> list.add(node.id()));
  }

  private Object listTopics(JsonNode args) throws Exception {
    ListTopicsOptions all = new ListTopicsOptions().listInternal(true);
    return Wire.timed(() -> new TreeSet<>(connection.admin.listTopics(all).names().get()));
  }
}
