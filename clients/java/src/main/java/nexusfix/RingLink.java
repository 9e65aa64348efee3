package nexusfix;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;

/**
 * Frames by the shared memory of docs/reference/gateway-memory.md. The socket stays open: a byte on
 * it wakes the side that sleeps, and its end is the end of the other process.
 */
final class RingLink implements Link {
  static final int LAYOUT = 1;

  private static final long MAGIC = 0x474E_4952_5846_584EL; // NXFXRING
  private static final int HEADER_BYTES = 4096;
  private static final int STATE_AT = 0x80;
  private static final int OPEN = 1;
  private static final int RING_BYTES_MIN = 4096;
  private static final long SPIN_NANOS = 20_000;
  private static final long FULL_NANOS_MAX = 10_000_000_000L;

  private final SocketLink socket;
  private final ByteBuffer memory;
  private final Ring inbound;
  private final Ring outbound;
  private final ByteBuffer wakes = ByteBuffer.allocate(256);
  private volatile boolean hasEnded;

  private RingLink(SocketLink socket, ByteBuffer memory, Ring inbound, Ring outbound) {
    this.socket = socket;
    this.memory = memory;
    this.inbound = inbound;
    this.outbound = outbound;
  }

  /** Maps the file that the Welcome names, and checks its header. */
  static RingLink open(SocketLink socket, Path path, long key) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ,
        StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      long size = file.size();
      if (size < HEADER_BYTES || size > Integer.MAX_VALUE) {
        throw new IOException(path + ": " + size + " bytes; a client in Java maps up to 2 GiB");
      }
      return open(socket, path,
          file.map(FileChannel.MapMode.READ_WRITE, 0, size).order(ByteOrder.LITTLE_ENDIAN), key);
    }
  }

  static RingLink open(SocketLink socket, Path path, ByteBuffer memory, long key)
      throws IOException {
    if (memory.getLong(0) != MAGIC) {
      throw new IOException(path + ": is no shared memory of a gateway");
    }
    if (memory.getInt(0x08) != LAYOUT) {
      throw new IOException(path + ": has layout version "
          + Integer.toUnsignedString(memory.getInt(0x08)) + ", and this client knows " + LAYOUT);
    }
    if (memory.getLong(0x30) != key) {
      throw new IOException(path + ": is the shared memory of another client");
    }
    long toGateway = memory.getLong(0x40);
    long toClient = memory.getLong(0x50);
    int frameBytesMax = memory.getInt(0x18);
    if (memory.getInt(0x0C) != HEADER_BYTES || memory.getLong(0x10) != memory.capacity()
        || !isRing(toGateway) || !isRing(toClient)
        || memory.getLong(0x38) != HEADER_BYTES || memory.getLong(0x48) != HEADER_BYTES + toGateway
        || HEADER_BYTES + toGateway + toClient != memory.capacity()
        || frameBytesMax < Frame.HEADER_BYTES
        || frameBytesMax > Math.min(toGateway, toClient) / 2 - 8) {
      throw new IOException(path + ": its sizes are impossible");
    }
    return new RingLink(socket, memory,
        new Ring(memory, 0x200, HEADER_BYTES + (int) toGateway, (int) toClient, frameBytesMax),
        new Ring(memory, 0x100, HEADER_BYTES, (int) toGateway, frameBytesMax));
  }

  private static boolean isRing(long bytes) {
    return bytes >= RING_BYTES_MIN && bytes <= 1 << 30 && Long.bitCount(bytes) == 1;
  }

  private boolean isClosed() {
    return (int) Ring.INT.getAcquire(memory, STATE_AT) != OPEN;
  }

  @Override
  public Frame next() throws IOException {
    try {
      while (true) {
        // Before the look into the ring: what the gateway wrote before its end is read.
        boolean isOver = hasEnded || isClosed();
        ByteBuffer frame = inbound.read();
        if (frame == null && !isOver) {
          frame = spin();
        }
        if (frame != null) {
          return Frame.of(frame);
        }
        if (isOver) {
          throw new EOFException("the connection has ended");
        }
        sleep();
      }
    } catch (InternalError cut) { // a page that the file has lost
      throw new IOException("the file of the shared memory was truncated", cut);
    }
  }

  private ByteBuffer spin() throws IOException {
    long begin = System.nanoTime();
    while (inbound.isEmpty() && System.nanoTime() - begin < SPIN_NANOS) {
      Thread.onSpinWait();
    }
    return inbound.read();
  }

  private void sleep() throws IOException {
    if (!inbound.beginSleep()) {
      return;
    }
    // After beginSleep(): a gateway that closes the ring wakes only what sleeps by then.
    if (!isClosed()) {
      wakes.clear();
      hasEnded = socket.channel().read(wakes) < 0;
    }
    inbound.endSleep();
  }

  @Override
  public void write(Frame frame) throws IOException {
    try {
      ByteBuffer bytes = frame.bytes();
      long begin = System.nanoTime();
      while (!outbound.write(bytes)) {
        if (hasEnded || isClosed() || !socket.channel().isOpen()
            || System.nanoTime() - begin > FULL_NANOS_MAX) {
          throw new IOException("the gateway does not read");
        }
        LockSupport.parkNanos(SPIN_NANOS);
      }
      if (outbound.takeSleeper() != 0) {
        socket.channel().write(ByteBuffer.allocate(1));
      }
    } catch (InternalError cut) {
      throw new IOException("the file of the shared memory was truncated", cut);
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
