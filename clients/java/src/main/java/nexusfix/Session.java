package nexusfix;

/**
 * What the gateway says of a session when the client attaches.
 *
 * @param name such as FIX.4.4:DESK-&gt;VENUE
 * @param loggedOn whether it is logged on
 * @param received the last message from the counterparty
 * @param sent the last message to the counterparty
 */
public record Session(String name, boolean loggedOn, Place received, Place sent) {}
