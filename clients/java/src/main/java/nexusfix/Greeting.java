package nexusfix;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The texts of Hello and Welcome.
 *
 * @param ring the path of the shared memory; empty: there is none
 * @param ringKey of its header
 */
record Greeting(
    String gateway, String role, List<Session> sessions, long lastAccepted, String ring,
    long ringKey) {
  private static final int HELLO_BYTES_MAX = 64 << 10;
  private static final int SESSION_WORDS = 6;

  static byte[] hello(
      String name, String token, Iterable<Cursor> cursors, boolean wantsRing) {
    StringBuilder lines = new StringBuilder();
    line(lines, "name=" + name);
    line(lines, "token=" + token);
    line(lines, "in-order=1");
    if (wantsRing) {
      line(lines, "ring=" + RingLink.LAYOUT);
    }
    for (Cursor cursor : cursors) {
      line(lines, (cursor.ofSent() ? "sent=" : "cursor=")
          + Long.toUnsignedString(cursor.place().epoch()) + ' '
          + Long.toUnsignedString(cursor.place().msgSeqNum()) + ' ' + cursor.session());
    }
    byte[] body = lines.toString().getBytes(StandardCharsets.UTF_8);
    if (body.length > HELLO_BYTES_MAX) {
      throw new IllegalArgumentException(
          "the cursors need " + body.length + " bytes, " + HELLO_BYTES_MAX + " at most");
    }
    return body;
  }

  private static void line(StringBuilder lines, String line) {
    if (line.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("a line feed in '" + line + "'");
    }
    lines.append(line).append('\n');
  }

  /** Ignores lines of keys that this client does not know. */
  static Greeting welcome(Frame frame) throws ClosedException {
    String gateway = "";
    String role = "";
    String ring = "";
    long ringKey = 0;
    List<Session> sessions = new ArrayList<>();
    for (String line : frame.text().split("\n")) {
      if (line.startsWith("gateway=")) {
        gateway = line.substring("gateway=".length());
      } else if (line.startsWith("role=")) {
        role = line.substring("role=".length());
      } else if (line.startsWith("ring=")) {
        int blank = Math.max(line.indexOf(' '), "ring=".length());
        ringKey = key(line, line.substring("ring=".length(), blank));
        ring = line.substring(Math.min(blank + 1, line.length()));
      } else if (line.startsWith("session=")) {
        sessions.add(session(line, sessions.size()));
      }
    }
    return new Greeting(gateway, role, List.copyOf(sessions), frame.number(), ring, ringKey);
  }

  private static long key(String line, String digits) throws ClosedException {
    try {
      return Long.parseUnsignedLong(digits, 16);
    } catch (NumberFormatException wrong) {
      throw Frame.badFrame("the Welcome has the line '" + line + "'");
    }
  }

  private static Session session(String line, int index) throws ClosedException {
    String[] words = line.substring("session=".length()).split(" ", SESSION_WORDS);
    try {
      if (words.length == SESSION_WORDS && Integer.parseInt(words[0]) == index) {
        long epoch = Long.parseUnsignedLong(words[1]);
        return new Session(words[5], words[4].equals("on"),
            new Place(epoch, Long.parseUnsignedLong(words[2])),
            new Place(epoch, Long.parseUnsignedLong(words[3])));
      }
    } catch (NumberFormatException wrong) {
      throw Frame.badFrame("the Welcome has the line '" + line + "'");
    }
    throw Frame.badFrame("the Welcome has the line '" + line + "'");
  }
}
