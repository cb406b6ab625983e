package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConsumerGroupOffsetsResult;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Requests that change groups without being a member. */
final class Groups {
  /** An admin client has one request in flight for each broker, so bulk work takes several. */
  private static final int CLIENTS = 12;

  private final Connection connection;

  Groups(Connection connection) {
    this.connection = connection;
  }

  void register(Map<String, Driver.Op> ops) {
    ops.put("deleteGroups", this::delete);
    ops.put("deleteOffsets", this::deleteOffsets);
    ops.put("alterOffsets", this::alterOffsets);
    ops.put("createGroups", this::create);
  }

  private Object delete(JsonNode args) throws Exception {
    connection.admin.deleteConsumerGroups(Wire.strings(args.get("groups"))).all().get();
    return null;
  }

  private Object deleteOffsets(JsonNode args) throws Exception {
    connection
        .admin
        .deleteConsumerGroupOffsets(
            args.get("group").asText(),
            new HashSet<>(Wire.partitions(args.get("partitions"))))
        .all()
        .get();
    return null;
  }

  private Object alterOffsets(JsonNode args) throws Exception {
    Map<String, Map<TopicPartition, OffsetAndMetadata>> groups = new HashMap<>();
    args.get("groups")
        .fields()
        .forEachRemaining(e -> groups.put(e.getKey(), commits(e.getValue())));
    commit(groups);
    return null;
  }

  private Object create(JsonNode args) throws Exception {
    Map<TopicPartition, OffsetAndMetadata> commits = commits(args.get("offsets"));
    Map<String, Map<TopicPartition, OffsetAndMetadata>> groups = new HashMap<>();
    Wire.strings(args.get("groups")).forEach(group -> groups.put(group, commits));
    commit(groups);
    return null;
  }

  private static Map<TopicPartition, OffsetAndMetadata> commits(JsonNode list) {
    Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
    Wire.offsets(list).forEach((p, offset) -> commits.put(p, new OffsetAndMetadata(offset)));
    return commits;
  }

  private void commit(Map<String, Map<TopicPartition, OffsetAndMetadata>> groups)
      throws Exception {
    if (groups.size() < CLIENTS) {
      commit(List.of(connection.admin), groups);
      return;
    }
    List<Admin> clients = new ArrayList<>();
    try {
      while (clients.size() < CLIENTS) {
        clients.add(connection.newAdmin());
      }
      commit(clients, groups);
    } finally {
      clients.forEach(Admin::close);
    }
  }

  private static void commit(
      List<Admin> clients, Map<String, Map<TopicPartition, OffsetAndMetadata>> groups)
      throws Exception {
    List<AlterConsumerGroupOffsetsResult> pending = new ArrayList<>();
    for (Map.Entry<String, Map<TopicPartition, OffsetAndMetadata>> e : groups.entrySet()) {
      Admin client = clients.get(pending.size() % clients.size());
      pending.add(client.alterConsumerGroupOffsets(e.getKey(), e.getValue()));
    }
    for (AlterConsumerGroupOffsetsResult result : pending) {
      result.all().get();
    }
  }
}
