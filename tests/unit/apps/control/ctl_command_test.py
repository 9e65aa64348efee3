#!/usr/bin/env python3
"""`nexusfix ctl` from the view of an operator, on a venue that runs."""

import json
import subprocess
import sys
import unittest

import command_test
from command_test import WithFolder, run

SESSION = "FIX.4.4:VENUE->TRADER"


class Ctl(WithFolder):
    def ctl(self, *arguments):
        return run("ctl", "--engine", self.folder / "venue.cfg", *arguments)

    def test_status_is_a_table_of_80_columns(self):
        self.serve()
        done = self.ctl("status")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(SESSION, done.stdout)
        self.assertIn("listening", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_status_is_json_for_programs(self):
        self.serve()
        engine = json.loads(self.ctl("status", SESSION, "--json").stdout)
        self.assertEqual([one["session"] for one in engine["sessions"]], [SESSION])
        self.assertEqual(engine["sessions"][0]["nextOutbound"], 1)
        self.assertIn("state          listening", self.ctl("status", SESSION).stdout)

    def test_watch_shows_the_table_again_until_it_is_ended(self):
        self.serve()
        with subprocess.Popen([command_test.NEXUSFIX, "ctl", "--engine",
                               self.folder / "venue.cfg", "status", "--watch"],
                              stdout=subprocess.PIPE, text=True) as watching:
            heads = 0
            for line in watching.stdout:
                heads += line.startswith("SESSION")
                if heads == 2:
                    break
            watching.terminate()

    def test_act_needs_a_confirmation(self):
        self.serve()
        refused = self.ctl("stop")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("use --yes", refused.stderr)
        self.assertEqual(self.ctl("status").returncode, 0)

    def test_numbers_are_set_while_the_venue_runs(self):
        self.serve()
        done = self.ctl("set-numbers", SESSION, "--next-out", 7, "--yes", "--reason", "by phone")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("in 1, out 7", done.stdout)
        same = self.ctl("set-numbers", SESSION, "--next-out", 7, "--yes")
        self.assertEqual(same.returncode, 1)
        self.assertIn("must differ", same.stderr)

    def test_refused_act_says_why(self):
        self.serve()
        acceptor = self.ctl("log-on", SESSION, "--yes")
        self.assertEqual(acceptor.returncode, 1)
        self.assertIn("its counterparty logs on", acceptor.stderr)
        unknown = self.ctl("log-out", "FIX.4.4:VENUE->TRADES", "--yes")
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("the nearest name is " + SESSION, unknown.stderr)

    def test_stop_ends_the_venue_in_order(self):
        venue, _ = self.serve()
        done = self.ctl("stop", "--yes", "--reason", "end of day")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(venue.wait(command_test.LIMIT_SECONDS), 0)
        gone = self.ctl("status")
        self.assertEqual(gone.returncode, 1)
        self.assertIn("no engine runs with the store", gone.stderr)

    def test_wrong_arguments_are_status_2(self):
        self.write("venue.cfg", "")
        for arguments in ((), ("none",), ("log-out",), ("set-numbers", SESSION, "--next-in", "0")):
            with self.subTest(arguments):
                self.assertEqual(self.ctl(*arguments).returncode, 2)


if __name__ == "__main__":
    command_test.NEXUSFIX = sys.argv.pop(1)
    unittest.main()
