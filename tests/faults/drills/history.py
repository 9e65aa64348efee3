"""Checks the history of a run from both counterparties' views: nothing that was acknowledged is
lost, no MsgSeqNum means two things, and each side sends and repeats as the session layer says. The
drills and the crash tests share it."""

import calendar
import json
import subprocess
import sys
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "peers" / "interop"))
from fix_log import Message  # noqa: E402  pylint: disable=wrong-import-position

LIMIT_SECONDS = 300  # for hangs only
APPLICATION = ("D", "8")  # MsgTypes of the trader and the venue
PARTIALS = [300, 100, 100, 300]  # OrderQty of the orders of each group of four of --partials


class Failure(Exception):
    pass


def output_of(nexusfix, *arguments):
    done = subprocess.run([nexusfix, *map(str, arguments)], capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, check=False)
    if done.returncode != 0:
        raise Failure(f"nexusfix {' '.join(map(str, arguments[:2]))} failed: {done.stderr.strip()}")
    return done.stdout


# What was reported to the trader: its report file.

def read_reports(path):
    """The reports by ExecID. A line that a kill has torn does not count."""
    reports = {}
    lines = path.read_text().split("\n")
    columns = lines[0].split("\t")
    for line in lines[1:-1]:
        row = dict(zip(columns, line.split("\t"), strict=True))
        is_repeated = row.pop("PossDup") == "Y"
        is_known = row["ExecID"] in reports
        known = reports.setdefault(row["ExecID"], row)
        if known != row:
            raise Failure(f"one ExecID, two contents:\n  {known}\n  {row}")
        if is_known and not is_repeated:
            raise Failure(f"a report came again as a new one: {row}")
    return reports


def filled_by_order(reports):
    filled = {}
    for row in reports.values():
        quantity = Decimal(row["LastQty"]) if row["ExecType"] in "F12" else Decimal(0)
        filled[row["ClOrdID"]] = filled.get(row["ClOrdID"], Decimal(0)) + quantity
    return filled


def read_book(nexusfix, config, session=None):
    """The venue's orders of a session, or of the only one, by ClOrdID, rebuilt from its log. The
    venue must have ended."""
    orders = json.loads(output_of(nexusfix, "serve", config, "--dump-book"))["orders"]
    orders = [order for order in orders if session in (None, order["session"])]
    book = {order["cl_ord_id"]: order for order in orders}
    if len(book) != len(orders):
        raise Failure("the venue has accepted one ClOrdID twice")
    return book


def check_book_has_reports(book, reports):
    """Every report that the trader got is in the venue's log, however both died."""
    for cl_ord_id, filled in filled_by_order(reports).items():
        if cl_ord_id not in book:
            raise Failure(f"{cl_ord_id} was reported, and is not in the rebuilt book")
        if Decimal(book[cl_ord_id]["cum_qty"]) < filled:
            raise Failure(f"{cl_ord_id}: {filled} were reported as filled, "
                          f"{book[cl_ord_id]['cum_qty']} are in the rebuilt book")


def check_orders(book, reports, orders, quantities):
    """Each of the orders T1, T2, ... is in the book, filled once, and reported. quantities: those
    of the orders of a group."""
    filled = filled_by_order(reports)
    wanted = {f"T{n}": Decimal(quantities[(n - 1) % len(quantities)]) for n in range(1, orders + 1)}
    if set(book) != set(wanted):
        missing = sorted(set(wanted) - set(book))
        raise Failure(f"the book has {len(book)} orders, expected {len(wanted)}; missing: "
                      f"{missing[:5]}")
    for cl_ord_id, quantity in wanted.items():
        order = book[cl_ord_id]
        found = (filled.get(cl_ord_id), Decimal(order["cum_qty"]), Decimal(order["order_qty"]))
        if found != (quantity, quantity, quantity) or Decimal(order["leaves_qty"]) != 0:
            raise Failure(f"{cl_ord_id} of {quantity}: reported, in the book, ordered: {found}")


def check_executions(*reports):
    """The reports of each session. ExecIDs are consecutive over all: a missing one is a lost
    report."""
    executions = [execution for one in reports for execution in one]
    expected = {f"E{n}" for n in range(1, len(executions) + 1)}
    if set(executions) != expected:
        raise Failure(f"reports lost: {sorted(expected - set(executions))[:5]}")


# What both have stored: their logs.

def stored_messages(nexusfix, log):
    """(session, epoch, direction, Message) of each message in a journal or a database."""
    found = []
    for line in output_of(nexusfix, "journal", "show", log, "--messages", "--json").splitlines():
        one = json.loads(line)
        if "message" in one:
            found.append((one["session"], one["epoch"], one["direction"],
                          Message(one["message"].encode())))
    return found


