"""The scenarios. Each checks the state that the peer reports, and then the peer's log."""

from engines import PEER, SUBJECT, Client
from fix_log import conduct_faults, read_log
from processes import Failure


def expect(condition, text):
    if not condition:
        raise Failure(text)


def expect_equal(expected, actual, what):
    expect(expected == actual, f"{what}: {expected} expected, {actual} found")


class Scenario:
    """The peer's log, read in slices: a slice begins at the end of the one before."""

    def __init__(self, arena):
        self.arena = arena
        self.mark = 0

    def slice(self):
        messages = read_log(self.arena.peer_log)
        recent = messages[self.mark:]
        self.mark = len(messages)
        return recent

    def expect_no_resends(self, messages, what):
        found = [str(m) for m in messages if m.type in ("2", "4") or m.repeated]
        expect(not found, f"{what}: no resend was needed, but: {found}")

    def expect_resends(self, messages, requester, what):
        asked = [m for m in messages if m.type == "2" and m.get(49) == requester]
        expect(asked, f"{what}: {requester} should have sent a ResendRequest")

    def expect_logon_numbers(self, messages, peer, subject, what):
        for sender, number in ((PEER, peer), (SUBJECT, subject)):
            logons = [m.number for m in messages if m.type == "A" and m.get(49) == sender]
            expect_equal([number], logons, f"{what}: MsgSeqNum of the Logon of {sender}")

    def expect_next_logon(self, messages, state):
        """Both Logons have the next numbers. QuickFIX may use one for a Logon after its connection
        has ended, which it then cannot send: that number must be requested, and nothing else."""
        number = state["next_sender"]
        logon = next((m.number for m in messages if m.type == "A" and m.get(49) == PEER), number)
        if logon == number + 1:
            asked = [(m.get(49), m.get(7), m.get(16)) for m in messages if m.type == "2"]
            expect_equal([(SUBJECT, str(number), str(number))], asked,
                         f"ResendRequests for MsgSeqNum {number}, which the peer did not send")
            messages = [m for m in messages if m.type != "2" and
                        (m.get(49), m.number) != (PEER, number)]
            number = logon
        self.expect_no_resends(messages, "next Logon")
        self.expect_logon_numbers(messages, number, state["next_target"], "next Logon")

    def settle(self, peer):
        """Waits until the peer has processed its whole log: numbers move after the callback."""
        messages = read_log(self.arena.peer_log)
        last = [m.number for m in messages if m.get(49) == SUBJECT and not m.repeated][-1]
        return peer.do(f"await next_target {last + 1}")

    def finish(self, peer):
        """Checks every message of the engine under test, and that both sides agree on numbers."""
        faults = conduct_faults(read_log(self.arena.peer_log), SUBJECT)
        expect(not faults, "conduct of the engine under test:\n" + "\n".join(faults[:20]))
        self.settle(peer)


def order_run(peer, orders):
    return peer.do(f"orders {orders}", "await open_orders 0")


def log_out(peer):
    return peer.do("logout", "await logged_on 0")


