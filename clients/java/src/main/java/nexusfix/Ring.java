package nexusfix;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One ring of docs/reference/gateway-memory.md, as its producer or its consumer. One thread at a
 * time. Offsets are those of the file: at most 2 GiB, as a ByteBuffer has them.
 */
final class Ring {
  static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  static final int WAKE_BY_SOCKET = 2;

  private static final int WORD_BYTES = 8;
  private static final int SLEEPS_AFTER_HEAD = 0x80;
  private static final long LOW_HALF = 0xFFFF_FFFFL;
  private static final long JUMP = LOW_HALF;

  private final ByteBuffer memory;
  private final int headAt;
  private final int begin; // of the ring
  private final int bytes; // a power of two
  private final int frameBytesMax;
  private long position; // of the next record
  private long seen; // head: as the producer last read it, or the consumer last wrote it

  Ring(ByteBuffer memory, int headAt, int begin, int bytes, int frameBytesMax) {
    this.memory = memory;
    this.headAt = headAt;
    this.begin = begin;
    this.bytes = bytes;
    this.frameBytesMax = frameBytesMax;
  }

  private int at(long place) {
    return begin + (int) (place & (bytes - 1));
  }

  private static long recordBytes(long frameBytes) {
    return WORD_BYTES + ((frameBytes + WORD_BYTES - 1) & -WORD_BYTES);
  }

  private static long word(long place, long size) {
    return place << 32 | size;
  }

  /** Copies a frame into the ring. False: it is full. */
  boolean write(ByteBuffer frame) throws ClosedException {
    int size = frame.remaining();
    if (size > frameBytesMax) {
      throw new IllegalArgumentException("a frame of " + size + " bytes is too long");
    }
    long record = recordBytes(size);
    long untilEnd = bytes - (position & (bytes - 1));
    long start = untilEnd < record ? position + untilEnd : position;
    long end = start + record;
    if (end + WORD_BYTES - seen > bytes) {
      long head = (long) LONG.getAcquire(memory, headAt);
      if (head < seen || head > position) {
        throw Frame.badFrame("a read position in the shared memory that is impossible");
      }
      seen = head;
      if (end + WORD_BYTES - seen > bytes) {
        return false;
      }
    }
    LONG.set(memory, at(end), 0L); // the consumer finds no word of an earlier lap there
    memory.put(at(start) + WORD_BYTES, frame, frame.position(), size);
    long word = word(start, size);
    if (start != position) {
      LONG.set(memory, at(start), word);
      word = word(position, JUMP);
    }
    LONG.getAndSet(memory, at(position), word); // from here on the consumer sees the frame
    position = end;
    return true;
  }

  /** After write(): how the consumer wants to be woken; 0: it does not sleep. It is asked once. */
  int takeSleeper() {
    int sleeps = headAt + SLEEPS_AFTER_HEAD;
    return (int) INT.getVolatile(memory, sleeps) == 0
        ? 0
        : (int) INT.getAndSet(memory, sleeps, 0);
  }

  boolean isEmpty() {
    return (long) LONG.getVolatile(memory, at(position)) == 0;
  }

  /** A copy of the next frame, whose room the producer gets back; null: there is none. */
  ByteBuffer read() throws ClosedException {
    long word = (long) LONG.getAcquire(memory, at(position));
    if (word != 0 && (word & LOW_HALF) == JUMP) {
      check(word);
      if ((position & (bytes - 1)) == 0) {
        throw Frame.badFrame("a jump in the shared memory that leads nowhere");
      }
      position += bytes - (position & (bytes - 1));
      word = (long) LONG.getAcquire(memory, at(position));
    }
    if (word == 0) {
      release();
      return null;
    }
    check(word);
    long size = word & LOW_HALF;
    if (size == 0 || size > frameBytesMax
        || recordBytes(size) > bytes - (position & (bytes - 1))) {
      throw Frame.badFrame("a record in the shared memory with an impossible size");
    }
    byte[] frame = new byte[(int) size];
    memory.get(at(position) + WORD_BYTES, frame);
    position += recordBytes(size);
    if (position - seen >= bytes / 8) {
      release();
    }
    return ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void check(long word) throws ClosedException {
    if (word >>> 32 != (position & LOW_HALF)) {
      throw Frame.badFrame("a torn record in the shared memory");
    }
  }

  private void release() {
    if (position != seen) {
      seen = position;
      LONG.setRelease(memory, headAt, seen);
    }
  }

  /** From now on the producer wakes this side by the socket. False: there is a frame. */
  boolean beginSleep() {
    INT.setVolatile(memory, headAt + SLEEPS_AFTER_HEAD, WAKE_BY_SOCKET);
    if (isEmpty()) {
      return true;
    }
    endSleep();
    return false;
  }

  void endSleep() {
    INT.setVolatile(memory, headAt + SLEEPS_AFTER_HEAD, 0);
  }
}
