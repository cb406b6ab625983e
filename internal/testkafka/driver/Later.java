package lagwatch;

import java.util.Map;

/** Operations that only clients of Kafka 4.4 and later have; compiled for those. */
interface Later {
  void register(Connection connection, Wire wire, Map<String, Driver.Op> ops);

  /** Adds the operations where they were compiled; elsewhere they are unknown. */
  static void registerIn(Connection connection, Wire wire, Map<String, Driver.Op> ops)
      throws ReflectiveOperationException {
    Class<?> later;
    try {
      later = Class.forName("lagwatch.Later44");
    } catch (ClassNotFoundException e) {
      return;
    }
    ((Later) later.getDeclaredConstructor().newInstance()).register(connection, wire, ops);
  }
}
