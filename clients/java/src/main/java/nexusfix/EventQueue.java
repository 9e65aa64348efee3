package nexusfix;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The events that wait for the program, and why there are no more. Any thread. */
final class EventQueue {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private final int max;
  private ClosedException end;

  EventQueue(int max) {
    this.max = max;
  }

  /** Whether the event was taken: false if the queue is full. */
  boolean put(Event event) {
    lock.lock();
    try {
      if (events.size() >= max) {
        return false;
      }
      events.add(event);
      changed.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  void end(ClosedException why) {
    lock.lock();
    try {
      end = why;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Null: no event has come in time. */
  Event take(long nanos) throws InterruptedException, ClosedException {
    long left = nanos;
    lock.lockInterruptibly();
    try {
      while (events.isEmpty()) {
        if (end != null) {
          throw end;
        }
        if (left <= 0) {
          return null;
        }
        left = changed.awaitNanos(left);
      }
      return events.remove();
    } finally {
      lock.unlock();
    }
  }
}
