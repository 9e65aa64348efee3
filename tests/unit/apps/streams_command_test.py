#!/usr/bin/env python3
"""The help of `nexusfix`, and the output of `decode`, `validate` and `serve` while they run."""

import os
import re
import socket
import subprocess
import sys
import unittest

import command_test
from command_test import LIMIT_SECONDS, WithFolder, run


class Help(unittest.TestCase):
    def test_help_has_no_words_of_the_library_that_prints_it_and_no_range_twice(self):
        nested = {"config": ("check", "schedule", "new", "keys"),
                  "journal": ("show", "verify", "repair", "archive", "set", "import", "export")}
        names = re.findall(r"(?m)^  (\w+) .*\n +\$ nexusfix", run("--help").stdout)
        self.assertGreater(len(names), 10)
        for name in names:
            for more in ((), *((one,) for one in nested.get(name, ()))):
                shown = run(name, *more, "--help").stdout
                with self.subTest((name, *more)):
                    self.assertNotRegex(shown, r"Option Group|UINT|INT:|\{[^}]*,|\[\d|\d+e\+\d")
                    self.assertNotRegex(shown, r"\((\d+ to \d+)\) \(\1")

    def test_the_help_of_every_subcommand_has_one_form_in_80_columns(self):
        pages = {(): run("--help").stdout}
        for name in re.findall(r"(?m)^  (\w+) .*\n +\$ nexusfix", pages[()]):
            page = pages[(name,)] = run(name, "--help").stdout
            for sub in re.findall(r"(?m)^  (\w+) ", page.partition("Subcommands:\n")[2]):
                pages[(name, sub)] = run(name, sub, "--help").stdout
        self.assertGreater(len(pages), 25)
        for names, page in pages.items():
            with self.subTest(names):
                full_name = " ".join(("nexusfix", *names))
                self.assertRegex(page, rf"\A{full_name}[ 0-9.]*: .+\n\nUsage: {full_name}")
                self.assertRegex(page, r"\nOptions:\n  -h, --help +print this help")
                if "this program was built without it" not in page:
                    self.assertRegex(page, r"\n +\$ nexusfix ")
                self.assertNotRegex(page, r"\n\n\n|[ \t]\n|\n\n\Z")
                self.assertEqual([line for line in page.split("\n") if len(line) > 80], [])

    def test_the_help_says_that_a_dictionary_may_be_orchestra(self):
        for name in ("decode", "validate", "dict"):
            self.assertRegex(run(name, "--help").stdout, r"--dict FILE .*QuickFIX XML or Orchestra")

    def test_an_export_needs_one_form_and_no_more(self):
        done = run("journal", "export", "somewhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--quickfix or --quickfixj is required", done.stderr)
        done = run("journal", "export", "somewhere", "--quickfix", "a", "--quickfixj", "b")
        self.assertEqual(done.returncode, 2)


class Scanned(unittest.TestCase):
    def test_an_invalid_delimiter_is_answered_with_the_valid_ones(self):
        for wrong in ("", "5", "a=", "\\xg1", "123456789"):
            done = run("decode", "--delimiter", wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn("a separator of 1 to 8 bytes was expected", done.stderr)

    def test_a_delimiter_is_text_a_name_or_an_escape(self):
        plain = "8=FIX.4.4\x019=5\x0135=0\x0110=163\x01\n"
        for given, bytes_ in ((";", ";"), ("SOH", "\x01"), ("\\x01", "\x01"), ("\\t", "\t"),
                              (" ", " "), ("||", "||")):
            for name in ("decode", "validate"):
                text = plain.replace("\x01", bytes_) + plain.replace("\x01", "#")
                done = subprocess.run(
                    [command_test.NEXUSFIX, name, "--delimiter", given, "--summary"], input=text,
                    text=True, capture_output=True, timeout=LIMIT_SECONDS, check=False)
                self.assertIn("1 message, ", done.stdout, (name, given))
                self.assertIn(", 1 skipped\n", done.stdout, (name, given))
                self.assertIn("standard input: 1 place with 8=FIX is no message", done.stderr)

    def test_decode_prints_each_message_when_its_line_has_come(self):
        for words, expected in ((["decode"], "Heartbeat (0)"), (["validate"], "message 1: "),
                                (["decode", "--ndjson"], '"MsgType":"0"'),
                                (["grep", "35=0"], "1 8=FIX.4.4|")):
            with subprocess.Popen([command_test.NEXUSFIX, *words], stdin=subprocess.PIPE,
                                  text=True, stdout=subprocess.PIPE) as child:
                self.addCleanup(child.kill)
                for number in range(1, 4):
                    child.stdin.write(f"{number} 8=FIX.4.4|9=5|35=0|10=163|\n")
                    child.stdin.flush()
                    # Its input is still open, and the message is printed.
                    wanted = re.sub("^1|(?<= )1", str(number), expected)
                    while wanted not in (line := child.stdout.readline()):
                        self.assertNotEqual(line, "")
                child.stdin.close()
                child.stdout.read()


class Serve(WithFolder):
    def test_serve_prints_each_port(self):
        config = self.venue_config(more="[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\n"
                                   "TargetCompID=OTHER\nSocketAcceptHost=127.0.0.2\n[SESSION]\n"
                                   "BeginString=FIX.4.2\nSenderCompID=VENUE\n"
                                   "TargetCompID=TRADER\n")
        with subprocess.Popen([command_test.NEXUSFIX, "serve", config], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as venue:
            self.addCleanup(venue.kill)
            lines = [venue.stdout.readline() for _ in range(2)]
            places = [re.fullmatch(r"listening on port (\d+) of (\S+)\n", line) for line in lines]
            self.assertEqual([place[2] for place in places], ["127.0.0.1", "127.0.0.2"])
            for place in places:
                socket.create_connection((place[2], int(place[1])), LIMIT_SECONDS).close()
            self.end(venue)
            self.assertEqual(venue.stdout.read(), "")


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
