package nexusfix;

/** A field is missing, or its value cannot be read or sent. */
public final class FieldException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final int tag;

  FieldException(int tag, String reason) {
    super("field " + tag + ": " + reason);
    this.tag = tag;
  }

  /** The tag of the field. */
  public int tag() {
    return tag;
  }
}
