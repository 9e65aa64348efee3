package nexusfix;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/** What a client knows of its sessions and of messages without an answer. Any thread. */
final class Attachment {
  /** A message without an answer. */
  record Pending(
      long number, String session, byte[] body, CompletableFuture<Accepted> answer) {}

  /** The direction of a session. */
  private record Stream(String session, boolean ofSent) {}

  private final boolean resends;
  private final Map<Stream, Place> places = new LinkedHashMap<>();
  private final Map<Long, Pending> pending = new LinkedHashMap<>();
  private final Map<String, Integer> indexes = new HashMap<>();
  private Greeting welcome;
  private Link link; // null: detached
  private long last; // the highest number in use
  private long again; // was refused, and is the next number; 0: none was
  // Numbers after it: the gateway's own answers to them come later.
  private final Queue<Long> refused = new ArrayDeque<>();
  private ClosedException end;

  Attachment(Options options) {
    resends = options.resend();
    for (Cursor cursor : options.cursors()) {
      places.put(new Stream(cursor.session(), cursor.ofSent()), cursor.place());
    }
  }

  synchronized List<Cursor> cursors() {
    List<Cursor> all = new ArrayList<>();
    places.forEach((of, place) -> all.add(new Cursor(of.session(), place, of.ofSent())));
    return all;
  }

  synchronized List<Session> sessions() {
    return welcome.sessions();
  }

  synchronized String role() {
    return welcome.role();
  }

  synchronized long lastAccepted() {
    return welcome.lastAccepted();
  }

  synchronized Link link() {
    return link;
  }

  synchronized Link detach() {
    Link old = link;
    link = null;
    return old;
  }

  /**
   * Makes a connection the client's own. Returns the frames to send again: those with a higher
   * number than the last one that the gateway has accepted. Adds the answers that are known now.
   */
  synchronized List<Frame> adopt(Link connected, Greeting answer, List<Runnable> answers) {
    link = connected;
    welcome = answer;
    indexes.clear();
    again = 0;
    refused.clear();
    last = Math.max(last, answer.lastAccepted());
    for (Session session : answer.sessions()) {
      indexes.put(session.name(), indexes.size());
      places.putIfAbsent(new Stream(session.name(), false), session.received());
      if (answer.role().equals("observer")) {
        places.putIfAbsent(new Stream(session.name(), true), session.sent());
      }
    }
    List<Frame> resent = new ArrayList<>();
    for (Pending one : List.copyOf(pending.values())) {
      Integer index = indexes.get(one.session());
      if (one.number() <= answer.lastAccepted()) {
        pending.remove(one.number());
        Accepted known = new Accepted(one.session(), one.number(), new Place(0, 0), true, false);
        answers.add(() -> one.answer().complete(known));
      } else if (resends && index != null) {
        resent.add(Frame.send(index, one.number(), one.body()));
      } else {
        pending.remove(one.number());
        answers.add(() -> one.answer().completeExceptionally(
            new NotSentException("the connection was lost before the message was accepted")));
      }
    }
    return resent;
  }

  /** A message with its number, or 0 for the next one. */
  synchronized Pending enlist(long wanted, String session, byte[] body) {
    if (end != null) {
      throw new NotSentException("the client has ended: " + end.getMessage());
    }
    if (link == null) {
      throw new NotSentException("not attached to the gateway");
    }
    if (!indexes.containsKey(session)) {
      throw new IllegalArgumentException("the client sees no session '" + session + "'");
    }
    long number = wanted == 0 ? last + 1 : wanted;
    if (number <= last && number > welcome.lastAccepted()) {
      throw new IllegalArgumentException("number " + number + " comes after number " + last);
    }
    if (again != 0 && number > again) {
      throw new IllegalArgumentException(
          "number " + again + " was refused, and comes before number " + number);
    }
    if (number > last) {
      again = 0;
    }
    last = Math.max(last, number);
    Pending made = new Pending(number, session, body, new CompletableFuture<>());
    pending.put(number, made);
    return made;
  }

  synchronized Frame frame(Pending message) {
    return Frame.send(indexes.get(message.session()), message.number(), message.body());
  }

  /** Why the client ends. Returns the messages that get no answer. */
  synchronized List<Pending> end(ClosedException why) {
    end = why;
    List<Pending> left = List.copyOf(pending.values());
    pending.clear();
    return left;
  }

  /** The event of a frame; null: it has none. Adds the answer to a message. */
  synchronized Event handle(Frame frame, List<Runnable> answers) throws ClosedException {
    if (frame.kind() == Frame.CAUGHT_UP) {
      return new Event.CaughtUp();
    }
    if (frame.kind() == Frame.CLOSED) {
      throw new ClosedException(frame.code(), frame.text());
    }
    if (Integer.compareUnsigned(frame.session(), welcome.sessions().size()) >= 0) {
      throw Frame.badFrame("a frame of session " + Integer.toUnsignedString(frame.session()));
    }
    String session = welcome.sessions().get(frame.session()).name();
    switch (frame.kind()) {
      case Frame.MESSAGE:
        return message(session, frame);
      case Frame.SESSION_STATE:
        return new Event.StateChanged(
            session, frame.place().epoch(), frame.code() == 1, frame.text());
      case Frame.ACCEPTED:
        Pending message = pending.remove(frame.number());
        Accepted accepted = new Accepted(session, frame.number(), frame.place(),
            (frame.flags() & Frame.FLAG_DUPLICATE) != 0,
            (frame.flags() & Frame.FLAG_STORED) != 0);
        if (message != null) {
          answers.add(() -> message.answer().complete(accepted));
        }
        return null;
      case Frame.REFUSED:
        return refuse(session, frame, answers);
      default:
        throw Frame.badFrame("a frame of kind " + frame.kind());
    }
  }

  private Event message(String session, Frame frame) {
    boolean ofSent = (frame.flags() & Frame.FLAG_SENT) != 0;
    Stream of = new Stream(session, ofSent);
    Place before = places.get(of);
    if (before != null && before.compareTo(frame.place()) >= 0) {
      return null; // the program has it
    }
    places.put(of, frame.place());
    return new Event.Received(session, frame.place(),
        (frame.flags() & Frame.FLAG_FROM_JOURNAL) != 0, ofSent, frame.body());
  }

  /**
   * The gateway accepts no higher number before this one is used again (in-order=1): the messages
   * that left after this one are refused, too.
   */
  private Event refuse(String session, Frame frame, List<Runnable> answers) {
    int code = frame.code();
    long number = frame.number();
    if (code == RefusedException.RESET) {
      return new Event.Refused(new RefusedException(session, number, code, frame.text(), 0));
    }
    if (code == RefusedException.AFTER_REFUSED
        && Long.valueOf(number).equals(refused.peek())) {
      refused.remove();
      return null;
    }
    RefusedException why = new RefusedException(
        session, number, code, frame.text(), frame.place().msgSeqNum());
    for (Pending one : List.copyOf(pending.values())) {
      if (one.number() < number) {
        continue;
      }
      pending.remove(one.number());
      if (one.number() == number) {
        answers.add(() -> one.answer().completeExceptionally(why));
        continue;
      }
      refused.add(one.number());
      RefusedException after = new RefusedException(one.session(), one.number(),
          RefusedException.AFTER_REFUSED, "message " + number + " was refused before", 0);
      answers.add(() -> one.answer().completeExceptionally(after));
    }
    last = number - 1;
    again = number;
    return null;
  }
}
