package nexusfix;

/**
 * The place of a message in the order of all messages of a session and direction.
 *
 * @param epoch the session's number of resets, plus 1; 0: before all
 * @param msgSeqNum MsgSeqNum (34)
 */
public record Place(long epoch, long msgSeqNum) implements Comparable<Place> {
  @Override
  public int compareTo(Place other) {
    int order = Long.compareUnsigned(epoch, other.epoch);
    return order != 0 ? order : Long.compareUnsigned(msgSeqNum, other.msgSeqNum);
  }
}
