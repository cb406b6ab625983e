package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.kafka.clients.consumer.Consumer;

/** What only clients of Kafka 4.1 and later can do. The class behind it is compiled for those. */
interface Recent {
  /** Closes a consumer without a word to its group, which finds out by the session timeout. */
  void remain(Consumer<?, ?> consumer);

  Consumers.Running share(Connection connection, Wire wire, JsonNode args);

  static Recent load() throws Exception {
    try {
      return (Recent) Class.forName("lagwatch.Recent41").getDeclaredConstructor().newInstance();
    } catch (ClassNotFoundException e) {
      throw new UnsupportedOperationException("this needs clients of Kafka 4.1 or later");
    }
  }
}
