#!/usr/bin/env python3
"""The subcommand `simulate`: a seed gives the same run again, and its arguments are checked."""

import os
import re
import sys
import unittest

import command_test
from command_test import assert_help, run


class Simulate(unittest.TestCase):
    def test_help_has_its_purpose_and_an_example(self):
        assert_help(self, run("--help").stdout, "simulate")

    def test_a_seed_is_repeated_and_what_it_did_is_counted(self):
        first = run("simulate", "--seed", 5, "--sessions", 2, "--hours", 0.02, "--faults", "all")
        again = run("simulate", "--scenario", "seed=5 sessions=2 seconds=72 faults=all")
        self.assertEqual(first.returncode, 0, first.stdout)
        self.assertRegex(first.stdout, r"1 world, 0\.\d virtual hours\n")
        self.assertRegex(first.stdout, r"messages: \d{3,} delivered")
        self.assertEqual(*(re.sub(r"in .* s\n", "", done.stdout) for done in (first, again)))
        traced = run("simulate", "--hours", 0.005, "--faults", "none", "--trace")
        self.assertRegex(traced.stdout, r"trader1 +> A 34=1 ")

    def test_errors_in_the_arguments_are_named(self):
        done = run("simulate", "--faults", "kill,tornado")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'tornado' is none of tear, delay,", done.stderr)
        done = run("simulate", "--scenario", "seed=1 hours=2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("hours=2: seed=, sessions=, seconds= or faults= was expected", done.stderr)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