def venue_session(arena, orders=1000):
    """Logon, orders, gaps both ways while live and at Logon, Logout, and a Logon without a gap."""
    scenario = Scenario(arena)
    venue = arena.venue()
    venue.start()
    peer = arena.start_peer("initiator", venue.port)
    peer.do("await logged_on 1")
    scenario.expect_logon_numbers(scenario.slice(), 1, 1, "first Logon")

    order_run(peer, orders)
    state = scenario.settle(peer)
    expect_equal(orders + 2, state["next_sender"], "peer's next number")
    expect_equal(state["reports"] + 2, state["next_target"], "peer's expected number")
    peer.do("test-request T1", "await test_replies 1")
    scenario.expect_no_resends(scenario.slice(), "first orders")

    # The peer forgets the last 20 messages: the venue must replay the reports among them.
    before = scenario.settle(peer)["next_target"]
    state = peer.do("rewind-target 20", "test-request T2", f"await next_target {before + 1}")
    expect(state["reports_possdup"] >= 19, f"19 reports should be replayed: {state}")
    scenario.expect_resends(scenario.slice(), PEER, "rewound expected number")

    # The peer skips numbers: the venue must request the missing ones, and continue.
    peer.do("skip-sender 5")
    order_run(peer, 4)
    scenario.expect_resends(scenario.slice(), SUBJECT, "skipped numbers")
    log_out(peer)
    scenario.settle(peer)

    # Both at once, at Logon; the venue missed eight orders.
    scenario.slice()
    peer.do("orders 8", "rewind-target 10", "logon", "await open_orders 0")
    order_run(peer, 4)
    recent = scenario.slice()
    scenario.expect_resends(recent, SUBJECT, "orders sent while logged out")
    scenario.expect_resends(recent, PEER, "rewound expected number at Logon")
    log_out(peer)
    state = scenario.settle(peer)

    scenario.slice()
    peer.do("logon", "await logged_on 1")
    order_run(peer, 4)
    log_out(peer)
    recent = scenario.slice()
    scenario.expect_no_resends(recent, "second Logon")
    scenario.expect_logon_numbers(recent, state["next_sender"], state["next_target"], "last Logon")
    scenario.finish(peer)
    peer.quit()
    venue.stop()


def venue_restart(arena):
    """The venue ends and starts again; numbers, messages and the book come from its journal."""
    scenario = Scenario(arena)
    venue = arena.venue()
    venue.start()
    peer = arena.start_peer("initiator", venue.port)
    peer.do("await logged_on 1")
    order_run(peer, 40)
    # The first of the next two orders keeps 40 in the book.
    peer.do("orders 2", "await open_orders 1")
    log_out(peer)
    state = scenario.settle(peer)
    venue.stop()

    venue.start()
    scenario.slice()
    peer.do("logon", "await logged_on 1")
    peer.do("orders 2", "await open_orders 0")
    recent = scenario.slice()
    scenario.expect_no_resends(recent, "Logon after a restart")
    scenario.expect_logon_numbers(recent, state["next_sender"], state["next_target"], "restart")

    # Messages of the process before can still be replayed.
    before = scenario.settle(peer)["next_target"]
    replayed = peer.state.get("reports_possdup", 0)
    state = peer.do("rewind-target 30", "test-request T1", f"await next_target {before + 1}")
    expect(state["reports_possdup"] - replayed >= 20, f"20 reports should be replayed: {state}")

    # Stopped while logged on, it sends a Logout; the peer connects again by itself.
    scenario.slice()
    logons = peer.state["logons"]
    venue.stop()
    peer.do("await logged_on 0")
    venue.start()
    peer.do(f"await logons {logons + 1}")
    order_run(peer, 4)
    recent = scenario.slice()
    expect([m for m in recent if m.type == "5" and m.get(49) == SUBJECT], "no Logout at the end")
    # The venue may have to request a resend: QuickFIX uses a number for a Logon that is not sent.
    asked = [str(m) for m in recent if m.type == "2" and m.get(49) == PEER]
    expect(not asked, f"the venue's numbers should continue after a stop while logged on: {asked}")
    log_out(peer)
    scenario.finish(peer)
    peer.quit()
    venue.stop()


def venue_reset(arena):
    """ResetSeqNumFlag from the peer, twice; and heartbeats while the session is idle."""
    scenario = Scenario(arena)
    venue = arena.venue()
    venue.start()
    peer = arena.start_peer("initiator", venue.port, ResetOnLogon="Y", HeartBtInt=1)
    for turn in (1, 2):
        peer.do("await logged_on 1")
        order_run(peer, 8)
        peer.do(f"await-at-least heartbeats {2 * turn}")
        log_out(peer)
        recent = scenario.slice()
        scenario.expect_logon_numbers(recent, 1, 1, f"reset {turn}")
        flags = [m.get(141) for m in recent if m.type == "A"]
        expect_equal(["Y", "Y"], flags, "ResetSeqNumFlag of the Logons")
        scenario.expect_no_resends(recent, f"after reset {turn}")
        if turn == 1:
            peer.do("logon")
    scenario.finish(peer)
    peer.quit()
    venue.stop()


