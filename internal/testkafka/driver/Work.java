package lagwatch;

import java.util.concurrent.locks.LockSupport;

/** How long a consumer works on each record, and whether it should end. */
final class Work {
  private volatile long nanosPerRecord;
  private volatile boolean stopping;

  Work(long nanosPerRecord) {
    this.nanosPerRecord = nanosPerRecord;
  }

  void slow(long nanos) {
    nanosPerRecord = nanos;
  }

  void stop() {
    stopping = true;
  }

  boolean stopping() {
    return stopping;
  }

  /** Works on one record; returns false when told to stop before it is done. */
  boolean onRecord() {
    long started = System.nanoTime();
    while (!stopping) {
      long rest = nanosPerRecord - (System.nanoTime() - started);
      if (rest <= 0) {
        return true;
      }
      LockSupport.parkNanos(Math.min(rest, 50_000_000));
    }
    return false;
  }
}
