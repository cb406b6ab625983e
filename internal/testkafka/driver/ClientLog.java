package lagwatch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;

/**
 * Standard error, on which Kafka's clients log. Share consumers and the threads of streams
 * applications tell a caller neither their epoch nor, the former, what they are assigned. They log
 * both, and what they log of it is an event here instead of a line. Lines of others pass.
 */
final class ClientLog extends PrintStream {
  private static final String LOGGERS =
      "org.slf4j.simpleLogger.log.org.apache.kafka.clients.consumer.internals.";
  private static final Pattern OURS =
      Pattern.compile(
          "INFO \\S+\\.(?:Share|Streams)MembershipManager - "
              + "\\[(?:Share)?Consumer clientId=([^,]+), groupId=([^\\]]+)\\] (.*)",
          Pattern.DOTALL);
  private static final Pattern EPOCH = Pattern.compile("Member (\\S+) with epoch (\\d+) transitioned.*");
  private static final Pattern ASSIGNED =
      Pattern.compile("Reconciling assignment.*?\\sAssigned partitions:\\s+\\[([^\\]]*)\\].*", Pattern.DOTALL);

  private final Wire wire;
  private final Map<String, String> epochs = new HashMap<>(); // by client id

  private ClientLog(PrintStream out, Wire wire) {
    super(out, true);
    this.wire = wire;
  }

  /** Has to come before anything logs: loggers read their levels once. */
  static void install(Wire wire) {
    System.setProperty(LOGGERS + "ShareMembershipManager", "info");
    System.setProperty(LOGGERS + "StreamsMembershipManager", "info");
    System.setErr(new ClientLog(System.err, wire));
  }

  @Override
  public void println(String line) {
    Matcher ours = OURS.matcher(line);
    if (!ours.find()) {
      super.println(line);
      return;
    }
    Events events = new Events(wire, ours.group(1), ours.group(2));
    Matcher epoch = EPOCH.matcher(ours.group(3));
    Matcher assigned = ASSIGNED.matcher(ours.group(3));
    if (epoch.matches()) {
      epoch(events, ours.group(1), epoch.group(1), epoch.group(2));
    } else if (assigned.matches()) {
      ObjectNode event = events.event("logged-assignment");
      event.set("assignment", Wire.toJson(partitions(assigned.group(1))));
      events.send(event);
    }
  }

  /** Reports an epoch once; 0 is that of a member which has none. */
  private synchronized void epoch(Events events, String client, String member, String epoch) {
    if (!epoch.equals(epochs.put(client, epoch)) && !epoch.equals("0")) {
      ObjectNode event = events.event("logged-epoch").put("memberId", member);
      events.send(event.put("generation", Integer.parseInt(epoch)));
    }
  }

  /** Reads "topic-0, topic-1". */
  private static List<TopicPartition> partitions(String list) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (String name : list.split(", ")) {
      int dash = name.lastIndexOf('-');
      if (dash > 0) {
        partitions.add(
            new TopicPartition(name.substring(0, dash), Integer.parseInt(name.substring(dash + 1))));
      }
    }
    return partitions;
  }
}
