package nexusfix;

import java.io.IOException;

/** The gateway, or the client, has ended the connection. */
public final class ClosedException extends IOException {
  private static final long serialVersionUID = 1;

  /** Why, in the order of the protocol's codes from 1 on. */
  public enum Code {
    VERSION, DENIED, ALREADY_ATTACHED, BAD_FRAME, TOO_SLOW, NO_HELLO, STOPPING, CURSOR_INVALID,
    MESSAGES_GONE, CLIENT_ENDS, NO_SHARED_MEMORY, OTHER
  }

  private final int value;

  ClosedException(Code code, String reason) {
    this(code.ordinal() + 1, reason);
  }

  ClosedException(int value, String reason) {
    super("closed with code " + value + ": " + reason);
    this.value = value;
  }

  /** The reason. */
  public Code code() {
    return value >= 1 && value < Code.values().length ? Code.values()[value - 1] : Code.OTHER;
  }

  /** The code of the protocol. */
  public int value() {
    return value;
  }

  /** Whether another attempt to attach has the same end. */
  boolean isFinal() {
    return switch (code()) {
      case VERSION, DENIED, BAD_FRAME, CURSOR_INVALID, MESSAGES_GONE, CLIENT_ENDS -> true;
      default -> false;
    };
  }
}
