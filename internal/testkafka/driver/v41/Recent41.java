package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;

/** Kafka 4.1 and later. */
final class Recent41 implements Recent {
  Recent41() {}

  @Override
  public void remain(Consumer<?, ?> consumer) {
    consumer.close(
        CloseOptions.groupMembershipOperation(
                CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP)
            .withTimeout(Duration.ofSeconds(1)));
  }

  @Override
  public Consumers.Running share(Connection connection, Wire wire, JsonNode args) {
    return new ShareMember(connection, wire, args);
  }
}