def venue_reset_in_session(arena):
    """A Logon with ResetSeqNumFlag on the living connection, from the peer and from our venue.

    As initiator, QuickFIX/J 2.3.2 resets at ours, and sends no Logon in answer: it answers the
    TestRequest that follows after a second."""
    scenario = Scenario(arena)
    venue = arena.venue()
    venue.start()
    peer = arena.start_peer("initiator", venue.port)
    peer.do("await logged_on 1")
    for asker, answerer in ((PEER, SUBJECT), (SUBJECT, PEER), (PEER, SUBJECT)):
        has_answer = asker == PEER or arena.peer_kind != "quickfixj"
        order_run(peer, 8)
        scenario.settle(peer)
        scenario.slice()
        if asker == PEER:
            peer.do("reset-in-session")
        else:
            venue.reset_in_session()
        number = 2 if has_answer else 4
        peer.do(f"await next_target {number}", "await next_sender 2")
        recent = scenario.slice()
        logons = [(m.get(49), m.number, m.get(141)) for m in recent if m.type == "A"]
        answer = [(answerer, 1, "Y")] if has_answer else []
        expect_equal([(asker, 1, "Y"), *answer], logons, "Logons of the reset")
        expect(not [m for m in recent if m.type == "5"], "a reset within a session has no Logout")
        order_run(peer, 8)
        scenario.expect_no_resends(scenario.slice(), f"after the reset of {asker}")
    log_out(peer)
    state = scenario.settle(peer)
    scenario.slice()
    peer.do("logon", "await logged_on 1")
    order_run(peer, 4)
    recent = scenario.slice()
    scenario.expect_next_logon(recent, state)
    log_out(peer)
    scenario.finish(peer)
    peer.quit()
    venue.stop()


def trader_session(arena, orders=1000):
    """Orders one at a time, gaps both ways in midstream and at Logon, a Logon without a gap."""
    scenario = Scenario(arena)
    peer, port = arena.start_acceptor_peer()
    trader = arena.trader(port)
    trader.trade(orders)
    state = peer.do("await logged_on 0")
    expect_equal(orders, state["orders_received"], "orders that arrived")
    recent = scenario.slice()
    scenario.expect_logon_numbers(recent, 1, 1, "first Logon")
    scenario.expect_no_resends(recent, "first orders")

    # During a run the peer skips numbers and forgets the last 20 messages.
    peer.do(f"gap-at-order {orders + 40} 5 20")
    trader.trade(80)
    state = peer.do("await logged_on 0")
    expect_equal(orders + 80, state["orders_received"], "orders that arrived")
    expect(state["orders_possdup"] >= 19, f"19 orders should be replayed: {state}")
    recent = scenario.slice()
    scenario.expect_resends(recent, SUBJECT, "skipped numbers")
    scenario.expect_resends(recent, PEER, "rewound expected number")

    # A reset while both are logged out: each Logon is too high for the other side.
    peer.do("skip-sender 5", "rewind-target 20")
    trader.trade(20)
    peer.do("await logged_on 0")
    state = scenario.settle(peer)
    expect_equal(orders + 100, state["orders_received"], "orders that arrived")
    recent = scenario.slice()
    scenario.expect_resends(recent, SUBJECT, "skipped numbers at Logon")
    scenario.expect_resends(recent, PEER, "rewound expected number at Logon")

    trader.trade(20)
    final = peer.do("await logged_on 0")
    expect_equal(orders + 120, final["orders_received"], "orders that arrived")
    recent = scenario.slice()
    scenario.expect_no_resends(recent, "last Logon")
    scenario.expect_logon_numbers(recent, state["next_sender"], state["next_target"], "last Logon")
    scenario.finish(peer)
    peer.quit()
    trader.stop()


