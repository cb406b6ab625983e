package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Requests that change topics and settings. */
final class Topics {
  private final Connection connection;

  Topics(Connection connection) {
    this.connection = connection;
  }

  void register(Map<String, Driver.Op> ops) {
    ops.put("createTopic", this::create);
    ops.put("deleteTopic", this::delete);
    ops.put("addPartitions", this::addPartitions);
    ops.put("deleteRecords", this::deleteRecords);
    ops.put("setConfig", this::setConfig);
    ops.put("moveLeader", this::moveLeader);
  }

  private Object create(JsonNode args) throws Exception {
    String name = args.get("topic").asText();
    int partitions = args.get("partitions").asInt();
    NewTopic topic = new NewTopic(name, partitions, (short) args.get("replicas").asInt());
    topic.configs(Wire.settings(args.get("configs")));
    connection.admin.createTopics(List.of(topic)).all().get();
    awaitLeaders(name, partitions);
    return null;
  }

  private Object addPartitions(JsonNode args) throws Exception {
    String name = args.get("topic").asText();
    int partitions = args.get("partitions").asInt();
    connection
        .admin
        .createPartitions(Map.of(name, NewPartitions.increaseTo(partitions)))
        .all()
        .get();
    awaitLeaders(name, partitions);
    return null;
  }

  /** Brokers learn of a new partition some time after the controller made it. */
  private void awaitLeaders(String name, int partitions) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
    while (!hasLeaders(name, partitions)) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("no leaders for " + name + " after 15 s");
      }
      Thread.sleep(20);
    }
  }

  private boolean hasLeaders(String name, int partitions) throws Exception {
    try {
      TopicDescription topic = Lookups.topics(connection.admin, List.of(name)).get(name);
      List<TopicPartitionInfo> known = topic.partitions();
      return known.size() == partitions && known.stream().allMatch(p -> p.leader() != null);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw e;
    }
  }

  private Object delete(JsonNode args) throws Exception {
    connection.admin.deleteTopics(List.of(args.get("topic").asText())).all().get();
    return null;
  }

  private Object deleteRecords(JsonNode args) throws Exception {
    Map<TopicPartition, RecordsToDelete> before = new HashMap<>();
    Wire.offsets(args.get("offsets"))
        .forEach((p, offset) -> before.put(p, RecordsToDelete.beforeOffset(offset)));
    connection.admin.deleteRecords(before).all().get();
    return null;
  }

  /** Makes a replica the preferred leader, has it elected, and waits until it leads. */
  private Object moveLeader(JsonNode args) throws Exception {
    TopicPartition at = Wire.partition(args);
    int broker = args.get("broker").asInt();
    List<Integer> replicas = new ArrayList<>();
    info(at).replicas().forEach(node -> replicas.add(node.id()));
    if (!replicas.remove((Integer) broker)) {
      throw new IllegalArgumentException("broker " + broker + " has no replica of " + at);
    }
    replicas.add(0, broker);
    connection
        .admin
        .alterPartitionReassignments(Map.of(at, Optional.of(new NewPartitionReassignment(replicas))))
        .all()
        .get();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!leads(broker, at)) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("broker " + broker + " does not lead " + at + " after 60 s");
      }
      connection.admin.electLeaders(ElectionType.PREFERRED, Set.of(at)).partitions().get();
      Thread.sleep(50);
    }
    return null;
  }

  private boolean leads(int broker, TopicPartition at) throws Exception {
    Node leader = info(at).leader();
    return leader != null && leader.id() == broker;
  }

  private TopicPartitionInfo info(TopicPartition at) throws Exception {
    return Lookups.topics(connection.admin, List.of(at.topic()))
        .get(at.topic())
        .partitions()
        .get(at.partition());
  }

  private Object setConfig(JsonNode args) throws Exception {
    ConfigResource.Type type = ConfigResource.Type.valueOf(args.get("type").asText());
    Collection<AlterConfigOp> changes = new ArrayList<>();
    Wire.settings(args.get("configs"))
        .forEach(
            (key, value) ->
                changes.add(
                    new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
    ConfigResource resource = new ConfigResource(type, args.get("name").asText());
    connection.admin.incrementalAlterConfigs(Map.of(resource, changes)).all().get();
    return null;
  }
}
