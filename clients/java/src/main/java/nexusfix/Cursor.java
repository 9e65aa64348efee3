package nexusfix;

/**
 * The last message of a session that the program has handled. Keep it in a store of your own,
 * written together with the effect of the message.
 *
 * @param session the name of the session
 * @param place that of the message
 * @param ofSent an observer's: of the messages that the session has sent
 */
public record Cursor(String session, Place place, boolean ofSent) {
  /** A cursor of the messages that the session has received. */
  public Cursor(String session, Place place) {
    this(session, place, false);
  }
}
