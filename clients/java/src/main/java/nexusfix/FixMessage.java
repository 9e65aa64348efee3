package nexusfix;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/** A FIX message. For one thread at a time. */
public final class FixMessage extends Fields {
  static final int MSG_TYPE = 35;

  // A data field comes after its Length field, and may have SOH.
  private static final Map<Integer, Integer> DATA_OF = Map.ofEntries(
      Map.entry(90, 91), Map.entry(93, 89), Map.entry(95, 96), Map.entry(212, 213),
      Map.entry(348, 349), Map.entry(350, 351), Map.entry(352, 353), Map.entry(354, 355),
      Map.entry(356, 357), Map.entry(358, 359), Map.entry(360, 361), Map.entry(362, 363),
      Map.entry(364, 365), Map.entry(445, 446), Map.entry(618, 619), Map.entry(621, 622),
      Map.entry(1184, 1185), Map.entry(1277, 1278), Map.entry(1280, 1281), Map.entry(1282, 1283),
      Map.entry(1397, 1398), Map.entry(1401, 1402), Map.entry(1403, 1404), Map.entry(1468, 1469));

  private final String msgType;

  /** A message without fields: the gateway writes the header. */
  public FixMessage(String msgType) {
    this.msgType = msgType;
  }

  /** MsgType (35). */
  public String msgType() {
    return msgType;
  }

  /**
   * Reads a whole message.
   *
   * @throws IllegalArgumentException the bytes are no message
   */
  public static FixMessage parse(byte[] bytes) {
    Fields read = new Fields();
    int lengthTag = 0;
    int length = 0;
    for (int at = 0; at < bytes.length; ) {
      int equals = indexOf(bytes, '=', at);
      int tag = number(bytes, at, equals);
      int end = lengthTag != 0 && DATA_OF.get(lengthTag) == tag
          ? equals + 1 + length
          : indexOf(bytes, SOH, equals);
      if (tag <= 0 || end < 0 || end >= bytes.length || bytes[end] != SOH) {
        throw new IllegalArgumentException("the field at byte " + at + " cannot be read");
      }
      lengthTag = DATA_OF.containsKey(tag) ? tag : 0;
      length = lengthTag == 0 ? 0 : number(bytes, equals + 1, end);
      if (length < 0 || length > bytes.length) {
        throw new IllegalArgumentException("the length at byte " + at + " cannot be read");
      }
      byte[] value = Arrays.copyOfRange(bytes, equals + 1, end);
      read.list.add(new Entry(tag, value, null, null));
      at = end + 1;
    }
    String type = read.text(MSG_TYPE);
    if (type == null) {
      throw new IllegalArgumentException("the message has no MsgType (35)");
    }
    FixMessage message = new FixMessage(type);
    message.list.addAll(read.list);
    return message;
  }

  /** The body of a Send: 35= and the fields, SOH after each. */
  public byte[] bytes() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(("35=" + msgType).getBytes(StandardCharsets.UTF_8));
    out.write(SOH);
    write(out, null);
    return out.toByteArray();
  }

  private static int indexOf(byte[] bytes, int value, int from) {
    for (int i = Math.max(from, 0); i < bytes.length; ++i) {
      if (bytes[i] == value) {
        return i;
      }
    }
    return -1;
  }

  // -1: these bytes are no number of at most nine digits.
  private static int number(byte[] bytes, int begin, int end) {
    final int digitsMax = 9;
    if (end <= begin || end - begin > digitsMax) {
      return -1;
    }
    int number = 0;
    for (int i = begin; i < end; ++i) {
      if (bytes[i] < '0' || bytes[i] > '9') {
        return -1;
      }
      number = number * 10 + bytes[i] - '0';
    }
    return number;
  }
}
