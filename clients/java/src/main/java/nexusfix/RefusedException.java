package nexusfix;

/** Nothing was sent, and the number may be used again. */
public final class RefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Why a message was not sent, in the order of the protocol's codes from 1 on. */
  public enum Code {
    BAD_MESSAGE, NOT_ALLOWED, SESSION_CLOSED, RATE_LIMITED, UNAVAILABLE,
    /** A message before this one was refused. */
    AFTER_REFUSED,
    /** A stored message: the session was reset before its next Logon. */
    RESET,
    OTHER
  }

  static final int AFTER_REFUSED = 6;
  static final int RESET = 7;

  private final long number;
  private final int value;
  private final long waitMillis;

  RefusedException(String session, long number, int value, String reason, long waitMillis) {
    super("message " + number + " to " + session + " was refused: " + reason);
    this.number = number;
    this.value = value;
    this.waitMillis = waitMillis;
  }

  /** The message's number. */
  public long number() {
    return number;
  }

  /** The reason. */
  public Code code() {
    return value >= 1 && value < Code.values().length ? Code.values()[value - 1] : Code.OTHER;
  }

  /** The code of the protocol. */
  public int value() {
    return value;
  }

  /** Of RATE_LIMITED: the milliseconds to wait. */
  public long waitMillis() {
    return waitMillis;
  }
}