def by_number(stored, direction, session=None):
    """The application messages of one direction, of one session or of the only one, by MsgSeqNum.
    None is there twice."""
    found = {}
    for name, _, way, message in stored:
        if way != direction or message.type not in APPLICATION or session not in (None, name):
            continue
        if message.number in found:
            raise Failure(f"stored twice: {message}")
        found[message.number] = message
    return found


def check_received(sender, sent, receiver, received):
    """Both have the same messages with the same MsgSeqNums."""
    missing = sorted(set(sent) - set(received))
    more = sorted(set(received) - set(sent))
    if missing or more:
        raise Failure(f"{receiver} lacks MsgSeqNums {missing[:5]} of {sender}, and has "
                      f"{more[:5]} that were not sent")
    for number, message in sent.items():
        if message.body != received[number].body:
            raise Failure(f"MsgSeqNum {number} of {sender} means two things:\n  {message}\n  "
                          f"{received[number]}")


def check_lives(reports):
    """reports: the venue's messages by MsgSeqNum. Each ExecID is one report, an order is accepted
    before it is filled, and what is filled adds up."""
    executions, filled = set(), {}
    for _, report in sorted(reports.items()):
        order, execution = report.get(11), report.get(17)
        if execution in executions:
            raise Failure(f"ExecID {execution} was sent under two MsgSeqNums: {report}")
        executions.add(execution)
        if (report.get(150) == "0") != (order not in filled):
            raise Failure(f"{order} was accepted twice, or filled before it was accepted: {report}")
        last = Decimal(report.get(32) or 0) if report.get(150) in ("F", "1", "2") else Decimal(0)
        filled[order] = filled.get(order, Decimal(0)) + last
        if Decimal(report.get(14)) != filled[order]:
            raise Failure(f"CumQty of {order} is not {filled[order]}: {report}")
        if Decimal(report.get(14)) + Decimal(report.get(151)) != Decimal(report.get(38)):
            raise Failure(f"CumQty and LeavesQty of {order} are not its OrderQty: {report}")


# What was on the wire: the trader's message log.

OTHER = {"IN": "OUT", "OUT": "IN"}


class Sequence:
    """What one side has sent, in the order of the wire."""

    def __init__(self):
        self.highest = 0    # MsgSeqNum of a new message
        self.first = {}     # the first message of each number
        self.resent = None  # the last number of the resend that goes on; None: there is none
        self.asked = []     # where the other side's ResendRequests begin that are not answered

    def new(self, message):
        if message.number in self.first:
            raise Failure(f"repeated without PossDupFlag (43): {message}")
        if message.number <= self.highest:
            raise Failure(f"MsgSeqNum {message.number} comes after {self.highest}: {message}")
        if message.get(122):
            raise Failure(f"OrigSendingTime (122) without PossDupFlag (43): {message}")
        self.highest = message.number
        self.first[message.number] = message

    def repeated(self, message):
        original = message.get(122)
        if message.type != "4" and not original:
            raise Failure(f"PossDupFlag (43) without OrigSendingTime (122): {message}")
        if original > message.get(52):
            raise Failure(f"OrigSendingTime (122) is after SendingTime (52): {message}")
        first = self.first.get(message.number)
        if first and original and first.type == message.type and original != first.get(52):
            raise Failure(f"OrigSendingTime (122) is not the SendingTime of {first}: {message}")
        self.resend(message)

    def resend(self, message):
        """In ascending order, from where a ResendRequest began."""
        number = message.number
        if self.resent is None or number <= self.resent:
            if number not in self.asked:
                raise Failure(f"not in the order of a resend, after {self.resent}: {message}")
            del self.asked[:self.asked.index(number) + 1]
        self.resent = number
        if message.type == "4":
            if int(message.get(36)) <= number:
                raise Failure(f"a gap fill goes back: {message}")
            self.resent = int(message.get(36)) - 1


