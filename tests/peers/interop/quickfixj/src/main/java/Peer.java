import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import quickfix.Application;
import quickfix.Connector;
import quickfix.DefaultMessageFactory;
import quickfix.FieldMap;
import quickfix.FieldNotFound;
import quickfix.FileLogFactory;
import quickfix.FileStoreFactory;
import quickfix.LogFactory;
import quickfix.Message;
import quickfix.MessageFactory;
import quickfix.MessageStoreFactory;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.SessionSettings;
import quickfix.SocketAcceptor;
import quickfix.SocketInitiator;

/**
 * A QuickFIX/J engine as the counterparty of an interop test. It is driven by commands on standard
 * input, one a line, and answers each with one line of JSON that has its whole state. README.md
 * lists the commands; the QuickFIX peer in C++ has the same ones.
 */
public final class Peer implements Application {
  private static final int AVG_PX = 6;
  private static final int CL_ORD_ID = 11;
  private static final int CUM_QTY = 14;
  private static final int EXEC_ID = 17;
  private static final int EXEC_TRANS_TYPE = 20;
  private static final int HANDL_INST = 21;
  private static final int LAST_PX = 31;
  private static final int LAST_QTY = 32;
  private static final int MSG_TYPE = 35;
  private static final int ORDER_ID = 37;
  private static final int ORDER_QTY = 38;
  private static final int ORD_STATUS = 39;
  private static final int ORD_TYPE = 40;
  private static final int POSS_DUP_FLAG = 43;
  private static final int PRICE = 44;
  private static final int SIDE = 54;
  private static final int SYMBOL = 55;
  private static final int TEXT = 58;
  private static final int TRANSACT_TIME = 60;
  private static final int ENCRYPT_METHOD = 98;
  private static final int HEART_BT_INT = 108;
  private static final int TEST_REQ_ID = 112;
  private static final int RESET_SEQ_NUM_FLAG = 141;
  private static final int EXEC_TYPE = 150;
  private static final int LEAVES_QTY = 151;

  private static final String[] SIDES = {"1", "2", "2", "1"};
  private static final int[] QUANTITIES = {100, 60, 100, 60};
  private static final DateTimeFormatter UTC_TIMESTAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HH:mm:ss.SSS");
  private static final long AWAIT_LIMIT_NANOS = 60_000_000_000L;
  private static final long LOGOUT_NOTE_LIMIT_NANOS = 3_000_000_000L;

  /** What was ordered and what the reports said about it. */
  private static final class Order {
    final int quantity;
    int acknowledged;
    int filled;

    Order(int quantity) {
      this.quantity = quantity;
    }
  }

  private final SessionID id;
  private final boolean fix42;
  private final Map<String, Long> counters = new TreeMap<>();
  private volatile String orderPrefix = "C";
  private final Map<String, Order> orders = new HashMap<>();
  private final Set<String> execIds = new HashSet<>();
  private final Set<String> received = new HashSet<>();
  private final StringBuilder faults = new StringBuilder();
  private long gapOrder;
  private int gapSkip;
  private int gapRewind;

  private Peer(SessionID id) {
    this.id = id;
    fix42 = id.getBeginString().equals("FIX.4.2");
  }

  // Commands

  private Session session() {
    return Session.lookupSession(id);
  }

  private synchronized Map<String, Long> state() {
    Map<String, Long> state = new TreeMap<>(counters);
    state.put("open_orders", orders.values().stream()
        .filter(o -> o.acknowledged == 0 || o.filled < o.quantity).count());
    state.put("next_sender", (long) session().getExpectedSenderNum());
    state.put("next_target", (long) session().getExpectedTargetNum());
    state.put("logged_on", session().isLoggedOn() ? 1L : 0L);
    return state;
  }

  private void await(String name, long value, boolean exactly) throws InterruptedException {
    BooleanSupplier reached = () -> {
      long now = state().getOrDefault(name, 0L);
      return exactly ? now == value : now >= value;
    };
    long start = System.nanoTime();
    while (!reached.getAsBoolean()) {
      if (System.nanoTime() - start > AWAIT_LIMIT_NANOS) {
        throw new IllegalStateException("timed out waiting for " + name + " to be " + value);
      }
      // Some conditions change without a callback (the expected number moves after it), so the
      // condition is checked again now and then.
      synchronized (this) {
        wait(20);
      }
    }
  }

