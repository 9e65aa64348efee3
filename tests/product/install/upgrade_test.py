#!/usr/bin/env python3
"""Configurations and journals that version 0.1.0 wrote, in from_0_1_0, with this version.

    upgrade_test.py PATH/nexusfix

Five orders are in both journals, each with its report: MsgSeqNum 2 to 6.
"""

import json
import os
import shutil
import sys
import unittest
from pathlib import Path

import command_test
from command_test import WithFolder, run

EARLIER = Path(__file__).resolve().parent / "from_0_1_0"
SESSION = "FIX.4.4:VENUE->TRADER"


class UpgradeTest(WithFolder):
    def setUp(self):
        super().setUp()
        shutil.copytree(EARLIER, self.folder, dirs_exist_ok=True)
        for path in (self.folder / "store").rglob("*"):  # a checkout keeps no modes
            path.chmod(0o700 if path.is_dir() else 0o600)

    def run_here(self, *arguments):
        return run(*arguments, cwd=self.folder)

    def reports(self):
        """The stored messages of the venue: the fields of each MsgSeqNum."""
        shown = self.run_here("journal", "show", "store/venue", "--session", SESSION, "--from", 1,
                              "--to", 99999, "--json")
        messages = [json.loads(line) for line in shown.stdout.splitlines()]
        return {message["number"]: message["message"].split("\x01") for message in messages}

    def test_each_key_means_what_it_meant(self):
        for name in ("venue.cfg", "trader.cfg"):
            text = (self.folder / name).read_text(encoding="utf-8").replace("PORT", "5001", 1)
            done = self.run_here("config", "check", "--strict", self.write(name, text))
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            self.assertIn(", 0 warnings\n", done.stdout)

    def test_the_journal_is_read_and_each_message_is_in_it(self):
        done = self.run_here("journal", "verify", "store/venue")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("next inbound 8, next outbound 8, epoch 1, 5 messages", done.stdout)
        reports = self.reports()
        self.assertEqual(sorted(reports), [2, 3, 4, 5, 6])
        for number, fields in reports.items():
            self.assertIn(f"11=A{number - 1}", fields)
            self.assertIn(f"34={number}", fields)

    def test_a_session_goes_on_where_it_was_and_sends_old_messages_again(self):
        # A copied journal may lack its end.
        venue, port = self.serve_file("venue.cfg", "--accept-losses")
        trader = (EARLIER / "trader.cfg").read_text(encoding="utf-8")
        done = self.run_here("journal", "set", "store/trader", "FIX.4.4:TRADER->VENUE",
                             "--next-in", 2, "--yes")  # as if it had received none of them
        self.assertEqual(done.returncode, 0, done.stderr)
        again = "".join(f"expect 35=8 34={n + 1} 43=Y 11=A{n} 39=0\n" for n in range(1, 6))
        again += "".join(f"expect 35=8 11=A{n} 39=4\n" for n in range(1, 6))  # --accept-losses
        script = self.write("script.txt", again + "send 35=D|11=A6|55=AAPL|54=1|38=100|40=2|"
                                                  "44=10.5|60=now\nexpect 35=8 150=0 11=A6\n")
        done = self.run_here("connect", self.write("trader.cfg", trader.replace("PORT", str(port))),
                             "--script", script)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.end(venue)
        reports = self.reports()
        self.assertEqual(sorted(reports)[:5], [2, 3, 4, 5, 6])
        self.assertEqual(sum("11=A6" in fields for fields in reports.values()), 1)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
