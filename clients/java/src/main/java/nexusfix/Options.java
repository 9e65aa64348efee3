package nexusfix;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * How a client attaches.
 *
 * @param socket the gateway's Unix socket
 * @param name the client's, as the gateway's file of clients has it
 * @param token of this name
 * @param cursors the last messages that the program has handled, from its own store
 * @param resend whether messages without an answer are sent again after a lost connection;
 *     otherwise those that the gateway has not accepted fail with a {@link NotSentException}
 * @param queueMax events that wait for receive(), at most. With more the client ends with TOO_SLOW:
 *     nothing is lost, the program attaches again with its cursor
 * @param sharedMemory whether frames go by shared memory instead of the socket: no system call for
 *     a frame. Each connection maps 8 MiB, until the garbage collector finds it
 * @param retryMin the first delay after a lost connection, which doubles to retryMax
 * @param retryMax the longest delay
 */
public record Options(
    Path socket, String name, String token, List<Cursor> cursors, boolean resend, int queueMax,
    boolean sharedMemory, Duration retryMin, Duration retryMax) {
  private static final int QUEUE_MAX = 1 << 16;

  /** Checks the limits. */
  public Options {
    cursors = List.copyOf(cursors);
    if (queueMax < 1 || retryMin.toMillis() < 1 || retryMax.compareTo(retryMin) < 0) {
      throw new IllegalArgumentException("queueMax and the delays have at least 1");
    }
  }

  /** Without cursors: messages that arrive from now on. Resends; delays of 100 ms to 5 s. */
  public Options(Path socket, String name, String token) {
    this(socket, name, token, List.of(), true, QUEUE_MAX, false,
        Duration.ofMillis(100), Duration.ofSeconds(5));
  }

  /** These options with cursors. */
  public Options withCursors(List<Cursor> others) {
    return new Options(socket, name, token, others, resend, queueMax, sharedMemory, retryMin,
        retryMax);
  }

  /** These options, without resends. */
  public Options withoutResend() {
    return new Options(socket, name, token, cursors, false, queueMax, sharedMemory, retryMin,
        retryMax);
  }

  /** These options with other delays. */
  public Options withRetry(Duration min, Duration max) {
    return new Options(socket, name, token, cursors, resend, queueMax, sharedMemory, min, max);
  }

  /** These options, with frames in shared memory. */
  public Options withSharedMemory() {
    return new Options(socket, name, token, cursors, resend, queueMax, true, retryMin, retryMax);
  }
}
