package nexusfix;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Optional;
import java.util.function.Function;

/**
 * A tag and the type of its values. {@code nexusfix codegen --language java} makes those of a
 * dictionary.
 *
 * @param <T> the type of the values
 */
public final class Field<T> {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMdd-HH:mm:ss.SSS");
  private static final DateTimeFormatter TIME_WITH_FRACTION =
      new DateTimeFormatterBuilder()
          .appendPattern("uuuuMMdd-HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .toFormatter();

  private final int tag;
  private final int lengthTag;
  private final Function<byte[], T> reader;
  private final Function<T, byte[]> writer;

  private Field(int tag, int lengthTag, Function<byte[], T> reader, Function<T, byte[]> writer) {
    this.tag = tag;
    this.lengthTag = lengthTag;
    this.reader = reader;
    this.writer = writer;
  }

  private static <T> Field<T> of(int tag, Function<String, T> read, Function<T, String> write) {
    return new Field<>(
        tag, 0, b -> read.apply(new String(b, StandardCharsets.UTF_8)),
        v -> write.apply(v).getBytes(StandardCharsets.UTF_8));
  }

  /** A field of any text, in UTF-8. */
  public static Field<String> text(int tag) {
    return of(tag, v -> v, v -> v);
  }

  /** A field of values with names. Another value cannot be read: {@link Fields#text} has it. */
  public static <E extends NamedValue> Field<E> named(int tag, E[] values) {
    return of(tag, text -> {
      for (E value : values) {
        if (value.text().equals(text)) {
          return value;
        }
      }
      throw new IllegalArgumentException("the dictionary does not have the value " + text);
    }, NamedValue::text);
  }

  /** A field of integers. */
  public static Field<Long> integer(int tag) {
    return of(tag, Long::valueOf, v -> Long.toString(v));
  }

  /** A field of prices, quantities and amounts. */
  public static Field<BigDecimal> decimal(int tag) {
    return of(tag, text -> {
      if (text.chars().anyMatch(c -> c != '.' && c != '-' && (c < '0' || c > '9'))) {
        throw new IllegalArgumentException("no decimal number: " + text);
      }
      return new BigDecimal(text);
    }, BigDecimal::toPlainString);
  }

  /** A field of Y and N. */
  public static Field<Boolean> bool(int tag) {
    return of(tag, text -> {
      if (!text.equals("Y") && !text.equals("N")) {
        throw new IllegalArgumentException("neither Y nor N: " + text);
      }
      return text.equals("Y");
    }, v -> v ? "Y" : "N");
  }

  /** A field of UTCTimestamp. It writes milliseconds. */
  public static Field<Instant> time(int tag) {
    return of(
        tag, text -> LocalDateTime.parse(text, TIME_WITH_FRACTION).toInstant(ZoneOffset.UTC),
        v -> TIME.format(LocalDateTime.ofInstant(v, ZoneOffset.UTC)));
  }

  /** A data field and its Length field. */
  public static Field<byte[]> data(int tag, int lengthTag) {
    return new Field<>(tag, lengthTag, byte[]::clone, byte[]::clone);
  }

  /** The tag. */
  public int tag() {
    return tag;
  }

  int lengthTag() {
    return lengthTag;
  }

  byte[] write(T value) {
    return writer.apply(value);
  }

  T read(byte[] value) {
    try {
      return reader.apply(value);
    } catch (RuntimeException wrong) {
      throw new FieldException(tag, wrong.getMessage());
    }
  }

  Optional<T> find(byte[] value) {
    return value == null ? Optional.empty() : Optional.of(read(value));
  }
}
