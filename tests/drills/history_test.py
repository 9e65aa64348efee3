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
                     check_orders, check_received, read_book, read_reports)

SESSION = "FIX.4.4:VENUE->TRADER"
TIME = "20261125-19:50:00"


def fix(msg_type, number, more=""):
    return (f"8=FIX.4.4|9=0|35={msg_type}|34={number}|49=VENUE|52={TIME}|{more}10=000|"
            .replace("|", "\x01").encode())


def report(number, order, exec_id, more=""):
    return fix("8", number, f"{more}11={order}|17={exec_id}|")


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
        orders = [{"cl_ord_id": name, "cum_qty": str(filled), "order_qty": "100",
                   "leaves_qty": str(100 - filled)} for name in names]
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
        self.found("reports lost: .'E1'.", check_orders, self.book("T1"), self.reports(rows[1]), 1,
                   [100])
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
