#!/usr/bin/env python3
"""The benchmark from the view of a user: its output, its files, and its errors."""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NEXUSFIX = ""  # set by main
BENCH = None  # the program of `make bench`, if QuickFIX is installed
FIGURES = ["p50", "p99", "p999", "min", "max", "batch"]
LIMIT_SECONDS = 600


def run(command, *arguments):
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, check=False, stdin=subprocess.DEVNULL)


def bench(*arguments):
    return run([NEXUSFIX, "bench"], *arguments)


class BenchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nexusfix-bench-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report(self, command, *rows):
        path = self.folder / "new" / "report.json"
        result = run(command, "--quick", "--json", path, "--rows", *rows)
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)
        return json.loads(path.read_text(encoding="utf-8")), result.stdout

    def check_row(self, row, peers):
        for name in FIGURES + ["messages_per_s"]:
            self.assertTrue(math.isfinite(row[name]) and row[name] > 0, (row["name"], name))
        self.assertLessEqual(row["min"], row["max"])
        self.assertIn(row["unit"], ("ns", "ns/field", "GB/s"))
        self.assertEqual(peers, list(row["peers"]), row["name"])
        for figures in row["peers"].values():
            for name in FIGURES:
                self.assertTrue(math.isfinite(figures[name]) and figures[name] > 0, name)
        for name in ("mb_per_s", "published", "budget"):
            self.assertIn(name, row)

    def test_json_says_what_was_measured_on_what_machine(self):
        report, printed = self.report([NEXUSFIX, "bench"], "parse/Heartbeat", "integer")
        for name in ("machine", "compiler", "compiler_flags", "commit", "kernel", "timer"):
            self.assertIn(name, report)
        for name in ("cpu", "cpu_flags", "governor", "core"):
            self.assertIn(name, report["machine"])
        self.assertGreater(report["timer"]["cost_ns"], 0)
        self.assertTrue(report["quick"])
        self.assertEqual(1, report["rounds"])
        self.assertEqual(["parse/Heartbeat", "integer", "integer/text"],
                         [row["name"] for row in report["rows"]])
        for row in report["rows"]:
            self.check_row(row, ["reference"])
            self.assertIn(row["name"], printed)

    def test_make_bench_has_quickfix_and_the_reference(self):
        if not BENCH:
            self.skipTest("libquickfix-dev is not installed")
        report, _ = self.report([BENCH], "parse/Heartbeat", "frame", "lookup", "timestamp",
                                "price", "encode", "parse-and-read-4")
        self.assertEqual(11, len(report["rows"]))
        for row in report["rows"]:
            self.check_row(row, ["QuickFIX", "reference"])

    def test_a_page_is_written(self):
        html = self.folder / "report.html"
        result = bench("--quick", "--rows", "integer", "ladder/5", "ladder/6", "--html", html)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("ladder/6", html.read_text(encoding="utf-8"))

    def test_list_names_rows_and_measures_nothing(self):
        result = bench("--list", "--rows", "ladder")
        self.assertEqual(0, result.returncode)
        self.assertEqual([f"ladder/{rung}" for rung in range(7)],
                         [line.split()[0] for line in result.stdout.splitlines()])

    def test_a_row_that_does_not_exist_is_refused_with_status_2(self):
        result = bench("--rows", "parse/Heartbeat", "parse/Nothing")
        self.assertEqual(2, result.returncode)
        self.assertIn("parse/Nothing", result.stderr)
        self.assertEqual("", result.stdout)

    def test_a_core_that_is_not_allowed_is_refused_with_status_2(self):
        for core in ("-1", str(max(os.sched_getaffinity(0)) + 1), "99999"):
            result = bench("--quick", "--rows", "integer", "--cpu", core)
            self.assertEqual(2, result.returncode, core)
            self.assertIn(f"core {core}", result.stderr)

    def test_unknown_options_and_words_are_refused_with_status_2(self):
        for arguments in (["--quik"], ["--cpu", "one"], ["--json"]):
            for command in [[NEXUSFIX, "bench"]] + ([[BENCH]] if BENCH else []):
                result = run(command, *arguments)
                self.assertEqual(2, result.returncode, arguments)
                self.assertNotEqual("", result.stderr + result.stdout)

    def test_a_file_that_cannot_be_written_is_an_error(self):
        result = bench("--quick", "--rows", "integer", "--json", self.folder)
        self.assertEqual(1, result.returncode)
        self.assertIn(str(self.folder), result.stderr)

    def test_help_shows_every_option(self):
        result = bench("--help")
        self.assertEqual(0, result.returncode)
        for option in ("--rows", "--quick", "--json", "--html", "--cpu", "--list"):
            self.assertIn(option, result.stdout)


if __name__ == "__main__":
    NEXUSFIX = sys.argv[1]
    BENCH = sys.argv[2] if len(sys.argv) > 2 and sys.argv[2] else None
    unittest.main(argv=sys.argv[:1])