class Wire:
    """The messages of both directions as the trader saw them, with their times."""

    def __init__(self, folder):
        """folder: with the log of one session."""
        self.messages = []  # (time, direction, Message)
        path, = folder.glob("FIX*.messages.current.log")
        for line in path.read_bytes().split(b"\n"):
            words = line.split(b" ", 2)
            if len(words) == 3 and words[1] in (b"IN", b"OUT") and b"8=FIX" in line:
                self.messages.append((words[0].decode(), words[1].decode(),
                                      Message(line[line.index(b"8=FIX"):])))

    def check_numbers(self, direction, stored):
        """A MsgSeqNum had one meaning on the wire, that of the sender's log, also where a message
        was repeated, or filled as administrative. Returns how many were repeated."""
        meanings, repeated = {}, 0
        for _, way, message in self.messages:
            if way != direction:
                continue
            if message.type == "4" and message.get(123) == "Y":  # SequenceReset-GapFill
                hidden = [one for one in range(message.number, int(message.get(36)))
                          if one in stored]
                if hidden:
                    raise Failure(f"a gap fill hides MsgSeqNum {hidden[0]}: {message}")
                continue
            repeated += message.repeated
            is_application = message.type in APPLICATION
            meaning = message.body if is_application else message.type
            known = meanings.setdefault(message.number, meaning)
            in_log = stored.get(message.number)
            if known != meaning or (in_log is not None) != is_application:
                raise Failure(f"MsgSeqNum {message.number} means two things: {message}, before "
                              f"{known}, stored {in_log}")
            if in_log is not None and in_log.body != message.body:
                raise Failure(f"MsgSeqNum {message.number} means two things:\n  {message}\n  "
                              f"{in_log} in the log")
        return repeated

    def check_conduct(self):
        """New messages ascend, and each number is new once. What is repeated says so, with its
        first time, in the order in which the other side has asked for it."""
        sides = {"IN": Sequence(), "OUT": Sequence()}
        for _, way, message in self.messages:
            side = sides[way]
            if message.type == "2":
                sides[OTHER[way]].asked.append(int(message.get(7)))
            if message.type == "4" and message.get(123) != "Y":
                raise Failure(f"a SequenceReset without GapFillFlag: {message}")
            if message.type == "A" and message.get(141) == "Y":
                raise Failure(f"the sequence numbers were reset: {message}")
            if message.repeated:
                side.repeated(message)
            elif message.type == "4":
                side.resend(message)
            else:
                side.new(message)

    def check_all_sent(self, direction, stored):
        """Each stored message was on the wire at least once."""
        seen = {message.number for _, way, message in self.messages
                if way == direction and message.type in APPLICATION}
        if missing := sorted(set(stored) - seen):
            raise Failure(f"MsgSeqNums {missing[:5]} are in the log, and were never on the wire: "
                          f"{stored[missing[0]]}")

    def check_reports(self, reports):
        """The report file has each report of the wire, and no other; each is that of an order that
        was sent before. A report that is not repeated is there once."""
        orders, seen = set(), set()
        for _, way, message in self.messages:
            if message.type == "D" and way == "OUT":
                orders.add(message.get(11))
            if message.type != "8" or way != "IN":
                continue
            if message.get(11) not in orders:
                raise Failure(f"a report of an order that was not sent: {message}")
            seen.add(message.get(17))
        if missing := sorted(seen - set(reports)):
            raise Failure(f"reports of the wire are not in the report file: {missing[:5]}")
        if more := sorted(set(reports) - seen):
            raise Failure(f"reports of the report file were never on the wire: {more[:5]}")

    def times_of_reports(self):
        """When new reports came, by time.time() of the trader's machine."""
        found = []
        for at, way, message in self.messages:
            if way == "IN" and message.type == "8" and not message.repeated:
                seconds = calendar.timegm(time.strptime(at[:17], "%Y%m%d-%H:%M:%S"))
                found.append(seconds + float("0" + at[17:]))
        return found


# All of one session.

def check_session(wire, reports, by_venue, by_trader, received):
    """wire: the trader's; reports: its report file; by_venue and by_trader: what each has sent, and
    received: what the trader has got, by MsgSeqNum. Returns how many messages were repeated."""
    check_received("the venue", by_venue, "the trader", received)
    check_lives(by_venue)
    repeated = wire.check_numbers("IN", by_venue) + wire.check_numbers("OUT", by_trader)
    wire.check_conduct()
    wire.check_all_sent("IN", by_venue)
    wire.check_all_sent("OUT", by_trader)
    wire.check_reports(reports)
    return repeated


# What an audit stream has sent to its topic.

def check_audit(stored, consumed):
    """The topic has each message of the journals once, unless it marks it as repeated. consumed:
    the result of a Consumer."""
    new, repeated, values = consumed
    sent = Counter((session, epoch, direction) for session, epoch, direction, _ in stored)
    if sent != new:
        raise Failure(f"the journals have {sum(sent.values())} messages, the topic "
                      f"{sum(new.values())} new ones: missing {sent - new}, more {new - sent}")
    raw = Counter(message.raw for _, _, _, message in stored)
    if raw != values:
        raise Failure(f"{sum((raw - values).values())} messages have other bytes in the topic")
    return repeated
