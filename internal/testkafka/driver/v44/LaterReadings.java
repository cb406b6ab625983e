package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.ShareMemberDescription;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.clients.admin.StreamsGroupMemberAssignment.TaskIds;
import org.apache.kafka.clients.admin.StreamsGroupMemberDescription;
import org.apache.kafka.clients.admin.StreamsGroupSubtopologyDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** Looks at share and streams groups. */
final class LaterReadings {
  private final Connection connection;

  LaterReadings(Connection connection) {
    this.connection = connection;
  }

  void register(Map<String, Driver.Op> ops) {
    ops.put("positions", this::positions);
    ops.put("describeShareGroups", this::describeShareGroups);
    ops.put("describeStreamsGroups", this::describeStreamsGroups);
  }

  /** Start and end offsets, commits and share positions in one reading, the ends first and last. */
  private Object positions(JsonNode args) throws Exception {
    List<TopicPartition> partitions = connection.partitionsOf(Wire.strings(args.get("topics")));
    Map<String, ListConsumerGroupOffsetsSpec> groups = new HashMap<>();
    Wire.strings(args.get("groups")).forEach(g -> groups.put(g, new ListConsumerGroupOffsetsSpec()));
    Map<String, ListShareGroupOffsetsSpec> shares = new HashMap<>();
    Wire.strings(args.get("shareGroups"))
        .forEach(g -> shares.put(g, new ListShareGroupOffsetsSpec()));
    return Wire.timed(
        () -> {
          ObjectNode all = Wire.JSON.createObjectNode();
          all.set("firstEnds", offsets(partitions, OffsetSpec.latest()));
          ListConsumerGroupOffsetsResult commits =
              connection.admin.listConsumerGroupOffsets(groups);
          ListShareGroupOffsetsResult positions = connection.admin.listShareGroupOffsets(shares);
          all.set("starts", offsets(partitions, OffsetSpec.earliest()));
          ObjectNode committed = all.putObject("committed");
          commits.all().get().forEach((g, of) -> committed.set(g, Wire.toJson(Readings.known(of))));
          ObjectNode share = all.putObject("share");
          positions.all().get().forEach((group, of) -> share.set(group, shared(of)));
          all.set("lastEnds", offsets(partitions, OffsetSpec.latest()));
          return all;
        });
  }

  private ArrayNode offsets(List<TopicPartition> partitions, OffsetSpec spec) throws Exception {
    return Wire.toJson(connection.offsets(partitions, spec, IsolationLevel.READ_UNCOMMITTED));
  }

  /** A partition that the group has not begun to read is left out. */
  private static ObjectNode shared(Map<TopicPartition, SharePartitionOffsetInfo> positions) {
    Map<TopicPartition, Long> starts = new HashMap<>();
    Map<TopicPartition, Long> lags = new HashMap<>();
    positions.forEach(
        (p, info) -> {
          if (info != null) {
            starts.put(p, info.startOffset());
            info.lag().ifPresent(lag -> lags.put(p, lag));
          }
        });
    ObjectNode node = Wire.JSON.createObjectNode();
    node.set("starts", Wire.toJson(starts));
    node.set("lags", Wire.toJson(lags));
    return node;
  }

  private Object describeShareGroups(JsonNode args) throws Exception {
    List<String> groups = Wire.strings(args.get("groups"));
    return Wire.timed(
        () -> {
          ObjectNode all = Wire.JSON.createObjectNode();
          for (ShareGroupDescription group :
              connection.admin.describeShareGroups(groups).all().get().values()) {
            ObjectNode node = all.putObject(group.groupId());
            node.put("group", group.groupId()).put("type", "Share");
            node.put("state", group.groupState().toString());
            node.put("coordinator", group.coordinator().id()).put("epoch", group.groupEpoch());
            ArrayNode members = node.putArray("members");
            group.members().forEach(m -> put(members.addObject(), m));
          }
          return all;
        });
  }

  private static void put(ObjectNode node, ShareMemberDescription member) {
    node.put("memberId", member.consumerId()).put("clientId", member.clientId());
    node.put("host", member.host()).put("epoch", member.memberEpoch());
    node.set("assignment", Wire.toJson(member.assignment().topicPartitions()));
  }

  private Object describeStreamsGroups(JsonNode args) throws Exception {
    List<String> groups = Wire.strings(args.get("groups"));
    return Wire.timed(
        () -> {
          ObjectNode all = Wire.JSON.createObjectNode();
          for (StreamsGroupDescription group :
              connection.admin.describeStreamsGroups(groups).all().get().values()) {
            ObjectNode node = all.putObject(group.groupId());
            node.put("group", group.groupId()).put("type", "Streams");
            node.put("state", group.groupState().toString());
            node.put("coordinator", group.coordinator().id()).put("epoch", group.groupEpoch());
            ArrayNode members = node.putArray("members");
            group.members().forEach(m -> put(members.addObject(), m, sources(group)));
          }
          return all;
        });
  }

  /** The topics that each subtopology reads; task n reads partition n of those. */
  private static Map<String, Set<String>> sources(StreamsGroupDescription group) {
    Map<String, Set<String>> sources = new HashMap<>();
    for (StreamsGroupSubtopologyDescription part : group.subtopologies()) {
      Set<String> topics = new HashSet<>(part.sourceTopics());
      topics.addAll(part.repartitionSourceTopics().keySet());
      sources.put(part.subtopologyId(), topics);
    }
    return sources;
  }

  private static void put(
      ObjectNode node, StreamsGroupMemberDescription member, Map<String, Set<String>> sources) {
    node.put("memberId", member.memberId()).put("clientId", member.clientId());
    node.put("host", member.clientHost()).put("epoch", member.memberEpoch());
    Set<TopicPartition> read = new HashSet<>();
    for (TaskIds tasks : member.assignment().activeTasks()) {
      for (String topic : sources.get(tasks.subtopologyId())) {
        tasks.partitions().forEach(p -> read.add(new TopicPartition(topic, p)));
      }
    }
    node.set("assignment", Wire.toJson(read));
  }
}
