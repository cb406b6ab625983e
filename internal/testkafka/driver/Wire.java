package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.common.TopicPartition;

/** Writes answers and events, and translates Kafka's types from and to JSON. */
final class Wire {
  static final ObjectMapper JSON = new ObjectMapper();

  private final PrintStream out;

  Wire(PrintStream out) {
    this.out = out;
  }

  void result(long id, Object result) {
    ObjectNode line = JSON.createObjectNode().put("id", id);
    line.set("result", JSON.valueToTree(result));
    send(line);
  }

  void error(long id, Throwable cause) {
    send(JSON.createObjectNode().put("id", id).put("error", describe(cause)));
  }

  synchronized void send(ObjectNode line) {
    out.println(line);
    out.flush();
  }

  static String describe(Throwable cause) {
    String name = cause.getClass().getSimpleName();
    return cause.getMessage() == null ? name : name + ": " + cause.getMessage();
  }

  /** Nanoseconds since 1970. */
  static long now() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  /** Makes a call and returns its value with the times around it. */
  static Map<String, Object> timed(Callable<Object> call) throws Exception {
    Map<String, Object> reading = new HashMap<>();
    reading.put("before", now());
    Object value = call.call();
    reading.put("after", now());
    reading.put("value", value);
    return reading;
  }

  static TopicPartition partition(JsonNode node) {
    return new TopicPartition(node.get("topic").asText(), node.get("partition").asInt());
  }

  static List<TopicPartition> partitions(JsonNode list) {
    List<TopicPartition> partitions = new ArrayList<>();
    list.forEach(node -> partitions.add(partition(node)));
    return partitions;
  }

  static Map<TopicPartition, Long> offsets(JsonNode list) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    list.forEach(node -> offsets.put(partition(node), node.get("offset").asLong()));
    return offsets;
  }

  static List<String> strings(JsonNode list) {
    List<String> strings = new ArrayList<>();
    list.forEach(node -> strings.add(node.asText()));
    return strings;
  }

  static Map<String, String> settings(JsonNode object) {
    Map<String, String> settings = new HashMap<>();
    object.fields().forEachRemaining(e -> settings.put(e.getKey(), e.getValue().asText()));
    return settings;
  }

  static ArrayNode toJson(Collection<TopicPartition> partitions) {
    ArrayNode list = JSON.createArrayNode();
    for (TopicPartition p : partitions) {
      list.addObject().put("topic", p.topic()).put("partition", p.partition());
    }
    return list;
  }

  static ArrayNode toJson(Map<TopicPartition, Long> offsets) {
    ArrayNode list = JSON.createArrayNode();
    offsets.forEach(
        (p, offset) ->
            list.addObject()
                .put("topic", p.topic())
                .put("partition", p.partition())
                .put("offset", offset));
    return list;
  }
}