  /**
   * Every four orders, all at one price, leave nothing in the book: the first is filled in two
   * parts, the third rests for the fourth.
   */
  private void sendOrders(int count) throws SessionNotFound {
    for (int i = 0; i < count; ++i) {
      int leg;
      String clOrdId;
      synchronized (this) {
        long number = counters.merge("orders_sent", 1L, Long::sum);
        leg = (int) ((number - 1) % 4);
        clOrdId = orderPrefix + number;
        orders.put(clOrdId, new Order(QUANTITIES[leg]));
      }
      Message order = message("D");
      order.setString(CL_ORD_ID, clOrdId);
      if (fix42) {
        order.setString(HANDL_INST, "1");
      }
      order.setString(SYMBOL, "AAPL");
      order.setString(SIDE, SIDES[leg]);
      order.setString(TRANSACT_TIME, utcNow());
      order.setString(ORDER_QTY, Integer.toString(QUANTITIES[leg]));
      order.setString(ORD_TYPE, "2");
      order.setString(PRICE, "150.25");
      Session.sendToTarget(order, id);
    }
  }

  private void sendTestRequest(String testReqId) throws SessionNotFound {
    Message request = message("1");
    request.setString(TEST_REQ_ID, testReqId);
    Session.sendToTarget(request, id);
  }

  /** Initiator: a Logon with ResetSeqNumFlag on the living connection. The engine resets. */
  private void resetInSession() throws SessionNotFound {
    Message logon = message("A");
    logon.setString(ENCRYPT_METHOD, "0");
    logon.setString(HEART_BT_INT, "30");
    logon.setString(RESET_SEQ_NUM_FLAG, "Y");
    Session.sendToTarget(logon, id);
  }

  /**
   * Moves both numbers while order number {@code order} is handled: the report that answers it is
   * {@code skip} too high for the counterparty, the order after it {@code rewind} too high for this
   * side.
   */
  private synchronized void gapAtOrder(long order, int skip, int rewind) {
    gapOrder = order;
    gapSkip = skip;
    gapRewind = rewind;
  }

  private void skipSender(int count) throws java.io.IOException {
    session().setNextSenderMsgSeqNum(session().getExpectedSenderNum() + count);
  }

  private void rewindTarget(int count) throws java.io.IOException {
    session().setNextTargetMsgSeqNum(session().getExpectedTargetNum() - count);
  }

  // Callbacks

  @Override
  public void onCreate(SessionID sessionId) {}

  @Override
  public void onLogon(SessionID sessionId) {
    count("logons");
  }

  @Override
  public void onLogout(SessionID sessionId) {
    count("logouts");
  }

  @Override
  public void toAdmin(Message message, SessionID sessionId) {}

  @Override
  public void toApp(Message message, SessionID sessionId) {}

  @Override
  public void fromAdmin(Message message, SessionID sessionId) {
    switch (text(message.getHeader(), MSG_TYPE)) {
      case "0":
        count("heartbeats");
        if (message.isSetField(TEST_REQ_ID)) {
          count("test_replies");
        }
        break;
      case "2":
        count("resend_requests");
        break;
      case "3":
        fault("Reject: " + text(message, TEXT));
        break;
      case "4":
        count("sequence_resets");
        break;
      case "5":
        awaitOwnLogoutNoted();
        break;
      default:
        break;
    }
  }

  /**
   * QuickFIX/J notes that it sent a Logout only after the bytes are out. An answer that overtakes
   * that would be taken for a request of the counterparty, and answered with a second Logout; which
   * is a matter of QuickFIX/J's threads and not of what is tested here.
   */
  private void awaitOwnLogoutNoted() {
    long start = System.nanoTime();
    while (!session().isEnabled() && !session().isLogoutSent()
        && System.nanoTime() - start < LOGOUT_NOTE_LIMIT_NANOS) {
      Thread.onSpinWait();
    }
  }

