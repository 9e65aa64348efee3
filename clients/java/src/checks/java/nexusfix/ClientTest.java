package nexusfix;

import static nexusfix.fix44.Fix44.*;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** Messages and frames. Prints each failure, and ends with status 1 if there is one. */
public final class ClientTest {
  private static int failures;

  private ClientTest() {}

  private interface Body {
    void run() throws Exception;
  }

  private static void test(String name, Body body) {
    try {
      body.run();
    } catch (Exception | AssertionError wrong) {
      ++failures;
      System.out.println(name + ": " + wrong);
    }
  }

  private static void same(Object want, Object got) {
    if (!want.equals(got)) {
      throw new AssertionError(got + " instead of " + want);
    }
  }

  private static void fails(Class<? extends Exception> type, Body body) {
    try {
      body.run();
    } catch (Exception error) {
      same(type, error.getClass());
      return;
    }
    throw new AssertionError("no " + type.getSimpleName());
  }

  private static byte[] bytes(String text) {
    return text.replace('|', '\u0001').getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8).replace('\u0001', '|');
  }

  /** The tests. */
  public static void main(String[] arguments) {
    test("typed fields are written in their order", ClientTest::write);
    test("a message is read by type", ClientTest::read);
    test("a group is written in the dictionary's order and read again", ClientTest::group);
    test("bytes that are no message are refused", ClientTest::refuse);
    test("a Send has the bytes of the document", ClientTest::send);
    test("a torn frame is no frame", ClientTest::torn);
    test("a Welcome is read by line", ClientTest::welcome);
    test("a ring keeps frames of any size in their order", ClientTest::ring);
    test("a ring that no gateway writes is refused", ClientTest::hostileRing);
    test("the header of shared memory is checked", ClientTest::ringHeader);
    test("a full queue takes no event, and a closed one has an end", ClientTest::queue);
    if (failures != 0) {
      System.exit(1);
    }
  }

  private static void write() {
    FixMessage order = new FixMessage(NEW_ORDER_SINGLE);
    order.set(CL_ORD_ID, "A1").set(SIDE, Side.SELL_SHORT).set(PRICE, new BigDecimal("-0.05"))
        .set(TRANSACT_TIME, Instant.parse("2026-01-15T10:30:00.005Z")).set(SOLICITED_FLAG, true)
        .set(ENCODED_TEXT, bytes("a|b")).set(ORDER_QTY, new BigDecimal("1E+2"))
        .set(CL_ORD_ID, "A2");
    same("35=D|11=A2|54=5|44=-0.05|60=20260115-10:30:00.005|377=Y|354=3|355=a|b|38=100|",
        text(order.bytes()));
    fails(FieldException.class, () -> order.set(CL_ORD_ID, ""));
    fails(FieldException.class, () -> order.set(CL_ORD_ID, "a\u0001b"));
  }

  private static void read() {
    FixMessage report = FixMessage.parse(bytes(
        "8=FIX.4.4|9=5|35=8|14=100.50|377=X|354=3|355=a|b|60=20260115-10:30:00|54=5|39=~|10=0|"));
    same(EXECUTION_REPORT, report.msgType());
    same(new BigDecimal("100.50"), report.get(CUM_QTY));
    same("a|b", text(report.get(ENCODED_TEXT)));
    same(Instant.parse("2026-01-15T10:30:00Z"), report.get(TRANSACT_TIME));
    same(Side.SELL_SHORT, report.get(SIDE));
    same(true, report.find(PRICE).isEmpty());
    same("~", report.text(39));
    fails(FieldException.class, () -> report.get(PRICE));
    fails(FieldException.class, () -> report.get(SOLICITED_FLAG));
    fails(FieldException.class, () -> report.find(ORD_STATUS));
  }

  private static void group() {
    FixMessage order = new FixMessage(NEW_ORDER_SINGLE);
    for (String id : List.of("DESK7", "FUND9")) {
      Fields party = order.add(NO_PARTY_IDS).set(PARTY_ROLE, PartyRole.CLIENT_ID);
      party.add(NO_PARTY_SUB_IDS).set(PARTY_SUB_ID, "S" + id);
      party.set(PARTY_ID, id);
    }
    order.set(SYMBOL, "AAPL");
    String want = "35=D|453=2|448=DESK7|452=3|802=1|523=SDESK7|448=FUND9|452=3|802=1|523=SFUND9|"
        + "55=AAPL|";
    same(want, text(order.bytes()));
    List<Fields> parties = FixMessage.parse(bytes(want)).entries(NO_PARTY_IDS);
    same(2, parties.size());
    same("SFUND9", parties.get(1).entries(NO_PARTY_SUB_IDS).get(0).get(PARTY_SUB_ID));
    fails(FieldException.class,
        () -> FixMessage.parse(bytes("35=D|453=3|448=X|")).entries(NO_PARTY_IDS));
  }

  private static void refuse() {
    Stream.of("", "55=A|", "35=D", "35=D|x=1|", "35=D|=1|", "35=D|1|", "35=D|354=9|355=a|",
            "35=D|354=-1|355=a|", "35=D|0=1|", "35=D|354=99999999999999999999|355=a|")
        .forEach(text -> fails(
            IllegalArgumentException.class, () -> FixMessage.parse(bytes(text))));
  }

  private static Frame frameOf(byte[] bytes) throws IOException {
    return new Frame.Reader(Channels.newChannel(new ByteArrayInputStream(bytes))).next();
  }

  private static void send() {
    byte[] body = bytes("35=D|11=A1|55=AAPL|54=1|38=100|40=1|21=1|59=0|");
    byte[] sent = Frame.send(0, 7, body).bytes().array();
    same("56000000" + "01030000" + "00".repeat(24) + "0700000000000000",
        HexFormat.of().formatHex(sent, 0, Frame.HEADER_BYTES));
    same(text(body), text(Arrays.copyOfRange(sent, Frame.HEADER_BYTES, sent.length)));
  }

  private static void torn() throws IOException {
    Frame frame = new Frame(Frame.MESSAGE, 3, 2, 4, new Place(5, 6), 7, bytes("35=8|"));
    byte[] whole = frame.bytes().array();
    Frame read = frameOf(whole);
    same(frame.place(), read.place());
    same(text(whole), text(read.bytes().array()));
    for (int size = 0; size < whole.length; ++size) {
      byte[] part = Arrays.copyOf(whole, size);
      fails(java.io.EOFException.class, () -> frameOf(part));
    }
    int[][] faults = {{0, 39}, {3, 1}, {3, 255}, {4, 2}};
    for (int[] fault : faults) {
      byte[] wrong = whole.clone();
      wrong[fault[0]] = (byte) fault[1];
      fails(ClosedException.class, () -> frameOf(wrong));
    }
  }

  private static void welcome() throws IOException {
    Greeting read = Greeting.welcome(new Frame(Frame.WELCOME, 0, 0, 0, new Place(0, 0), 9, bytes(
        "gateway=1\nrole=observer\nlater=x\nsession=0 2 30 40 on FIX.4.4:A->B\n"
            + "session=1 1 0 0 off with a blank\n")));
    same("observer", read.role());
    same(9L, read.lastAccepted());
    same(new Session("FIX.4.4:A->B", true, new Place(2, 30), new Place(2, 40)),
        read.sessions().get(0));
    same("with a blank", read.sessions().get(1).name());
    for (String line : List.of("session=1 1 0 0 on x\n", "session=0 x 0 0 on x\n", "session=0 1")) {
      fails(ClosedException.class, () -> Greeting.welcome(
          new Frame(Frame.WELCOME, 0, 0, 0, new Place(0, 0), 0, bytes(line))));
    }
    fails(IllegalArgumentException.class, () -> Greeting.hello("a\nb", "", List.of(), false));
  }

  private static final int RING_BYTES = 4096;

  private static ByteBuffer memory() {
    return ByteBuffer.allocateDirect(4096 + 2 * RING_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static Ring ringOf(ByteBuffer memory) {
    return new Ring(memory, 0x200, 4096, RING_BYTES, RING_BYTES / 2 - 8);
  }

  private static void ring() throws IOException {
    ByteBuffer memory = memory();
    Ring producer = ringOf(memory);
    Ring consumer = ringOf(memory);
    int written = 0;
    int read = 0;
    for (int turn = 0; turn < 5_000; ++turn) {
      byte[] frame = new byte[1 + written * 37 % (RING_BYTES / 2 - 8)];
      Arrays.fill(frame, (byte) written);
      if (producer.write(ByteBuffer.wrap(frame))) {
        ++written;
      }
      for (int i = turn % 3; i > 0; --i) {
        ByteBuffer got = consumer.read();
        if (got == null) {
          same(written, read);
          break;
        }
        same(1 + read * 37 % (RING_BYTES / 2 - 8), got.remaining());
        same((byte) read, got.get(got.remaining() - 1));
        ++read;
      }
    }
    same(true, read > 1_000);
    fails(IllegalArgumentException.class,
        () -> producer.write(ByteBuffer.allocate(RING_BYTES / 2)));
    Ring sleeper = ringOf(memory());
    same(true, sleeper.beginSleep());
    same(Ring.WAKE_BY_SOCKET, sleeper.takeSleeper());
    same(0, sleeper.takeSleeper());
  }

  private static void hostileRing() {
    long[] words = {1L << 32 | 40, 0xFFFF_FFFFL, 3_000, (long) RING_BYTES, 1L << 31};
    for (long word : words) {
      ByteBuffer memory = memory().putLong(4096, word);
      fails(ClosedException.class, () -> ringOf(memory).read());
    }
    ByteBuffer memory = memory().putLong(0x200, 8);
    Ring producer = ringOf(memory);
    fails(ClosedException.class, () -> {
      while (producer.write(ByteBuffer.allocate(1_000))) {
        memory.putLong(0x200, 1 << 20);
      }
    });
  }

  private static ByteBuffer header() {
    return memory().putLong(0, 0x474E_4952_5846_584EL).putInt(8, 1).putInt(0xC, 4096)
        .putLong(0x10, 4096 + 2 * RING_BYTES).putInt(0x18, RING_BYTES / 2 - 8).putLong(0x30, 7)
        .putLong(0x38, 4096).putLong(0x40, RING_BYTES).putLong(0x48, 4096 + RING_BYTES)
        .putLong(0x50, RING_BYTES).putInt(0x80, 1);
  }

  private static void ringHeader() throws IOException {
    Path path = Path.of("ring");
    RingLink.open(null, path, header(), 7);
    fails(IOException.class, () -> RingLink.open(null, path, header(), 8));
    for (int at : new int[] {0, 8, 0xC, 0x10, 0x18, 0x38, 0x40, 0x48, 0x50}) {
      ByteBuffer wrong = header();
      wrong.putInt(at, wrong.getInt(at) + 1);
      fails(IOException.class, () -> RingLink.open(null, path, wrong, 7));
    }
  }

  private static void queue() throws Exception {
    EventQueue queue = new EventQueue(1);
    same(true, queue.put(new Event.CaughtUp()));
    same(false, queue.put(new Event.CaughtUp()));
    queue.end(new ClosedException(ClosedException.Code.STOPPING, "it stops"));
    same(new Event.CaughtUp(), queue.take(0));
    fails(ClosedException.class, () -> queue.take(0));
  }
}
