package nexusfix;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;

/** A frame of docs/reference/gateway-protocol.md. */
record Frame(
    int kind, int flags, int session, int code, Place place, long number, byte[] body) {
  static final int VERSION = 1;
  static final int HEADER_BYTES = 40;
  static final int BYTES_MAX = (1 << 20) + (4 << 10);

  static final int HELLO = 1;
  static final int WELCOME = 2;
  static final int SEND = 3;
  static final int ACCEPTED = 4;
  static final int REFUSED = 5;
  static final int MESSAGE = 6;
  static final int SESSION_STATE = 7;
  static final int CAUGHT_UP = 8;
  static final int CLOSED = 9;

  static final int FLAG_DUPLICATE = 1; // of ACCEPTED
  static final int FLAG_STORED = 2; // of ACCEPTED
  static final int FLAG_FROM_JOURNAL = 1; // of MESSAGE
  static final int FLAG_SENT = 2; // of MESSAGE

  private static final Place NO_PLACE = new Place(0, 0);

  static Frame hello(byte[] body) {
    return new Frame(HELLO, 0, 0, 0, NO_PLACE, 0, body);
  }

  static Frame send(int session, long number, byte[] body) {
    return new Frame(SEND, 0, session, 0, NO_PLACE, number, body);
  }

  String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** The bytes on the socket. */
  ByteBuffer bytes() {
    return ByteBuffer.allocate(HEADER_BYTES + body.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(HEADER_BYTES + body.length)
        .put((byte) VERSION)
        .put((byte) kind)
        .putShort((short) flags)
        .putInt(session)
        .putInt(code)
        .putLong(place.epoch())
        .putLong(place.msgSeqNum())
        .putLong(number)
        .put(body)
        .flip();
  }

  // The size of the frame that begins here, from its first 5 bytes.
  private static int checkedSize(ByteBuffer buffer) throws ClosedException {
    int at = buffer.position();
    int length = buffer.getInt(at);
    if (length < HEADER_BYTES || length > BYTES_MAX) {
      throw badFrame("a frame of " + Integer.toUnsignedString(length) + " bytes");
    }
    if (buffer.get(at + 4) != VERSION) {
      throw badFrame("the gateway speaks version " + (buffer.get(at + 4) & 0xff)
          + " of the protocol, this client " + VERSION);
    }
    return length;
  }

  // The frame of this size that begins here.
  private static Frame read(ByteBuffer buffer, int length) {
    buffer.getInt();
    buffer.get();
    int kind = buffer.get() & 0xff;
    int flags = buffer.getShort() & 0xffff;
    int session = buffer.getInt();
    int code = buffer.getInt();
    Place place = new Place(buffer.getLong(), buffer.getLong());
    long number = buffer.getLong();
    byte[] body = new byte[length - HEADER_BYTES];
    buffer.get(body);
    return new Frame(kind, flags, session, code, place, number, body);
  }

  /** The frame that has exactly these bytes, in little endian. */
  static Frame of(ByteBuffer bytes) throws ClosedException {
    if (bytes.remaining() < HEADER_BYTES || checkedSize(bytes) != bytes.remaining()) {
      throw badFrame("a frame whose length is not that of its record");
    }
    return read(bytes, bytes.remaining());
  }

  /** Reads frames of a channel. For one thread. */
  static final class Reader {
    private static final int BUFFER_BYTES = 1 << 16;
    private final ReadableByteChannel channel;
    private ByteBuffer buffer =
        ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN).flip();

    Reader(ReadableByteChannel channel) {
      this.channel = channel;
    }

    /** The next frame. EOFException: the connection has ended, also inside a frame. */
    Frame next() throws IOException {
      fill(HEADER_BYTES);
      int length = checkedSize(buffer);
      fill(length);
      return read(buffer, length);
    }

    private void fill(int bytes) throws IOException {
      if (buffer.capacity() < bytes) {
        buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN).put(buffer).flip();
      }
      while (buffer.remaining() < bytes) {
        buffer.compact();
        int read = channel.read(buffer);
        buffer.flip();
        if (read < 0) {
          throw new EOFException("the connection has ended");
        }
      }
    }
  }

  static ClosedException badFrame(String reason) {
    return new ClosedException(ClosedException.Code.BAD_FRAME, reason);
  }
}
