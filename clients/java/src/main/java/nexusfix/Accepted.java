package nexusfix;

/**
 * A message and its number are in the gateway's journal.
 *
 * @param session the name of the session
 * @param number that of the message, by the client
 * @param place the message's; of a duplicate epoch and MsgSeqNum are 0
 * @param duplicate the number was accepted before, such as before a lost connection: the gateway
 *     has sent the message once
 * @param stored the session is not logged on: a resend sends it after the next Logon
 */
public record Accepted(
    String session, long number, Place place, boolean duplicate, boolean stored) {}
