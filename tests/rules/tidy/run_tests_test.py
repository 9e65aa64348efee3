#!/usr/bin/env python3
"""Proves that the test runner counts the results of ctest, and reports no failure as a success."""

import contextlib
import io
import re
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))
import run_tests  # noqa: E402
import simulated  # noqa: E402


def count(cases, parts=None):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "junit.xml"
        Path(folder, "cases").mkdir()
        for name, text in (parts or {}).items():
            Path(folder, "cases", name + ".xml").write_text(f"<testsuites>{text}</testsuites>",
                                                            encoding="utf-8")
        path.write_text(f'<?xml version="1.0"?><testsuite>{cases}</testsuite>', encoding="utf-8")
        return run_tests.read_junit(path)


def seeds(first, *, delivered=6_000_000, kill=9, passed=True, output=None):
    """A test in ctest's log, with the output of the simulator's test."""
    if output is None:
        output = (f"1250 worlds, 115.8 virtual hours\n"
                  f"messages: {delivered} delivered (11 of them again, marked), 7 promised\n"
                  f"process starts: 3, turns: 2\n"
                  f"faults: tear 10, half-open 5,\n        kill {kill}, reset 2\n")
    return logged(f"simulate.seeds_from_{first}", output, passed)


def logged(name, output, passed=True):
    return (f"7/9 Testing: {name}\n7/9 Test: {name}\nCommand: \"/x\" \"1\"\nDirectory: /x\n"
            f"\"{name}\" start time: Nov 20 22:12 UTC\nOutput:\n{'-' * 58}\n{output}"
            f"<end of output>\nTest time =   1.00 sec\n{'-' * 58}\n"
            f"Test {'Passed' if passed else 'Failed'}.\n{'-' * 58}\n\n")


