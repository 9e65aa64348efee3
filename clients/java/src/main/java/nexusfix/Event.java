package nexusfix;

import java.util.List;

/** What {@link Client#receive()} returns. */
public sealed interface Event {
  /**
   * An application message.
   *
   * @param session the name of the session
   * @param place of the message
   * @param fromJournal it arrived before the client attached
   * @param ofSent an observer's copy of a message that the session has sent
   * @param bytes the message as it came; {@link FixMessage#parse} reads it
   */
  record Received(
      String session, Place place, boolean fromJournal, boolean ofSent, byte[] bytes)
      implements Event {
    /** The cursor to keep after the message is handled. */
    public Cursor cursor() {
      return new Cursor(session, place, ofSent);
    }
  }

  /** A session has logged on or out. The reason is for people. */
  record StateChanged(String session, long epoch, boolean loggedOn, String reason)
      implements Event {}

  /**
   * A message whose {@link Accepted#stored()} was true is never sent: the session was reset before
   * its next Logon.
   */
  record Refused(RefusedException cause) implements Event {}

  /** All messages of the journal have come: what follows arrives now. */
  record CaughtUp() implements Event {}

  /** The connection is lost. The client attaches again by itself. */
  record Detached(Exception cause) implements Event {}

  /**
   * The client is attached again. Messages without an answer have been sent again, exactly those
   * that the gateway has not accepted.
   */
  record Reattached(List<Session> sessions) implements Event {}
}
