import static nexusfix.fix44.Fix44.*;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import nexusfix.Accepted;
import nexusfix.Client;
import nexusfix.ClosedException;
import nexusfix.Cursor;
import nexusfix.Event;
import nexusfix.FixMessage;
import nexusfix.NotSentException;
import nexusfix.Options;
import nexusfix.Place;
import nexusfix.RefusedException;

/** Attaches and prints all that happens, for clients/tests/conformance.py. */
public final class Conformance {
  private Conformance() {}

  /** SOCKET NAME TOKEN [EPOCH MSGSEQNUM SESSION]; then lines "send SESSION CLORDID" or "end". */
  public static void main(String[] words) throws Exception {
    Options options = new Options(Path.of(words[0]), words[1], words[2])
        .withRetry(Duration.ofMillis(10), Duration.ofSeconds(5));
    if ("memory".equals(System.getenv("NEXUSFIX_DOOR"))) {
      options = options.withSharedMemory();
    }
    if (words.length > 5) {
      Place place = new Place(Long.parseLong(words[3]), Long.parseLong(words[4]));
      options = options.withCursors(List.of(new Cursor(words[5], place)));
    }
    Client client;
    try {
      client = Client.attach(options);
    } catch (IOException refused) {
      say("error", code(refused));
      return;
    }
    say("attached", client.role(), client.lastAccepted());
    Thread input = new Thread(() -> read(client));
    input.setDaemon(true);
    input.start();
    try {
      while (true) {
        print(client.receive());
      }
    } catch (ClosedException end) {
      say("ended", end.value());
    }
  }

  private static int code(Throwable error) {
    return error instanceof ClosedException closed ? closed.value() : 0;
  }

  private static int bit(boolean value) {
    return value ? 1 : 0;
  }

  private static void say(Object... words) {
    StringBuilder line = new StringBuilder();
    for (Object word : words) {
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    System.out.println(line);
  }

  private static void print(Event event) {
    if (event instanceof Event.CaughtUp) {
      say("caughtup");
    } else if (event instanceof Event.Detached) {
      say("detached");
    } else if (event instanceof Event.Reattached) {
      say("reattached");
    } else if (event instanceof Event.Refused refused) {
      say("refused", refused.cause().number(), refused.cause().value());
    } else if (event instanceof Event.StateChanged state) {
      say("state", state.loggedOn() ? "on" : "off", state.epoch(), state.session());
    } else if (event instanceof Event.Received message) {
      FixMessage read = FixMessage.parse(message.bytes());
      say("message", message.place().epoch(), message.place().msgSeqNum(),
          bit(message.fromJournal()), bit(message.ofSent()), read.msgType(),
          read.find(CL_ORD_ID).orElse("-"), message.session());
    }
  }

  private static void read(Client client) {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    input.lines().map(line -> line.split(" ")).takeWhile(words -> !words[0].equals("end"))
        .forEach(words -> send(client, words[1], words[2]));
    client.close();
  }

  private static void send(Client client, String session, String id) {
    FixMessage order = new FixMessage(NEW_ORDER_SINGLE);
    order.set(CL_ORD_ID, id).set(SYMBOL, "AAPL").set(SIDE, Side.BUY)
        .set(TRANSACT_TIME, Instant.now()).set(ORDER_QTY, BigDecimal.valueOf(100))
        .set(ORD_TYPE, OrdType.LIMIT).set(PRICE, new BigDecimal("150.25"));
    try {
      client.send(session, order).whenComplete(Conformance::answer);
    } catch (NotSentException detached) {
      say("notsent");
    }
  }

  private static void answer(Accepted accepted, Throwable error) {
    if (error instanceof RefusedException refused) {
      say("refused", refused.number(), refused.value());
    } else if (error != null) {
      say("failed");
    } else {
      say("accepted", accepted.number(), accepted.place().epoch(), accepted.place().msgSeqNum(),
          bit(accepted.duplicate()));
    }
  }
}