class LongestTest(unittest.TestCase):
    def test_the_longest_come_first(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "junit.xml"
            cases = "".join(f'<testcase name="{name}" time="{seconds}"/>'
                            for name, seconds in (("a", 0.4), ("b", 71), ("c", 9.6)))
            path.write_text(f"<testsuite>{cases}</testsuite>", encoding="utf-8")
            self.assertEqual("b 71 s, c 10 s", run_tests.longest_tests(path, most=2))


class StagesTest(unittest.TestCase):
    def run_stages(self, names, builds):
        """builds: whether each succeeds. Tests of `first` end only when `second` is built."""
        events, second_is_built = [], threading.Event()

        def build(name, *_, **__):
            events.append(f"build {name}")
            if name == "second":
                second_is_built.set()
            return builds

        def run_ctest(stage, _):
            if stage.name == "first" and "second" in names:
                self.assertTrue(second_is_built.wait(60))
            events.append(f"test {stage.name}")
            return run_tests.Counts(passed=2, failed=1), ["x"]

        with mock.patch.object(run_tests.build, "build", build), \
                mock.patch.object(run_tests, "run_ctest", run_ctest):
            return run_tests.run_stages([run_tests.Stage(name, "") for name in names]), events

    def test_a_stage_is_built_while_the_one_before_is_tested(self):
        results, events = self.run_stages(["first", "second", "third", "fourth"], True)
        self.assertLess(events.index("build second"), events.index("test first"))
        self.assertEqual(["first", "second", "third", "fourth"], list(results))
        for name, result in results.items():
            self.assertEqual(run_tests.Counts(3, 1), result.counts, name)  # with the build
            self.assertEqual([f"{name}: x"], result.failed)

    def test_a_stage_that_was_not_built_is_one_failure_and_the_next_is_built(self):
        results, events = self.run_stages(["one", "two"], False)
        self.assertEqual(["build one", "build two"], events)
        self.assertEqual((run_tests.Counts(failed=1), ["one: the build"]),
                         (results["one"].counts, results["one"].failed))
        self.assertEqual(["two: the build"], results["two"].failed)

    def test_the_table_has_a_line_for_each_stage(self):
        result = run_tests.Result
        counts = run_tests.Counts
        self.assertEqual("             build   tests  passed  failed\n"
                         "release      480 s   301 s    4321       0\n"
                         "tsan           3 s     0 s       0       1",
                         run_tests.stage_table({"release": result(counts(4321), [], 480.2, 300.9),
                                                "tsan": result(counts(0, 1), ["x"], 3)}))


class PartsTest(unittest.TestCase):
    def run_main(self, *arguments):
        """The stages that main() runs, by name."""
        chosen = {}

        def run_stages(stages):
            chosen.update((stage.name, stage) for stage in stages)
            return {stage.name: run_tests.Result(run_tests.Counts(passed=1), [], 0)
                    for stage in stages}

        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(sys, "argv", ["run_tests.py", *arguments]), \
                mock.patch.object(run_tests, "RESULT_PATH", Path(folder, "result")), \
                mock.patch.object(run_tests, "run_stages", run_stages), \
                contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(0, run_tests.main())
        return chosen

    def selects(self, stage, labels):
        """Whether ctest runs a test with these labels in this stage."""
        def matches(expression):
            return any(re.search(expression, label) for label in labels)
        return all(map(matches, stage.labels)) and not matches(stage.labels_left_out)

    def test_make_check_runs_every_stage_with_all_its_tests(self):
        chosen = self.run_main()
        self.assertEqual(["release", "clang", "tsan", "hardened"], list(chosen))
        self.assertTrue(self.selects(chosen["release"], ["unit", "quick"]))
        self.assertTrue(self.selects(chosen["release"], ["drills"]))
        self.assertFalse(self.selects(chosen["release"], ["unit,threads,case"]))
        self.assertFalse(self.selects(chosen["tsan"], ["unit"]))

    def test_make_test_runs_the_quick_tests_and_builds_only_them(self):
        chosen = self.run_main("--only", "quick")
        self.assertEqual(["release", "clang"], list(chosen))
        for stage in chosen.values():
            self.assertEqual(["nexusfix_tests_quick"], stage.targets)
            self.assertTrue(self.selects(stage, ["unit", "quick"]))
            self.assertFalse(self.selects(stage, ["unit"]))
            self.assertFalse(self.selects(stage, ["unit,quick,case"]))

    def test_a_test_runs_in_make_test_or_in_the_rest_and_never_in_both(self):
        every, quick, rest = (self.run_main(*part)
                              for part in ((), ("--only", "quick"), ("--only", "rest")))
        self.assertEqual(list(every), list(rest))
        for labels in (["unit"], ["unit", "quick"], ["fuzz-smoke", "quick"], ["tidy", "quick"],
                       ["unit", "threads"], ["unit", "threads", "quick"], ["hardened"],
                       ["unit,case"], ["simulate"]):
            for name, stage in every.items():
                parts = [self.selects(part[name], labels) for part in (quick, rest)
                         if name in part]
                self.assertEqual(int(self.selects(stage, labels)), sum(parts), (name, labels))

    def test_one_stage_of_a_part(self):
        self.assertEqual(["clang"], list(self.run_main("--only", "quick", "clang")))


class SimulatedTest(unittest.TestCase):
    def test_sums_are_of_all_parts(self):
        sums = simulated.read_log(
            logged("unit.other", "faults: tear 1\n") + seeds(1) + seeds(1251, kill=0) +
            logged("simulate.mutants", "a world 1: x\n26 deliberate bugs found, 0 not\n"))
        self.assertEqual("", sums.problem())
        self.assertEqual(
            "simulated: 2,500 worlds, 231.6 virtual hours, 12,000,000 messages delivered\n"
            "  faults: tear 20, half-open 10, kill 9, reset 4\n"
            "  deliberate bugs: 26 of 26 found", str(sums))

    def test_fault_that_never_happened_is_named(self):
        sums = simulated.read_log(seeds(1, kill=0) + seeds(1251, kill=0))
        self.assertEqual("never happened: kill", sums.problem())

    def test_ten_million_messages_are_enough_and_one_less_is_not(self):
        self.assertEqual("", simulated.read_log(seeds(1, delivered=10_000_000)).problem())
        self.assertEqual("9,999,999 messages delivered, must be 10,000,000",
                         simulated.read_log(seeds(1, delivered=9_999_999)).problem())

    def test_no_worlds_are_a_problem(self):
        self.assertEqual("no simulate.seeds_from_* has run",
                         simulated.read_log(logged("unit.other", "x\n")).problem())

    def test_passed_test_without_sums_is_a_problem(self):
        for output in ("", "1250 worlds, 115.8 virtual hours\n"):
            sums = simulated.read_log(seeds(1, output=output) + seeds(2))
            self.assertEqual("no sums in the output of simulate.seeds_from_1", sums.problem())

    def test_failed_test_is_named_in_the_sums_and_not_counted_twice(self):
        sums = simulated.read_log(seeds(1, output="FAILED  seed 3\n", passed=False) + seeds(1251))
        self.assertEqual("", sums.problem())
        self.assertIn("without failed tests: 1 of 2", str(sums))

    def test_test_that_could_not_run_takes_nothing_from_the_next(self):
        sums = simulated.read_log("1/2 Test: simulate.seeds_from_1\nUnable to find executable\n" +
                                  seeds(1251))
        self.assertEqual((2, 1, 1250), (sums.parts, sums.failed, sums.worlds))

    def test_lines_of_many_faults_stay_readable(self):
        output = "faults: " + ",\n        ".join(f"fault-{n} 123456" for n in range(30)) + "\n"
        sums = simulated.read_log(seeds(1, output="1 worlds, 1.0 virtual hours\n"
                                                  "messages: 5 delivered\n" + output))
        self.assertEqual(30, len(sums.faults))
        self.assertLessEqual(max(map(len, str(sums).splitlines())), simulated.LINE_MAX)

    def test_runner_prints_the_sums_and_returns_their_problem(self):
        for log, problem, shown in (
                (seeds(1, delivered=10_000_000), "", "10,000,000 messages delivered"),
                (seeds(1, delivered=10_000_000, kill=0), "simulate.sums: never happened: kill",
                 "FAILED  simulate.sums: never happened: kill"),
                (None, "simulate.sums: [Errno 2]", "FAILED  simulate.sums: [Errno 2]")):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "LastTest.log"
                if log is not None:
                    path.write_text(log, encoding="utf-8")
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    found = run_tests.show_simulated(path)
            self.assertTrue(found.startswith(problem) and bool(found) == bool(problem), found)
            self.assertIn(shown, printed.getvalue())


class RunTestsTest(unittest.TestCase):
    def test_passed_failed_and_skipped_are_distinguished(self):
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

    def test_cases_of_a_part_count_instead_of_the_part(self):
        cases = ('<testcase name="a" classname="X" status="run"/>'
                 '<testcase name="b" classname="X" status="run"><failure/></testcase>'
                 '<testcase name="c" classname="X" status="notrun"/>'
                 '<testcase name="d" classname="X" status="run"><skipped/></testcase>')
        counts, failed = count('<testcase name="x.0" status="fail"><failure/></testcase>'
                               '<testcase name="other" status="run"/>', {"x.0": cases})
        self.assertEqual((2, 1, 1), (counts.passed, counts.failed, counts.skipped))
        self.assertEqual(["X.b"], failed)

    def test_part_that_fails_without_a_failed_case_is_a_failure(self):
        good = '<testcase name="a" classname="X" status="run"/>'
        counts, failed = count('<testcase name="x.0" status="fail"><failure/></testcase>'
                               '<testcase name="x.1" status="fail"><failure/></testcase>',
                               {"x.0": good})  # x.1 ended before it wrote a result
        self.assertEqual((1, 2, 0), (counts.passed, counts.failed, counts.skipped))
        self.assertEqual(["x.0", "x.1"], failed)

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
