package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Instances of Kafka Streams applications, by the id that the test gave them. */
final class StreamsApps {
  private final Connection connection;
  private final Wire wire;
  private final Map<String, StreamsApp> running = new ConcurrentHashMap<>();

  StreamsApps(Connection connection, Wire wire) {
    this.connection = connection;
    this.wire = wire;
  }

  void register(Map<String, Driver.Op> ops) {
    ops.put("startStreams", this::start);
    ops.put("stopStreams", this::stop);
    ops.put("slowStreams", this::slow);
  }

  private synchronized Object start(JsonNode args) {
    String id = args.get("id").asText();
    if (running.containsKey(id)) {
      throw new IllegalArgumentException("instance " + id + " is running");
    }
    running.put(id, new StreamsApp(connection, wire, args));
    return null;
  }

  private Object stop(JsonNode args) throws Exception {
    StreamsApp app = find(args);
    app.stop(args.get("abandon").asBoolean());
    running.remove(args.get("id").asText());
    return null;
  }

  private Object slow(JsonNode args) {
    find(args).slow(args.get("processingNanos").asLong());
    return null;
  }

  private StreamsApp find(JsonNode args) {
    StreamsApp app = running.get(args.get("id").asText());
    if (app == null) {
      throw new IllegalArgumentException("no such instance");
    }
    return app;
  }
}
