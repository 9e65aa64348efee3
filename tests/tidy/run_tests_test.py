#!/usr/bin/env python3
"""Proves that the test runner counts what ctest reports, and never calls a failure a success."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import run_tests  # noqa: E402


def count(cases):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "junit.xml"
        path.write_text(f'<?xml version="1.0"?><testsuite>{cases}</testsuite>', encoding="utf-8")
        return run_tests.read_junit(path)


class RunTestsTest(unittest.TestCase):
    def test_passed_failed_and_skipped_are_told_apart(self):
        counts, failed = count(
            '<testcase name="a" status="run"/><testcase name="b" status="run"/>'
            '<testcase name="c" status="fail"><failure message=""/></testcase>'
            '<testcase name="d" status="notrun"><skipped message="SKIP_RETURN_CODE=4"/></testcase>'
            '<testcase name="e" status="disabled"/>')
        self.assertEqual((2, 1, 2), (counts.passed, counts.failed, counts.skipped))
        self.assertEqual(["c"], failed)

    def test_program_that_was_not_found_is_a_failure(self):
        counts, failed = count(
            '<testcase name="a" status="notrun"><skipped message="Unable to find executable"/>'
            '</testcase>')
        self.assertEqual((0, 1, 0), (counts.passed, counts.failed, counts.skipped))
        self.assertEqual(["a"], failed)

    def test_unknown_status_is_a_failure(self):
        self.assertEqual(1, count('<testcase name="a" status="strange"/>')[0].failed)

    def test_result_line_names_skipped_tests_only_when_there_are_some(self):
        self.assertEqual("3 passed, 0 failed", str(run_tests.Counts(3, 0, 0)))
        self.assertEqual("3 passed, 2 failed, 1 skipped", str(run_tests.Counts(3, 2, 1)))

    def test_unknown_stage_is_refused(self):
        sys.argv = ["run_tests.py", "no-such-stage"]
        self.assertEqual(2, run_tests.main())


if __name__ == "__main__":
    unittest.main()
