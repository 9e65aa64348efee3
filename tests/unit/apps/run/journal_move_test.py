#!/usr/bin/env python3
"""A journal moves into PostgreSQL, as docs/operations/from-journal-replica.md says: the engine goes
on there, and resends what the journal's engine has sent. Arguments: nexusfix, and the program that
starts a server."""

import json
import sys
import unittest

import command_test
import standby_test
from command_test import run
from standby_test import WithDatabase

# BodyLength, CheckSum, PossDupFlag, OrigSendingTime, SendingTime
NEW_IN_RESENT = ("9", "10", "43", "122", "52")


def as_sent(message):
    return {tag: value for tag, value in message.items() if tag not in NEW_IN_RESENT}


class JournalMove(WithDatabase):
    def shown(self, config):
        shown = run("journal", "show", self.folder / config, "--json")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        messages = run("journal", "show", self.folder / config, "--messages", "--direction", "out",
                       "--json")
        numbers = json.loads(shown.stdout)["sessions"][0]
        return ([numbers[key] for key in ("next_inbound", "next_outbound")],
                [json.loads(one)["message"] for one in messages.stdout.splitlines()])

    def move(self):
        for arguments in (("export", self.folder / "one.cfg", "--quickfix", self.folder / "moved"),
                          ("import", self.folder / "two.cfg", "--quickfix", self.folder / "moved",
                           "--yes", "--reason", "from the journal")):
            done = run("journal", *arguments)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_engine_goes_on_and_resends_what_the_journals_engine_has_sent(self):
        owner, _ = self.start("one", "JournalInbound=Y\n", store="journal")
        self.listening(owner)
        trader = self.counterparty()
        trader.log_on()
        reports = [trader.order(f"A{number}") for number in range(5)]
        # The report of this order is sent, and is not received.
        trader.send("D", "11=B1|55=AAPL|54=1|38=100|40=2|44=10.5|60=20261128-10:00:00|")
        self.wait_until(lambda: "35=8" in run("journal", "show", self.folder / "one.cfg", "--find",
                                              "11=B1", "--direction", "out").stdout, "its report")
        trader.close()
        self.end(owner)
        self.start("two")[0].kill()  # writes its configuration
        self.engines[-1].wait()
        self.sql(f"DROP SCHEMA IF EXISTS {self.schema} CASCADE")
        before = self.shown("one.cfg")
        self.assertEqual(len(before[1]), 6)
        self.move()
        self.assertEqual(self.shown("two.cfg"), before)
        mover, _ = self.start("two")
        self.listening(mover)
        trader.connect()
        logon = trader.log_on()
        self.assertEqual(int(logon["34"]), before[0][1])
        trader.send("2", "7=2|16=7|")
        resent = [trader.receive() for _ in range(6)]
        self.assertEqual([one["43"] for one in resent], ["Y"] * 6)
        self.assertEqual([as_sent(one) for one in resent[:5]], [as_sent(one) for one in reports])
        self.assertEqual((resent[5]["34"], resent[5]["11"]), ("7", "B1"))
        self.assertEqual([one["122"] for one in resent[:5]], [one["52"] for one in reports])
        self.assertEqual(trader.order("C1")["11"], "C1")


if __name__ == "__main__":
    command_test.NEXUSFIX = sys.argv.pop(1)
    standby_test.SERVER = sys.argv.pop(1)
    unittest.main()
