package nexusfix;

/** There is no connection, or it was lost before the message was accepted: it was not sent. */
public final class NotSentException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NotSentException(String reason) {
    super(reason);
  }
}