  @Override
  public void fromApp(Message message, SessionID sessionId) {
    String type = text(message.getHeader(), MSG_TYPE);
    boolean repeated = text(message.getHeader(), POSS_DUP_FLAG).equals("Y");
    try {
      if (type.equals("8")) {
        onReport(message, repeated);
      } else if (type.equals("D")) {
        onOrder(message, repeated);
      } else {
        fault("unexpected message of type " + type + ": " + text(message, TEXT));
      }
    } catch (SessionNotFound | java.io.IOException e) {
      fault(e.toString());
    }
  }

  /**
   * As initiator: every report belongs to an order, every ExecID is there once, and no order is
   * filled by more than its quantity.
   */
  private synchronized void onReport(Message report, boolean repeated) {
    count("reports");
    if (repeated) {
      count("reports_possdup");
    }
    String execId = text(report, EXEC_ID);
    if (!execIds.add(execId)) {
      if (!repeated) {
        fault("ExecID " + execId + " twice without PossDupFlag");
      }
      return;
    }
    String clOrdId = text(report, CL_ORD_ID);
    Order order = orders.get(clOrdId);
    if (order == null) {
      fault("report for unknown ClOrdID '" + clOrdId + "'");
      return;
    }
    String execType = text(report, EXEC_TYPE);
    boolean trade = fix42 ? execType.equals("1") || execType.equals("2") : execType.equals("F");
    if (execType.equals("0")) {
      if (++order.acknowledged > 1) {
        fault(clOrdId + " acknowledged twice");
      }
    } else if (trade) {
      order.filled += number(report, LAST_QTY);
      check(order.acknowledged > 0, clOrdId + " filled before it was acknowledged");
      check(order.filled <= order.quantity, clOrdId + " filled beyond its quantity");
      check(number(report, CUM_QTY) == order.filled, clOrdId + ": wrong CumQty");
      check(number(report, LEAVES_QTY) == order.quantity - order.filled,
          clOrdId + ": wrong LeavesQty");
      check(text(report, ORD_STATUS).equals(order.filled == order.quantity ? "2" : "1"),
          clOrdId + ": wrong OrdStatus");
    } else {
      fault(clOrdId + ": unexpected ExecType " + execType);
    }
  }

  /** As acceptor: every order is acknowledged and filled at once. */
  private void onOrder(Message order, boolean repeated)
      throws SessionNotFound, java.io.IOException {
    String clOrdId = text(order, CL_ORD_ID);
    synchronized (this) {
      if (repeated) {
        count("orders_possdup");
      }
      if (!received.add(clOrdId)) {
        check(repeated, "ClOrdID " + clOrdId + " twice without PossDupFlag");
        return;
      }
      count("orders_received");
      if (counters.get("orders_received") == gapOrder) {
        skipSender(gapSkip);
        rewindTarget(gapRewind);
      }
    }
    sendReport(order, false);
    sendReport(order, true);
  }

  private void sendReport(Message order, boolean filled) throws SessionNotFound {
    String quantity = text(order, ORDER_QTY);
    String price = text(order, PRICE);
    Message report = message("8");
    synchronized (this) {
      report.setString(EXEC_ID, "E" + counters.merge("reports_sent", 1L, Long::sum));
    }
    report.setString(ORDER_ID, "O-" + text(order, CL_ORD_ID));
    report.setString(CL_ORD_ID, text(order, CL_ORD_ID));
    if (fix42) {
      report.setString(EXEC_TRANS_TYPE, "0");
    }
    report.setString(EXEC_TYPE, !filled ? "0" : fix42 ? "2" : "F");
    report.setString(ORD_STATUS, filled ? "2" : "0");
    report.setString(SYMBOL, text(order, SYMBOL));
    report.setString(SIDE, text(order, SIDE));
    report.setString(ORDER_QTY, quantity);
    report.setString(PRICE, price);
    if (filled) {
      report.setString(LAST_QTY, quantity);
      report.setString(LAST_PX, price);
    }
    report.setString(LEAVES_QTY, filled ? "0" : quantity);
    report.setString(CUM_QTY, filled ? quantity : "0");
    report.setString(AVG_PX, filled ? price : "0");
    report.setString(TRANSACT_TIME, utcNow());
    Session.sendToTarget(report, id);
  }

