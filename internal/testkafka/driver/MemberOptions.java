package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.TopicPartition;

/** What a test asked of a consumer. */
final class MemberOptions {
  final String id;
  final String group;
  final List<String> topics;
  final List<TopicPartition> assign;
  final boolean reportCommits;
  private final String commit;
  private final JsonNode args;

  MemberOptions(JsonNode args) {
    this.args = args;
    id = args.get("id").asText();
    group = args.get("group").asText();
    topics = Wire.strings(args.get("topics"));
    assign = Wire.partitions(args.get("assign"));
    reportCommits = args.get("reportCommits").asBoolean();
    commit = args.get("commit").asText();
  }

  boolean hasGroup() {
    return !group.isEmpty();
  }

  boolean commitsBatches() {
    return commit.equals("batch");
  }

  Map<String, Object> config(Map<String, Object> config, Events events) {
    config.put("client.id", id);
    config.put("auto.offset.reset", args.get("offsetReset").asText());
    config.put("enable.auto.commit", commit.equals("auto"));
    putPositive(config, "auto.commit.interval.ms", "autoCommitMillis");
    putPositive(config, "max.poll.records", "maxPollRecords");
    if (hasGroup()) {
      config.put("group.id", group);
      putProtocol(config);
    }
    if (commit.equals("auto") && reportCommits) {
      config.put("interceptor.classes", AutoCommits.class.getName());
      config.put(AutoCommits.EVENTS, events);
    }
    config.putAll(Wire.settings(args.get("config")));
    return config;
  }

  private void putProtocol(Map<String, Object> config) {
    String instance = args.get("instanceId").asText();
    if (!instance.isEmpty()) {
      config.put("group.instance.id", instance);
    }
    String protocol = args.get("protocol").asText();
    if (protocol.equals("consumer")) {
      config.put("group.protocol", "consumer");
      return;
    }
    config.put(
        "partition.assignment.strategy",
        protocol.equals("cooperative")
            ? CooperativeStickyAssignor.class.getName()
            : RangeAssignor.class.getName());
    int session = args.get("sessionMillis").asInt();
    putPositive(config, "session.timeout.ms", "sessionMillis");
    config.put("heartbeat.interval.ms", session > 0 ? Math.min(1000, session / 3) : 1000);
  }

  private void putPositive(Map<String, Object> config, String setting, String arg) {
    if (args.get(arg).asInt() > 0) {
      config.put(setting, args.get(arg).asInt());
    }
  }
}