def trader_reset(arena):
    """The trader resets the numbers with every Logon."""
    scenario = Scenario(arena)
    peer, port = arena.start_acceptor_peer()
    trader = arena.trader(port, ResetOnLogon="Y")
    for turn in (1, 2):
        trader.trade(8)
        peer.do("await logged_on 0")
        recent = scenario.slice()
        scenario.expect_logon_numbers(recent, 1, 1, f"reset {turn}")
        flags = [m.get(141) for m in recent if m.type == "A"]
        expect_equal(["Y", "Y"], flags, "ResetSeqNumFlag of the Logons")
        scenario.expect_no_resends(recent, f"after reset {turn}")
    scenario.finish(peer)
    peer.quit()
    trader.stop()


def trader_reset_in_session(arena):
    """Our initiator resets twice on the living connection, and no order or report is lost."""
    scenario = Scenario(arena)
    peer, port = arena.start_acceptor_peer()
    client = Client(arena, port)
    client.start()
    peer.do("await logged_on 1")
    for turn in (1, 2):
        client.trade(8)
        peer.do(f"await orders_received {client.orders}")
        scenario.settle(peer)
        scenario.slice()
        client.reset_in_session()
        peer.do(f"await-at-least logons {turn + 1}")
        recent = scenario.slice()
        logons = [(m.get(49), m.number, m.get(141)) for m in recent if m.type == "A"]
        expect_equal([(SUBJECT, 1, "Y"), (PEER, 1, "Y")], logons, "Logons of the reset")
        expect(not [m for m in recent if m.type == "5"], "a reset within a session has no Logout")
        client.trade(8)
        peer.do(f"await orders_received {client.orders}")
        scenario.expect_no_resends(scenario.slice(), f"after reset {turn}")
    client.stop()
    peer.do("await logged_on 0")
    state = scenario.settle(peer)
    scenario.slice()

    client.start()
    client.trade(4)
    peer.do(f"await orders_received {client.orders}")
    recent = scenario.slice()
    scenario.expect_next_logon(recent, state)
    client.stop()
    peer.do("await logged_on 0")
    scenario.finish(peer)
    peer.quit()


def change_engines(arena):
    """A running session moves from another engine to ours and back: no number is reset, and the
    messages of both can still be resent."""
    scenario = Scenario(arena)
    peer, port = arena.start_acceptor_peer()
    mover = arena.mover(port)
    state = {"next_sender": 1, "next_target": 1}
    # Each turn: the engine logs on with the numbers of the one before and sends orders. From the
    # second turn on it must also resend the last orders of the engine before.
    for turn, engine in enumerate((mover.theirs, mover.ours, mover.theirs, mover.ours)):
        forgotten = 6 if turn > 0 else 0
        if forgotten:
            peer.do(f"rewind-target {forgotten}")
        before = peer.state.get("orders_possdup", 0)
        engine(8)
        peer.do("await logged_on 0")
        after = scenario.settle(peer)
        recent = scenario.slice()
        scenario.expect_logon_numbers(recent, state["next_sender"], state["next_target"],
                                      f"turn {turn}")
        if forgotten:
            scenario.expect_resends(recent, PEER, f"turn {turn}")
            expect(after["orders_possdup"] - before >= forgotten - 2,
                   f"turn {turn}: orders of the engine before should be replayed: {after}")
        else:
            scenario.expect_no_resends(recent, f"turn {turn}")
        state = after
    expect_equal(32, state["orders_received"], "orders that arrived")
    scenario.finish(peer)
    peer.quit()


SCENARIOS = {
    "venue_session": venue_session,
    "venue_restart": venue_restart,
    "venue_reset": venue_reset,
    "venue_reset_in_session": venue_reset_in_session,
    "trader_session": trader_session,
    "trader_reset": trader_reset,
    "trader_reset_in_session": trader_reset_in_session,
    "change_engines": change_engines,
}
