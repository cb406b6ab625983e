package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;

/** A consumer of a classic or consumer group, or one that assigns itself partitions. */
final class Member implements Consumers.Running, ConsumerRebalanceListener {
  private final MemberOptions options;
  private final Events events;
  private final Work work;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Thread thread;
  private volatile boolean abandon;
  private volatile Set<TopicPartition> poisoned = Set.of();

  // Below is the thread's own.
  private final Set<TopicPartition> held = new HashSet<>();
  private final Map<TopicPartition, Long> pending = new HashMap<>();
  private String memberId = "";
  private int generation = -1;

  Member(Connection connection, Wire wire, JsonNode args) {
    options = new MemberOptions(args);
    events = new Events(wire, options.id, options.group);
    work = new Work(args.get("processingNanos").asLong());
    consumer = new KafkaConsumer<>(options.config(connection.consumerConfig(), events));
    thread = new Thread(this::run, "consumer-" + options.id);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void stop(boolean abandon) throws Exception {
    if (abandon) {
      Recent.load(); // fails here where it can't be done
    }
    this.abandon = abandon;
    work.stop();
    thread.join();
  }

  @Override
  public boolean ended() {
    return !thread.isAlive();
  }

  @Override
  public void slow(long nanosPerRecord) {
    work.slow(nanosPerRecord);
  }

  @Override
  public void poison(Set<TopicPartition> partitions) {
    poisoned = partitions;
  }

  private void run() {
    try {
      subscribe();
      while (!work.stopping()) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
        noticeGeneration();
        process(records);
      }
      end();
      events.send(events.event("closed"));
    } catch (Throwable e) {
      events.trouble("failed", e);
      consumer.close(Duration.ofSeconds(1));
    }
  }

  private void subscribe() {
    if (options.assign.isEmpty()) {
      consumer.subscribe(options.topics, this);
      return;
    }
    consumer.assign(options.assign);
    held.addAll(options.assign);
    report("assigned", options.assign);
  }

  private void end() throws Exception {
    if (abandon) {
      Recent.load().remain(consumer);
    } else {
      consumer.close();
    }
  }

  private void process(ConsumerRecords<byte[], byte[]> records) {
    for (TopicPartition p : records.partitions()) {
      if (poisoned.contains(p)) {
        goBack(p, records.records(p));
      } else {
        process(p, records.records(p));
      }
    }
    if (!abandon && !pending.isEmpty() && options.commitsBatches()) {
      commit();
    }
  }

  private void process(TopicPartition p, List<ConsumerRecord<byte[], byte[]>> records) {
    for (ConsumerRecord<byte[], byte[]> record : records) {
      if (!work.onRecord()) {
        return;
      }
      pending.put(p, record.offset() + 1);
    }
    pending.put(p, consumer.position(p)); // behind transaction markers, as commitSync() is
  }

  /** Leaves records that it cannot process for later, and reads on elsewhere. */
  private void goBack(TopicPartition p, List<ConsumerRecord<byte[], byte[]>> records) {
    consumer.seek(p, records.get(0).offset());
    consumer.pause(List.of(p));
  }

  /** Commits what was processed; what a rebalance prevents is tried again after the next poll. */
  private void commit() {
    Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
    pending.forEach((p, offset) -> commits.put(p, new OffsetAndMetadata(offset)));
    long before = Wire.now();
    try {
      consumer.commitSync(commits);
    } catch (CommitFailedException | RebalanceInProgressException e) {
      events.trouble("commit-failed", e);
      return;
    }
    if (options.reportCommits) {
      events.committed(pending, before);
    }
    pending.clear();
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    held.addAll(partitions);
    report("assigned", partitions);
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    if (!abandon && options.commitsBatches() && !pending.isEmpty()) {
      commit();
    }
    release("revoked", partitions);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    release("lost", partitions);
  }

  private void release(String kind, Collection<TopicPartition> partitions) {
    held.removeAll(partitions);
    pending.keySet().removeAll(partitions);
    report(kind, partitions);
  }

  /** Reports a generation or epoch that came without a change of partitions. */
  private void noticeGeneration() {
    if (!options.hasGroup()) {
      return;
    }
    ConsumerGroupMetadata now = consumer.groupMetadata();
    boolean joined = now.generationId() > 0 || generation >= 0;
    if (joined && (now.generationId() != generation || !now.memberId().equals(memberId))) {
      report("generation", List.of());
    }
  }

  private void report(String kind, Collection<TopicPartition> partitions) {
    ObjectNode event = events.event(kind);
    if (options.hasGroup()) {
      ConsumerGroupMetadata metadata = consumer.groupMetadata();
      memberId = metadata.memberId();
      generation = metadata.generationId();
      event.put("memberId", memberId);
      if (generation >= 0) {
        event.put("generation", generation);
      }
    }
    event.set("partitions", Wire.toJson(partitions));
    event.set("assignment", Wire.toJson(held));
    events.send(event);
  }
}
