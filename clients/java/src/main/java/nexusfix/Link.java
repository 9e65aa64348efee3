package nexusfix;

import java.io.Closeable;
import java.io.IOException;

/** What the frames of one connection go by. One thread reads, one thread at a time writes. */
interface Link extends Closeable {
  /** The next frame; waits for it. EOFException: the connection has ended. */
  Frame next() throws IOException;

  /** Writes a frame; waits while the gateway does not read. */
  void write(Frame frame) throws IOException;

  /** Ends the connection. Any thread; wakes the one that reads. */
  @Override
  void close();
}
