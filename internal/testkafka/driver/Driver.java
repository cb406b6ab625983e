package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Kafka's Java clients behind a line protocol.
 *
 * <p>Each line on standard input is a request {"id":1,"op":"...","args":{}}. It is answered on
 * standard output by {"id":1,"result":...} or {"id":1,"error":"..."}, in any order, because requests
 * run side by side. Lines {"event":...} come in between. The program ends with its input.
 */
public final class Driver {
  /** What one request asks for. The result is written as JSON. */
  interface Op {
    Object run(JsonNode args) throws Exception;
  }

  private final Wire wire;
  private final Map<String, Op> ops = new HashMap<>();
  private final ExecutorService pool =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "request");
            thread.setDaemon(true);
            return thread;
          });

  private Driver(Wire wire) {
    this.wire = wire;
  }

  public static void main(String[] args) throws Exception {
    Wire wire = new Wire(System.out);
    ClientLog.install(wire);
    System.setOut(System.err); // only the wire may write there
    Connection connection = new Connection(args[0]);
    Driver driver = new Driver(wire);
    new Topics(connection).register(driver.ops);
    new Groups(connection).register(driver.ops);
    new Readings(connection).register(driver.ops);
    new Producers(connection).register(driver.ops);
    new Transactions(connection).register(driver.ops);
    new Security(connection).register(driver.ops);
    new Consumers(connection, wire).register(driver.ops);
    Later.registerIn(connection, wire, driver.ops);
    driver.serve();
    Runtime.getRuntime().halt(0);
  }

  private void serve() throws Exception {
    ops.put("ping", args -> null);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonNode request = Wire.JSON.readTree(line);
      pool.execute(() -> answer(request));
    }
  }

  private void answer(JsonNode request) {
    long id = request.get("id").asLong();
    Op op = ops.get(request.get("op").asText());
    try {
      if (op == null) {
        throw new IllegalArgumentException(request.get("op") + " is no operation of the clients of this version");
      }
      wire.result(id, op.run(request.get("args")));
    } catch (Throwable thrown) {
      Throwable cause = thrown instanceof ExecutionException ? thrown.getCause() : thrown;
      wire.error(id, cause);
    }
  }
}
