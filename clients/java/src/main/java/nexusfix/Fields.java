package nexusfix;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The fields of a message, or of an entry of a group, in their order. For one thread at a time. */
public class Fields {
  static final byte SOH = 1;

  /** A field. Of a count field whose entries add() made: also the group. */
  record Entry(int tag, byte[] value, Group group, List<Fields> entries) {}

  final List<Entry> list = new ArrayList<>();

  Fields() {}

  /** The value of a field. {@link FieldException}: it is missing, or of another type. */
  public <T> T get(Field<T> field) {
    byte[] value = bytes(field.tag());
    if (value == null) {
      throw new FieldException(field.tag(), "the message does not have it");
    }
    return field.read(value);
  }

  /** The value of a field that may be missing. {@link FieldException}: it is of another type. */
  public <T> Optional<T> find(Field<T> field) {
    return field.find(bytes(field.tag()));
  }

  /**
   * Sets a field, and the Length field of a data field.
   *
   * @return this
   * @throws FieldException the value has no bytes, or SOH
   */
  public <T> Fields set(Field<T> field, T value) {
    byte[] bytes = field.write(value);
    if (field.lengthTag() != 0) {
      check(field.tag(), bytes, true);
      put(field.lengthTag(), Integer.toString(bytes.length).getBytes(StandardCharsets.US_ASCII));
    } else {
      check(field.tag(), bytes, false);
    }
    put(field.tag(), bytes);
    return this;
  }

  /** The text of a field by its tag: for fields that the dictionary does not have. Null: none. */
  public String text(int tag) {
    byte[] value = bytes(tag);
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  /** Sets a field by its tag. */
  public Fields setText(int tag, String value) {
    return set(Field.text(tag), value);
  }

  /** Adds an entry to a group. Its fields may be set in any order. */
  public Fields add(Group group) {
    int at = indexOf(group.countTag());
    if (at < 0 || list.get(at).group() == null) {
      put(group.countTag(), new byte[0]);
      at = indexOf(group.countTag());
      list.set(at, new Entry(group.countTag(), null, group, new ArrayList<>()));
    }
    Fields entry = new Fields();
    list.get(at).entries().add(entry);
    return entry;
  }

  /** The entries of a group. {@link FieldException}: the count says another number. */
  public List<Fields> entries(Group group) {
    int at = indexOf(group.countTag());
    if (at < 0) {
      return List.of();
    }
    if (list.get(at).group() != null) {
      return List.copyOf(list.get(at).entries());
    }
    List<Fields> entries = new ArrayList<>();
    for (int i = at + 1; i < list.size() && group.has(list.get(i).tag()); ++i) {
      if (list.get(i).tag() == list.get(at + 1).tag()) {
        entries.add(new Fields());
      }
      entries.get(entries.size() - 1).list.add(list.get(i));
    }
    if (!text(group.countTag()).equals(Integer.toString(entries.size()))) {
      throw new FieldException(
          group.countTag(), text(group.countTag()) + ", but there are " + entries.size());
    }
    return entries;
  }

  private static void check(int tag, byte[] value, boolean isData) {
    if (value.length == 0) {
      throw new FieldException(tag, "a value has at least one byte");
    }
    for (byte one : value) {
      if (one == SOH && !isData) {
        throw new FieldException(tag, "a value has no SOH");
      }
    }
  }

  private int indexOf(int tag) {
    for (int i = 0; i < list.size(); ++i) {
      if (list.get(i).tag() == tag) {
        return i;
      }
    }
    return -1;
  }

  private byte[] bytes(int tag) {
    int at = indexOf(tag);
    return at < 0 ? null : list.get(at).value();
  }

  private void put(int tag, byte[] value) {
    Entry made = new Entry(tag, value, null, null);
    int at = indexOf(tag);
    if (at < 0) {
      list.add(made);
    } else {
      list.set(at, made);
    }
  }

  void write(ByteArrayOutputStream out, Group order) {
    List<Entry> sorted = new ArrayList<>(list);
    if (order != null) {
      sorted.sort(Comparator.comparingInt(entry -> order.placeOf(entry.tag())));
    }
    for (Entry entry : sorted) {
      if (entry.tag() == FixMessage.MSG_TYPE) {
        continue;
      }
      byte[] value = entry.group() == null
          ? entry.value()
          : Integer.toString(entry.entries().size()).getBytes(StandardCharsets.US_ASCII);
      out.writeBytes((entry.tag() + "=").getBytes(StandardCharsets.US_ASCII));
      out.writeBytes(value);
      out.write(SOH);
      if (entry.group() != null) {
        entry.entries().forEach(one -> one.write(out, entry.group()));
      }
    }
  }
}
