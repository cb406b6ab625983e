package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/** Consumers of all kinds, by the id that the test gave them. */
final class Consumers {
  /** A consumer that runs on a thread of its own. */
  interface Running {
    /** Ends it; with abandon it goes without telling the group. */
    void stop(boolean abandon) throws Exception;

    /** Whether it has ended, by itself or not. */
    boolean ended();

    /** Changes how long it works on each record. */
    void slow(long nanosPerRecord);

    /** From its next batch on it can process no record of these partitions. */
    void poison(Set<TopicPartition> partitions);
  }

  private final Connection connection;
  private final Wire wire;
  private final Map<String, Running> running = new ConcurrentHashMap<>();

  Consumers(Connection connection, Wire wire) {
    this.connection = connection;
    this.wire = wire;
  }

  void register(Map<String, Driver.Op> ops) {
    ops.put("startConsumer", this::start);
    ops.put("stopConsumer", this::stop);
    ops.put("slowConsumer", this::slow);
    ops.put("poisonConsumer", this::poison);
  }

  private synchronized Object start(JsonNode args) throws Exception {
    String id = args.get("id").asText();
    Running before = running.get(id);
    if (before != null && !before.ended()) {
      throw new IllegalArgumentException("consumer " + id + " is running");
    }
    boolean share = args.get("protocol").asText().equals("share");
    running.put(
        id,
        share
            ? Recent.load().share(connection, wire, args)
            : new Member(connection, wire, args));
    return null;
  }

  private Object stop(JsonNode args) throws Exception {
    String id = args.get("id").asText();
    find(id).stop(args.get("abandon").asBoolean());
    running.remove(id);
    return null;
  }

  private Object slow(JsonNode args) {
    find(args.get("id").asText()).slow(args.get("processingNanos").asLong());
    return null;
  }

  private Object poison(JsonNode args) {
    find(args.get("id").asText()).poison(new HashSet<>(Wire.partitions(args.get("partitions"))));
    return null;
  }

  private Running find(String id) {
    Running consumer = running.get(id);
    if (consumer == null) {
      throw new IllegalArgumentException("no such consumer");
    }
    return consumer;
  }
}
