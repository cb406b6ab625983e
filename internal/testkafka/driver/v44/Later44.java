package lagwatch;

import java.util.Map;

/** Kafka 4.4 and later. */
final class Later44 implements Later {
  Later44() {}

  @Override
  public void register(Connection connection, Wire wire, Map<String, Driver.Op> ops) {
    new LaterReadings(connection).register(ops);
    new StreamsApps(connection, wire).register(ops);
  }
}
