"""Checks the history of a run from both counterparties' views: nothing that was acknowledged is
lost, and no MsgSeqNum means two things. The drills and the crash tests share it."""

import calendar
import json
import subprocess
import sys
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "interop"))
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
        row.pop("PossDup")
        known = reports.setdefault(row["ExecID"], row)
        if known != row:
            raise Failure(f"one ExecID, two contents:\n  {known}\n  {row}")
    return reports


def filled_by_order(reports):
    filled = {}
    for row in reports.values():
        quantity = Decimal(row["LastQty"]) if row["ExecType"] in "F12" else Decimal(0)
        filled[row["ClOrdID"]] = filled.get(row["ClOrdID"], Decimal(0)) + quantity
    return filled


def read_book(nexusfix, config):
    """The venue's orders by ClOrdID, rebuilt from its log. The venue must have ended."""
    orders = json.loads(output_of(nexusfix, "serve", config, "--dump-book"))["orders"]
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
    # ExecIDs are consecutive over all reports: a missing one is a lost report.
    expected_ids = {f"E{n}" for n in range(1, len(reports) + 1)}
    if set(reports) != expected_ids:
        raise Failure(f"reports lost: {sorted(expected_ids - set(reports))[:5]}")
    for cl_ord_id, quantity in wanted.items():
        order = book[cl_ord_id]
        found = (filled.get(cl_ord_id), Decimal(order["cum_qty"]), Decimal(order["order_qty"]))
        if found != (quantity, quantity, quantity) or Decimal(order["leaves_qty"]) != 0:
            raise Failure(f"{cl_ord_id} of {quantity}: reported, in the book, ordered: {found}")


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


def by_number(stored, direction):
    """The application messages of one direction, by MsgSeqNum. None is there twice."""
    found = {}
    for _, _, way, message in stored:
        if way != direction or message.type not in APPLICATION:
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


# What was on the wire: the trader's message log.

class Wire:
    """The messages of both directions as the trader saw them, with their times."""

    def __init__(self, folder):
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

    def times_of_reports(self):
        """When new reports came, by time.time() of the trader's machine."""
        found = []
        for at, way, message in self.messages:
            if way == "IN" and message.type == "8" and not message.repeated:
                seconds = calendar.timegm(time.strptime(at[:17], "%Y%m%d-%H:%M:%S"))
                found.append(seconds + float("0" + at[17:]))
        return found


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
