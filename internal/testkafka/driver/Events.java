package lagwatch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Reports what happens to one consumer. */
final class Events {
  private final Wire wire;
  private final String consumer;
  private final String group;

  Events(Wire wire, String consumer, String group) {
    this.wire = wire;
    this.consumer = consumer;
    this.group = group;
  }

  ObjectNode event(String kind) {
    return Wire.JSON
        .createObjectNode()
        .put("event", kind)
        .put("at", Wire.now())
        .put("consumer", consumer)
        .put("group", group);
  }

  void send(ObjectNode event) {
    wire.send(event);
  }

  void committed(Map<TopicPartition, Long> offsets, long before) {
    ObjectNode event = event("committed");
    if (before != 0) {
      event.put("before", before);
    }
    event.set("offsets", Wire.toJson(offsets));
    send(event);
  }

  void trouble(String kind, Throwable cause) {
    send(event(kind).put("error", Wire.describe(cause)));
  }
}
