#!/usr/bin/env python3
"""The checks of a history find what they are for: each one is shown a small history in which it is
wrong."""

import json
import os
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from history import (Failure, Message, Wire, by_number, check_audit, check_book_has_reports,
                     check_executions, check_orders, check_received, check_session, read_book,
                     read_reports)

SESSION = "FIX.4.4:VENUE->TRADER"
TIME = "20261125-19:50:00"


def fix(msg_type, number, more=""):
    return (f"8=FIX.4.4|9=0|35={msg_type}|34={number}|49=VENUE|52={TIME}|{more}10=000|"
            .replace("|", "\x01").encode())


def report(number, order, exec_id, more=""):
    return fix("8", number, f"{more}11={order}|17={exec_id}|")


LATER = "20261125-19:50:09"
QUANTITY = 100


class Run:
    """A short history of one session without a fault: orders in flight, a lost connection, and a
    resend to each side. A test changes it before it is checked."""

    def __init__(self):
        self.venue, self.trader = {}, {}  # what each has stored, by MsgSeqNum
        self.wire = []  # [way, raw], as the trader saw it
        self.rows = []  # of the report file
        self.send("OUT", "A", 1)
        self.send("IN", "A", 1)
        for number in range(2, 8):
            self.order(number)
        for number in range(2, 6):  # the orders 2 to 5 get two reports each
            self.report(2 * number - 2, number, "0")
            self.report(2 * number - 1, number, "F")
        # Reports 10 to 13, and an order, are lost with the connection.
        for number in (10, 11, 12, 13):
            self.report(number, number // 2 + 1, "0" if number % 2 == 0 else "F", on_wire=False)
        self.trader[8] = self.fix("D", 8, self.order_fields(8))
        self.send("OUT", "A", 9)
        self.send("IN", "A", 14)
        self.send("OUT", "2", 10, "7=10|16=0|")
        for number in (10, 11, 12, 13):
            self.repeat("IN", self.venue, number)
            self.row(number, "Y")
        self.send("IN", "4", 14, "43=Y|123=Y|36=15|")
        self.send("IN", "2", 15, "7=8|16=0|")
        self.repeat("OUT", self.trader, 8)
        self.send("OUT", "4", 9, "43=Y|123=Y|36=11|")
        self.report(16, 8, "0")
        self.report(17, 8, "F")
        self.received = dict(self.venue)

    @staticmethod
    def fix(msg_type, number, more="", at=TIME):
        return (f"8=FIX.4.4|9=0|35={msg_type}|34={number}|49=X|52={at}|{more}10=000|"
                .replace("|", "\x01").encode())

    @staticmethod
    def order_fields(number):
        return f"11=T{number}|38={QUANTITY}|"

    @staticmethod
    def report_fields(number, order, kind):
        last = QUANTITY if kind == "F" else 0
        return (f"11=T{order}|17=E{number}|150={kind}|32={last}|14={last}|151={QUANTITY - last}|"
                f"38={QUANTITY}|")

    def send(self, way, *fields):
        self.wire.append([way, self.fix(*fields)])

    def order(self, number):
        self.trader[number] = self.fix("D", number, self.order_fields(number))
        self.wire.append(["OUT", self.trader[number]])

    def report(self, number, order, kind, on_wire=True):
        self.venue[number] = self.fix("8", number, self.report_fields(number, order, kind))
        if on_wire:
            self.wire.append(["IN", self.venue[number]])
            self.row(number, "N")

    def repeat(self, way, log, number):
        raw = log[number].replace(b"\x0152=" + TIME.encode(), b"\x0143=Y\x0152=" + LATER.encode()
                                  + b"\x01122=" + TIME.encode())
        self.wire.append([way, raw])

    def row(self, number, is_repeated):
        report = Message(self.venue[number])
        self.rows.append([report.get(11), report.get(17), report.get(150), report.get(32),
                          is_repeated])

    # What a test changes.

    def place(self, way, number, is_repeated=False):
        """Where this message is on the wire."""
        return next(at for at, (one, raw) in enumerate(self.wire)
                    if one == way and Message(raw).number == number
                    and Message(raw).repeated == is_repeated)

    def edit(self, place, old, new):
        raw = self.wire[place][1]
        edited = raw.replace(old.replace("|", "\x01").encode(), new.replace("|", "\x01").encode())
        assert edited != raw, (raw, old)
        self.wire[place][1] = edited

    def again(self, way, number):
        """The message comes again, as it was, at the end."""
        self.wire.append(list(self.wire[self.place(way, number)]))

    def swap(self, one, other):
        self.wire[one], self.wire[other] = self.wire[other], self.wire[one]

    def both(self, log, number, old, new):
        """In the sender's log, on the wire and in the receiver's log: all agree."""
        change = (old.replace("|", "\x01").encode(), new.replace("|", "\x01").encode())
        assert change[0] in log[number], (log[number], old)
        log[number] = log[number].replace(*change)
        for line in self.wire:
            if Message(line[1]).number == number and change[0] in line[1]:
                line[1] = line[1].replace(*change)
        self.received = dict(self.venue)


# What a checker must find: its name, what is changed, and a part of what is said of it.
PLANTED = {
    "a report comes again without PossDupFlag":
        (lambda run: run.again("IN", 3), "repeated without PossDupFlag"),
    "an order is sent again without PossDupFlag":
        (lambda run: run.again("OUT", 4), "repeated without PossDupFlag"),
    "a resent report has no PossDupFlag, and comes after others":
        (lambda run: run.edit(run.place("IN", 11, True), "43=Y|", ""), "comes after"),
    "a resent report has no OrigSendingTime":
        (lambda run: run.edit(run.place("IN", 11, True), f"122={TIME}|", ""),
         "without OrigSendingTime"),
    "a resent order has no OrigSendingTime":
        (lambda run: run.edit(run.place("OUT", 8, True), f"122={TIME}|", ""),
         "without OrigSendingTime"),
    "OrigSendingTime is later than SendingTime":
        (lambda run: run.edit(run.place("IN", 11, True), f"122={TIME}", "122=20261125-19:50:10"),
         "is after SendingTime"),
    "OrigSendingTime is not that of the message":
        (lambda run: (run.repeat("IN", run.venue, 9), run.wire.insert(
            len(run.wire) - 1, ["OUT", run.fix("2", 11, "7=9|16=9|")]),
            run.edit(len(run.wire) - 1, f"122={TIME}", "122=20261125-19:49:59")),
         "is not the SendingTime of"),
    "a new message has OrigSendingTime":
        (lambda run: run.edit(run.place("IN", 9), "17=E9|", f"122={TIME}|17=E9|"),
         "without PossDupFlag"),
    "two new reports change places":
        (lambda run: run.swap(run.place("IN", 4), run.place("IN", 5)), "comes after"),
    "two new orders change places":
        (lambda run: run.swap(run.place("OUT", 4), run.place("OUT", 5)), "comes after"),
    "two resent reports change places":
        (lambda run: run.swap(run.place("IN", 11, True), run.place("IN", 12, True)),
         "not in the order of a resend"),
    "a resend comes that was not requested":
        (lambda run: run.repeat("IN", run.venue, 5), "not in the order of a resend"),
    "a resend begins before what was requested":
        (lambda run: run.edit(run.place("OUT", 10), "7=10|", "7=11|"),
         "not in the order of a resend"),
    "a gap fill goes back":
        (lambda run: run.edit(run.place("IN", 14, True), "36=15|", "36=14|"), "goes back"),
    "a gap fill hides a report":
        (lambda run: run.edit(run.place("IN", 14, True), "36=15|", "36=17|"), "hides MsgSeqNum 16"),
    "a SequenceReset resets":
        (lambda run: run.edit(run.place("IN", 14, True), "123=Y|", "123=N|"),
         "means two things"),
    "the sequence numbers are reset at a Logon":
        (lambda run: run.edit(run.place("IN", 14), "35=A|", "35=A|141=Y|"), "were reset"),
    "a MsgSeqNum is a Heartbeat and a report":
        (lambda run: run.edit(run.place("IN", 9), "35=8|", "35=0|"), "means two things"),
    "a resent report has another content":
        (lambda run: run.edit(run.place("IN", 12, True), "17=E12|", "17=E99|"),
         "means two things"),
    "a report was never on the wire":
        (lambda run: run.wire.pop(run.place("IN", 16)), "were never on the wire"),
    "an order was never on the wire":
        (lambda run: run.wire.pop(run.place("OUT", 8, True)), "not in the order of a resend"),
    "an order and the rest of its resend were never on the wire":
        (lambda run: [run.wire.pop(run.place("OUT", one, True)) for one in (8, 9)],
         "were never on the wire"),
    "a report of the wire is in no report file":
        (lambda run: run.rows.pop(3), "are not in the report file"),
    "a report of the report file was never on the wire":
        (lambda run: run.rows.append(["T2", "E77", "F", "100", "N"]), "were never on the wire"),
    "a report came to the program twice as a new one":
        (lambda run: run.rows.append(list(run.rows[1])), "came again as a new one"),
    "one ExecID has two contents":
        (lambda run: run.rows.append([*run.rows[1][:3], "50", "Y"]), "two contents"),
    "a report comes before its order":
        (lambda run: run.wire.insert(run.place("OUT", 2), run.wire.pop(run.place("IN", 2))),
         "of an order that was not sent"),
    "a report is sent under two MsgSeqNums":
        (lambda run: run.both(run.venue, 17, "17=E17|", "17=E16|"), "under two MsgSeqNums"),
    "an order is filled before it is accepted":
        (lambda run: run.both(run.venue, 16, "150=0|", "150=F|"), "before it was accepted"),
    "an order is accepted twice":
        (lambda run: run.both(run.venue, 17, "150=F|", "150=0|"), "accepted twice"),
    "CumQty does not add up":
        (lambda run: run.both(run.venue, 17, "14=100|", "14=200|"), "CumQty of T8"),
    "LeavesQty does not add up":
        (lambda run: run.both(run.venue, 17, "151=0|", "151=50|"), "LeavesQty of T8"),
    "the trader lacks a report":
        (lambda run: run.received.pop(17), "lacks MsgSeqNums"),
    "the trader has a report that was not sent":
        (lambda run: run.received.update({18: run.venue[17]}), "were not sent"),
    "the trader has stored another report":
        (lambda run: run.received.update({17: run.venue[16]}), "means two things"),
}


def stored(*messages, direction="out"):
    return [(SESSION, 1, direction, Message(one)) for one in messages]


class History(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def wire(self, *lines):
        text = b"".join(f"{TIME}.{at:09} {way} : ".encode() + raw + b"\n"
                        for at, (way, raw) in enumerate(lines))
        (self.folder / "FIX.4.4-TRADER-VENUE.messages.current.log").write_bytes(text)
        return Wire(self.folder)

    def found(self, text, check, *arguments):
        with self.assertRaisesRegex(Failure, text):
            check(*arguments)

    def test_a_number_has_one_meaning_on_the_wire(self):
        log = by_number(stored(report(2, "T1", "E1"), report(3, "T2", "E2")), "out")
        again = report(2, "T1", "E1", "43=Y|122=" + TIME + "|")
        fine = self.wire(("IN", fix("A", 1)), ("IN", report(2, "T1", "E1")), ("IN", again),
                         ("IN", report(3, "T2", "E2")), ("IN", fix("4", 4, "123=Y|36=9|")),
                         ("OUT", fix("A", 2)))
        self.assertEqual(fine.check_numbers("IN", log), 1)
        self.assertEqual(len(fine.times_of_reports()), 2)
        two = "means two things"
        other = self.wire(("IN", report(2, "T1", "E1")), ("IN", report(2, "T1", "E7")))
        self.found(two, other.check_numbers, "IN", {})
        self.found(two, other.check_numbers, "IN", log)
        repeated = self.wire(("IN", report(2, "T1", "E7", "43=Y|")))
        self.found(two, repeated.check_numbers, "IN", log)
        never_stored = self.wire(("IN", report(4, "T3", "E3")))
        self.found(two, never_stored.check_numbers, "IN", log)
        heartbeat = self.wire(("IN", fix("0", 3)))
        self.found(two, heartbeat.check_numbers, "IN", log)

    def check(self, run):
        def parsed(log):
            return {number: Message(raw) for number, raw in log.items()}
        return check_session(self.wire(*run.wire), self.reports(*run.rows), parsed(run.venue),
                             parsed(run.trader), parsed(run.received))

    def test_what_is_planted_in_a_history_is_found(self):
        self.assertEqual(self.check(Run()), 5)
        for name, (plant, text) in PLANTED.items():
            with self.subTest(name):
                run = Run()
                plant(run)
                self.found(text, self.check, run)

    def test_the_sessions_of_a_log_are_told_apart(self):
        other = (SESSION + "2", 1, "out", Message(report(2, "T1", "E5")))
        log = [*stored(report(2, "T1", "E1")), other]
        self.assertEqual(by_number(log, "out", SESSION)[2].get(17), "E1")
        self.assertEqual(by_number(log, "out", SESSION + "2")[2].get(17), "E5")
        self.found("stored twice", by_number, log, "out")

    def test_a_gap_fill_hides_no_message(self):
        log = by_number(stored(report(3, "T2", "E2")), "out")
        self.wire(("IN", fix("4", 1, "123=Y|36=3|"))).check_numbers("IN", log)
        hides = self.wire(("IN", fix("4", 1, "123=Y|36=4|")))
        self.found("hides MsgSeqNum 3", hides.check_numbers, "IN", log)

    def test_both_logs_have_the_same_messages(self):
        sent = by_number(stored(report(2, "T1", "E1"), report(3, "T2", "E2")), "out")
        check_received("venue", sent, "trader", dict(sent))
        self.found(r"trader lacks MsgSeqNums \[3\]", check_received, "venue", sent, "trader",
                   {2: sent[2]})
        self.found(r"has \[3\] that were not sent", check_received, "venue", {2: sent[2]}, "trader",
                   sent)
        self.found("MsgSeqNum 3 of venue means two things", check_received, "venue", sent, "trader",
                   {2: sent[2], 3: Message(report(3, "T2", "E9"))})
        self.found("stored twice", by_number, stored(report(2, "T1", "E1"), report(2, "T1", "E1")),
                   "out")

    def reports(self, *rows):
        path = self.folder / "reports"
        head = "ClOrdID\tExecID\tExecType\tLastQty\tPossDup\n"
        path.write_text(head + "".join("\t".join(row) + "\n" for row in rows) + "T9\tE9")
        return read_reports(path)

    def book(self, *names, filled=100):
        orders = [{"session": SESSION, "cl_ord_id": name, "cum_qty": str(filled),
                   "order_qty": "100", "leaves_qty": str(100 - filled)} for name in names]
        program = self.folder / "nexusfix"
        program.write_text(f"#!/bin/sh\necho '{json.dumps({'orders': orders})}'\n")
        program.chmod(0o755)
        return read_book(program, "venue.cfg")

    def test_each_order_is_filled_once_and_reported(self):
        rows = [("T1", "E1", "0", "0", "N"), ("T1", "E2", "F", "100", "N"),
                ("T1", "E2", "F", "100", "Y")]
        reports = self.reports(*rows)
        check_orders(self.book("T1"), reports, 1, [100])
        check_book_has_reports(self.book("T1"), reports)
        self.found("missing: .'T2'.", check_orders, self.book("T1"), reports, 2, [100])
        self.found("accepted one ClOrdID twice", self.book, "T1", "T1")
        check_executions(reports, {"E3": {}})
        self.found("reports lost: .'E1'.", check_executions, self.reports(rows[1]))
        self.found("reports lost: .'E3'.", check_executions, reports, {"E4": {}})
        twice = self.reports(*rows, ("T1", "E3", "F", "100", "N"))
        self.found("T1 of 100", check_orders, self.book("T1"), twice, 1, [100])
        self.found("T1 of 100", check_orders, self.book("T1", filled=50), reports, 1, [100])
        self.found("T1 was reported", check_book_has_reports, self.book("T2"), reports)
        self.found("100 were reported", check_book_has_reports, self.book("T1", filled=50), reports)
        self.found("two contents", self.reports, rows[0], ("T2", "E1", "0", "0", "N"))

    def test_the_topic_has_each_message_once(self):
        own = stored(report(2, "T1", "E1"), report(3, "T2", "E2"))
        key = (SESSION, 1, "out")
        values = Counter(message.raw for _, _, _, message in own)
        self.assertEqual(check_audit(own, (Counter({key: 2}), 5, values)), 5)
        self.found("have 2 messages, the topic 1 new", check_audit, own, (Counter({key: 1}), 0,
                                                                          values))
        self.found("the topic 3 new", check_audit, own, (Counter({key: 3}), 0, values))
        changed = Counter({own[0][3].raw: 1, b"other": 1})
        self.found("1 messages have other bytes", check_audit, own, (Counter({key: 2}), 0, changed))


if __name__ == "__main__":
    os.environ.pop("NEXUSFIX_PAGER", None)
    unittest.main(argv=sys.argv[:1], verbosity=2)