  private synchronized void count(String name) {
    counters.merge(name, 1L, Long::sum);
    notifyAll();
  }

  private void check(boolean holds, String text) {
    if (!holds) {
      fault(text);
    }
  }

  private synchronized void fault(String text) {
    faults.append(faults.length() == 0 ? "" : "; ").append(text);
  }

  private synchronized String faults() {
    return faults.toString();
  }

  private static Message message(String msgType) {
    Message message = new Message();
    message.getHeader().setString(MSG_TYPE, msgType);
    return message;
  }

  private static String text(FieldMap fields, int tag) {
    try {
      return fields.isSetField(tag) ? fields.getString(tag) : "";
    } catch (FieldNotFound e) {
      return "";
    }
  }

  /** Quantities here are whole, but may be written as a decimal number. */
  private static int number(FieldMap fields, int tag) {
    String value = text(fields, tag);
    return value.isEmpty() ? -1 : new java.math.BigDecimal(value).intValue();
  }

  private static String utcNow() {
    return UTC_TIMESTAMP.format(LocalDateTime.now(ZoneOffset.UTC));
  }

  // Standard input and output

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        out.append('\\');
      }
      out.append(c < 0x20 ? ' ' : c);
    }
    return out.append('"').toString();
  }

  private boolean answer(String error) {
    String faults = faults();
    String text = error + (error.isEmpty() || faults.isEmpty() ? "" : "; ") + faults;
    StringBuilder line = new StringBuilder("{\"ok\":").append(text.isEmpty());
    line.append(",\"error\":").append(quoted(text));
    state().forEach(
        (name, value) -> line.append(',').append(quoted(name)).append(':').append(value));
    System.out.println(line.append('}'));
    System.out.flush();
    return text.isEmpty();
  }

  private void execute(String line) throws Exception {
    String[] words = line.trim().split(" +");
    switch (words[0]) {
      case "state" -> { }
      case "logon" -> session().logon();
      case "logout" -> session().logout();
      case "orders" -> sendOrders(Integer.parseInt(words[1]));
      case "order-prefix" -> orderPrefix = words[1];
      case "test-request" -> sendTestRequest(words[1]);
      case "reset-in-session" -> resetInSession();
      case "skip-sender" -> skipSender(Integer.parseInt(words[1]));
      case "rewind-target" -> rewindTarget(Integer.parseInt(words[1]));
      case "gap-at-order" -> gapAtOrder(Long.parseLong(words[1]), Integer.parseInt(words[2]),
          Integer.parseInt(words[3]));
      case "await" -> await(words[1], Long.parseLong(words[2]), true);
      case "await-at-least" -> await(words[1], Long.parseLong(words[2]), false);
      default -> throw new IllegalArgumentException("unknown command: " + line);
    }
  }

  /** Commands until the end of input or {@code quit}; whether all of them went well. */
  private boolean serveCommands() throws java.io.IOException {
    boolean well = answer("");
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null && !line.equals("quit");
        line = input.readLine()) {
      String error = "";
      try {
        execute(line);
      } catch (Exception e) {
        error = e.toString();
      }
      well = answer(error) && well;
    }
    return well;
  }

  private static Connector connector(String role, Peer peer, SessionSettings settings)
      throws Exception {
    MessageStoreFactory stores = new FileStoreFactory(settings);
    LogFactory logs = new FileLogFactory(settings);
    MessageFactory messages = new DefaultMessageFactory();
    return role.equals("initiator")
        ? new SocketInitiator(peer, stores, settings, logs, messages)
        : new SocketAcceptor(peer, stores, settings, logs, messages);
  }

  public static void main(String[] args) throws Exception {
    if (args.length != 2 || !(args[0].equals("initiator") || args[0].equals("acceptor"))) {
      System.err.println("usage: Peer initiator|acceptor CONFIG");
      System.exit(2);
    }
    SessionSettings settings = new SessionSettings(args[1]);
    Peer peer = new Peer(settings.sectionIterator().next());
    Connector connector = connector(args[0], peer, settings);
    connector.start();
    boolean well = peer.serveCommands();
    connector.stop();
    System.exit(well ? 0 : 1);
  }
}
