package nexusfix;

/** A value with a name: the enumerations that {@code nexusfix codegen} makes. */
public interface NamedValue {
  /** The value in a message. */
  String text();
}
