import static nexusfix.fix44.Fix44.*;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import nexusfix.Client;
import nexusfix.Event;
import nexusfix.FixMessage;
import nexusfix.Options;
import nexusfix.Session;

/** Sends an order by a gateway and prints the report: Order SOCKET NAME TOKEN */
public final class Order {
  private Order() {}

  /** The program. */
  public static void main(String[] arguments) {
    if (arguments.length != 3) {
      System.err.println("usage: Order SOCKET NAME TOKEN");
      System.exit(2);
    }
    try {
      trade(new Options(Path.of(arguments[0]), arguments[1], arguments[2]));
    } catch (Exception failed) {
      boolean isOfSend = failed instanceof CompletionException && failed.getCause() != null;
      System.err.println("Order: " + (isOfSend ? failed.getCause() : failed).getMessage());
      System.exit(1);
    }
  }

  private static void trade(Options options) throws Exception {
    try (Client client = Client.attach(options)) {
      Session session = client.sessions().get(0);
      boolean loggedOn = session.loggedOn();
      while (true) {
        if (loggedOn) {
          FixMessage order = new FixMessage(NEW_ORDER_SINGLE);
          order.set(CL_ORD_ID, "JV" + System.currentTimeMillis())
              .set(SYMBOL, "AAPL").set(SIDE, Side.BUY)
              .set(TRANSACT_TIME, Instant.now()).set(ORDER_QTY, BigDecimal.valueOf(100))
              .set(ORD_TYPE, OrdType.LIMIT).set(PRICE, new BigDecimal("150.25"));
          client.send(session.name(), order).join();
          loggedOn = false;
        }
        Event event = client.receive();
        if (event instanceof Event.StateChanged state) {
          loggedOn = state.loggedOn();
        } else if (event instanceof Event.Received received) {
          FixMessage report = FixMessage.parse(received.bytes());
          System.out.println("OrderID " + report.find(ORDER_ID).orElse("none") + ", OrdStatus "
              + report.get(ORD_STATUS));
          return; // a real program stores received.cursor() with the report
        }
      }
    }
  }
}
