package nexusfix;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** A repeating group. {@code nexusfix codegen --language java} makes those of a dictionary. */
public final class Group {
  private final int countTag;
  private final Map<Integer, Integer> places = new HashMap<>();
  private final Set<Integer> within = new HashSet<>();

  /** The tag of its count field, the tags of an entry in their order, and the groups in it. */
  public Group(int countTag, int[] members, Group... groups) {
    this.countTag = countTag;
    for (int tag : members) {
      places.put(tag, places.size());
      within.add(tag);
    }
    for (Group inner : groups) {
      within.addAll(inner.within);
    }
  }

  /** The tag of the count field. */
  public int countTag() {
    return countTag;
  }

  boolean has(int tag) {
    return within.contains(tag);
  }

  int placeOf(int tag) {
    return places.getOrDefault(tag, places.size());
  }
}
