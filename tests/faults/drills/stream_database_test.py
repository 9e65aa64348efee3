#!/usr/bin/env python3
"""`nexusfix stream` reads a log in PostgreSQL: the stream is killed, and another engine takes the
log over.

    stream_database_test.py NEXUSFIX POSTGRES_SERVER MOCK_BROKERS CONSUMER
"""

import json
import re
import subprocess
import sys
import unittest

import command_test
import standby_test
from brokers import MockBrokers
from command_test import LIMIT_SECONDS, run, wait_until
from standby_test import WithDatabase

MOCK, CONSUMER = "", ""  # set by main


class StreamOfADatabase(WithDatabase):
    def setUp(self):
        super().setUp()
        self.brokers = MockBrokers(MOCK)
        self.addCleanup(self.brokers.end)
        self.events = self.folder / "events"

    def arguments(self, *more):
        return ("stream", "--kafka", self.brokers.address, "--topic", "audit", "--cursor-folder",
                self.folder / "place", *more, self.folder / "one.cfg")

    def follow(self):
        with self.events.open("a") as log:
            stream = subprocess.Popen([command_test.NEXUSFIX, *self.arguments("-f")], stderr=log)
        self.addCleanup(stream.wait)
        self.addCleanup(stream.kill)
        return stream

    def consume(self):
        """(kind, headers, value) of each record."""
        shown = subprocess.run([CONSUMER, self.brokers.address, "audit", "2"], capture_output=True,
                               check=True, timeout=LIMIT_SECONDS).stdout
        found = []
        for line in shown.split(b"\n"):
            head, tab, value = line.partition(b"\t")
            if tab:
                kind, *headers = head.decode().split(" ")
                found.append((kind, headers, value.decode()))
        return found

    def trade(self, trader, name):
        reports = [trader.order(f"{name}{number}") for number in range(5)]
        return [int(one["34"]) for one in reports]

    def test_a_killed_stream_and_a_take_over_lose_nothing_and_mark_what_is_repeated(self):
        owner, _ = self.start("one")
        self.listening(owner)
        standby, _ = self.start("two", "PostgreSQLStoreIfOwned=wait\n")
        self.wait_until(lambda: "NXF-5050" in self.log("two"), "the standby waits")
        stream = self.follow()
        wait_until(lambda: "NXF-5070" in self.events.read_text(), "the stream runs")
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(self.trade(trader, "A"), [2, 3, 4, 5, 6])
        stream.kill()
        stream.wait()
        self.trade(trader, "B")
        stream = self.follow()
        owner.kill()
        number = trader.next_out
        while True:
            trader.connect()
            try:
                self.assertEqual(trader.log_on()["34"], "12")
                break
            except ConnectionError:  # still the owner, which is ending
                trader.next_out = number
        self.trade(trader, "C")
        trader.close()
        self.end(standby)
        stream.terminate()
        self.assertEqual(stream.wait(LIMIT_SECONDS), 0, self.events.read_text())
        done = run(*self.arguments())
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = run("journal", "show", self.folder / "one.cfg", "--messages", "--json")
        stored = [json.loads(one) for one in shown.stdout.splitlines()]
        self.assertEqual(len(stored), 15)
        new = [one for one in self.consume() if one[0] == "new"]
        self.assertEqual([value for _, _, value in new], [one["message"] for one in stored])
        for (_, headers, _), one in zip(new, stored):
            number = re.search("\x0134=([0-9]+)", one["message"])[1]
            self.assertEqual(headers[0], "FIX.4.4:VENUE->TRADER")
            self.assertEqual(headers[3:], ["epoch=1", "out", number])
        owners = [int(headers[1].partition("=")[2]) for _, headers, _ in new]
        self.assertEqual((owners, len(set(owners))), (sorted(owners), 2))
        self.assertEqual([one.name for one in (self.folder / "place").iterdir()],
                         [f"postgresql-{self.schema}"])

    def test_a_log_that_cannot_be_streamed_has_one_clear_line(self):
        self.listening(self.start("one")[0])
        missing = self.write("none.cfg", (self.folder / "one.cfg").read_text().replace(
            f"Schema={self.schema}", "Schema=none"))
        done = run(*self.arguments()[:-1], missing)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("there is no such log in the database", done.stderr)
        cursors = self.folder / "place" / "postgresql-none" / "cursors"
        self.assertEqual(list(cursors.iterdir()), [])


def main():
    global MOCK, CONSUMER
    _, command_test.NEXUSFIX, standby_test.SERVER, MOCK, CONSUMER = sys.argv
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
