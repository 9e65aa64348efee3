#!/usr/bin/env python3
"""Runs everything that must pass, stage by stage, and continues after a failed stage.

    tools/run_tests.py                  every test of every stage: make check
    tools/run_tests.py --only quick     the tests with the label quick: make test
    tools/run_tests.py --only rest      the tests without it: make check TESTED=yes
    tools/run_tests.py tsan hardened    only the named stages

The stages are built one after another, and the tests of a stage run as soon as it is built, next to
the builds of later stages: many tests wait, and compilers use the processor meanwhile.

The last line is "N passed, M failed", followed by ", K skipped" if K > 0. The status is 0 when
nothing failed. A failed build counts as one failed test, a successful one as one passed.
"""

import argparse
import os
import platform
import resource
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import build
import simulated

# The definitions of every stage in addition to its preset: a build without tests has neither.
DEFINITIONS = ["NEXUSFIX_TESTS=ON", "NEXUSFIX_POSTGRES=ON", "NEXUSFIX_KAFKA=ON",
               "NEXUSFIX_NATS=ON"]
# One limit for every test, for hangs only: more than ten times the longest test on an idle machine.
# A busy machine fails no test.
HANG_SECONDS = 1200
# Two, because at the end of a stage a few long tests leave a processor idle.
TESTED_AT_ONCE = 2
# Tests come before the compilers of the next stage, which take what is left.
BUILD_PREFIX = ["nice", "-n", "10"]
# What tests compile comes from the cache in each clone, as what the builds compile.
CACHE = {"CCACHE_BASEDIR": str(build.ROOT), "CCACHE_NOHASHDIR": "true", "CCACHE_DEPEND": "true"}
RESULT_PATH = build.ROOT / "build" / "test-result.txt"


@dataclass
class Stage:
    name: str  # of the preset
    purpose: str
    targets: list = field(default_factory=list)  # none: everything
    labels: list = field(default_factory=list)  # for ctest -L: a test matches each; none: all
    labels_left_out: str = "case$"  # a regular expression for ctest -LE
    has_quick_tests: bool = False
    definitions: list = field(default_factory=list)  # in addition to those of every stage
    environment: dict = field(default_factory=dict)
    fixed_addresses: bool = False
    simulates: bool = False  # runs the simulator's worlds; prints and checks their sums
    jobs: int = 4  # many tests wait for a peer, a disk or a clock


STAGES = [
    Stage("release", "every test, g++", has_quick_tests=True, simulates=True, jobs=5,
          definitions=["NEXUSFIX_ARROW=AUTO"]),
    Stage("clang", "the libraries and the command compile without a warning; unit and property "
          "tests, fuzz targets, addresses, bounds and undefined behaviour, clang-19",
          targets=["nexusfix_tests_unit", "nexusfix_tests_property", "nexusfix_tests_fuzz-smoke"],
          labels=["unit|property|fuzz-smoke"], has_quick_tests=True,
          definitions=["NEXUSFIX_TESTS_IN_PARTS=ON"],
          environment={"RC_PARAMS": "max_success=30",  # `release` runs 100
                       "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
                       "UBSAN_OPTIONS": "print_stacktrace=1"}),
    Stage("tsan", "tests with threads, data races", targets=["nexusfix_tests_threads"],
          labels=["threads"], fixed_addresses=True,
          definitions=["NEXUSFIX_TESTS_IN_PARTS=ON"],
          environment={"TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:die_after_fork=0"}),
    # Without debugging information, the rows of `nexusfix bench` and the products beside the core,
    # but with the venue, which the demonstration needs: it shows that the core needs none of them.
    # With less optimisation: the flags that this stage is for work from -O1 on, and the compiler
    # takes less time.
    Stage("hardened", "the command with the venue alone, with a distribution's flags, g++",
          targets=["nexusfix_tests_hardened"], labels=["hardened"],
          definitions=["CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG",
                       *(f"NEXUSFIX_{part}=OFF"
                         for part in ("BENCH", "POSTGRES", "CLUSTER", "KAFKA", "NATS", "WEB",
                                      "METRICS", "FRONT_DOOR", "GATEWAY", "SIMULATOR", "LOGS",
                                      "STREAM", "TESTER", "TUI"))]),
]


def quick_part(stage):
    """What `make test` builds and runs of a stage: tests/CMakeLists.txt names it."""
    return replace(stage, purpose="the tests of make test", targets=["nexusfix_tests_quick"],
                   labels=[*stage.labels, "^quick$"], simulates=False)


def rest(stage):
    """What `make test` does not run of a stage."""
    if not stage.has_quick_tests:
        return stage
    return replace(stage, labels_left_out=stage.labels_left_out + "|^quick$")


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


@dataclass
class Result:
    """Of a stage."""
    counts: Counts
    failed: list
    build_seconds: float
    test_seconds: float = 0


# A stage's lines are printed together.
printing = threading.Lock()


def read_cases(path):
    """Counts the cases of a part of a GoogleTest program, and names those that failed."""
    counts, failed = Counts(), []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None:
            counts.failed += 1
            failed.append(f"{case.get('classname')}.{case.get('name')}")
        elif case.find("skipped") is not None:
            counts.skipped += 1
        elif case.get("status") == "run":
            counts.passed += 1
    return counts, failed


def read_junit(path):
    """Counts the test cases of ctest's JUnit file, and names the failed ones. A test whose program
    is missing is "notrun" there, like a skipped one, but counts as a failure. For a part of a
    program, its own cases count. A part that fails without a failed case has crashed."""
    counts, failed = Counts(), []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        status = case.get("status", "")
        part = path.parent / "cases" / f"{case.get('name')}.xml"
        is_run = status == "run" and case.find("failure") is None
        if part.exists():
            part_counts, part_failed = read_cases(part)
            counts.add(part_counts)
            failed += part_failed
            if not is_run and not part_failed:
                counts.failed += 1
                failed.append(case.get("name"))
            continue
        skipped = case.find("skipped")
        reason = skipped.get("message", "") if skipped is not None else ""
        if status == "run" and case.find("failure") is None:
            counts.passed += 1
        elif status == "disabled" or (status == "notrun" and reason.startswith("SKIP_")):
            counts.skipped += 1
        else:
            counts.failed += 1
            failed.append(case.get("name"))
    return counts, failed


def longest_tests(path, most=3):
    """The longest tests with their seconds: candidates to be cut into parts."""
    cases = ElementTree.parse(path).getroot().iter("testcase")
    times = sorted(((float(case.get("time", 0)), case.get("name")) for case in cases), reverse=True)
    return ", ".join(f"{name} {seconds:.0f} s" for seconds, name in times[:most])


def fixed_address_prefix():
    """ThreadSanitizer of g++ 12 does not start where the kernel spreads addresses widely."""
    setarch = shutil.which("setarch")
    if setarch is None:
        return []
    prefix = [setarch, platform.machine(), "-R"]
    tried = subprocess.run([*prefix, "true"], capture_output=True, check=False)
    return prefix if tried.returncode == 0 else []


def run_ctest(stage, prefix):
    junit = build.ROOT / "build" / stage.name / "junit.xml"
    junit.unlink(missing_ok=True)
    command = [*prefix, "ctest", "--test-dir", str(junit.parent),
               "--output-on-failure", "--no-tests=error", "-C", "parts",
               "-LE", stage.labels_left_out, "-j", str(stage.jobs),
               "--timeout", str(HANG_SECONDS), "--output-junit", str(junit)]
    for label in stage.labels:
        command += ["-L", label]
    log = junit.parent / "ctest.log"
    last_log = junit.parent / "Testing" / "Temporary" / "LastTest.log"
    last_log.unlink(missing_ok=True)
    shutil.rmtree(junit.parent / "cases", ignore_errors=True)  # of an earlier run
    print(f"test {stage.name} ({stage.purpose}) ...", flush=True)
    started = time.monotonic()
    with open(log, "wb") as output, subprocess.Popen(
            command, cwd=build.ROOT, env=os.environ | CACHE | stage.environment,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT) as process:
        while True:
            try:
                status = process.wait(timeout=build.QUIET_SECONDS)
                break
            except subprocess.TimeoutExpired:
                print(f"test {stage.name}: {time.monotonic() - started:.0f} s", flush=True)
    seconds = time.monotonic() - started
    try:
        counts, failed = read_junit(junit)
        longest = f"  longest: {longest_tests(junit)}"
    except (OSError, ElementTree.ParseError):
        counts, failed, longest = Counts(failed=1), ["no result from ctest"], ""
    if status != 0 and counts.failed == 0:
        counts.failed, failed = 1, [f"ctest ended with status {status}"]
    with printing:
        if counts.failed:
            show_failures(log, failed)
        if stage.simulates:
            problem = show_simulated(last_log)
            counts.add(Counts(failed=1) if problem else Counts(passed=1))
            failed += [problem] if problem else []
        print(f"test {stage.name}: {counts} in {seconds:.0f} s", flush=True)
        print(longest, flush=True)
    return counts, failed


def show_failures(log, failed):
    """Prints the failed tests' output from ctest's log, without the lines of passed tests."""
    print(f"--- {log.relative_to(build.ROOT)}, passed tests left out")
    try:
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            passed = line.rstrip().endswith(" sec") and "   Passed " in line
            if not passed and not line.lstrip().startswith("Start "):
                print(line)
    except OSError as error:
        print(error)
    print("--- failed:", *failed, sep="\n  ", flush=True)


def show_simulated(last_log):
    """Prints the sums over all simulated worlds. Returns their problem, which counts as a failed
    test; empty: it counts as a passed one."""
    try:
        sums = simulated.read_log(last_log.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        problem = f"simulate.sums: {error}"
    else:
        print(sums)
        problem = sums.problem() and f"simulate.sums: {sums.problem()}"
    if problem:
        print(f"FAILED  {problem}")
    sys.stdout.flush()
    return problem


def build_stage(stage):
    """Returns whether it was built, and the seconds."""
    prefix = BUILD_PREFIX + (fixed_address_prefix() if stage.fixed_addresses else [])
    started = time.monotonic()
    built = build.build(stage.name, stage.targets, DEFINITIONS + stage.definitions, prefix,
                        rewrites=False)
    return built, time.monotonic() - started


def test_stage(stage, build_done):
    """Waits for the build, whose future is given, and runs the tests. Returns the Result."""
    built, build_seconds = build_done.result()
    if not built:
        return Result(Counts(failed=1), [f"{stage.name}: the build"], build_seconds)
    started = time.monotonic()
    counts, failed = run_ctest(stage, fixed_address_prefix() if stage.fixed_addresses else [])
    counts.passed += 1  # the build
    return Result(counts, [f"{stage.name}: {name}" for name in failed], build_seconds,
                  time.monotonic() - started)


def run_stages(stages):
    """Returns a Result for each name, in the order of the stages."""
    builder, tester = ThreadPoolExecutor(1), ThreadPoolExecutor(TESTED_AT_ONCE)
    try:
        tested = [(stage.name, tester.submit(test_stage, stage, builder.submit(build_stage, stage)))
                  for stage in stages]
        return {name: result.result() for name, result in tested}
    finally:
        # After an interrupt no further stage begins.
        builder.shutdown(cancel_futures=True)
        tester.shutdown(cancel_futures=True)


def stage_table(results):
    """A line for each stage: how long its build and its tests took, and what they counted."""
    rows = [("", "build", "tests", "passed", "failed"),
            *((name, f"{result.build_seconds:.0f} s", f"{result.test_seconds:.0f} s",
               result.counts.passed, result.counts.failed) for name, result in results.items())]
    return "\n".join(f"{name:10}{built:>8}{tested:>8}{passed:>8}{failed:>8}"
                     for name, built, tested, passed, failed in rows)


def main():
    parser = argparse.ArgumentParser(description="Runs the tests, stage by stage.")
    parser.add_argument("--only", choices=["quick", "rest"],
                        help="quick: what `make test` runs; rest: what it does not run")
    parser.add_argument("stages", nargs="*", metavar="STAGE",
                        help=f"{' '.join(stage.name for stage in STAGES)}; default: all")
    arguments = parser.parse_args()
    known = {stage.name: stage for stage in STAGES}
    if arguments.only == "quick":
        known = {stage.name: quick_part(stage) for stage in STAGES if stage.has_quick_tests}
    elif arguments.only == "rest":
        known = {stage.name: rest(stage) for stage in STAGES}
    wanted = arguments.stages or list(known)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"no stage {' '.join(unknown)}; there are: {' '.join(known)}", file=sys.stderr)
        return 2
    started = time.monotonic()
    results = run_stages([known[name] for name in wanted])
    total, failed = Counts(), []
    for result in results.values():
        total.add(result.counts)
        failed += result.failed
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\n{stage_table(results)}\n"
          f"All stages took {time.monotonic() - started:.0f} s; they overlap. "
          f"CPU time of builds and tests: {used.ru_utime + used.ru_stime:.0f} s.")
    if failed:
        print("Failed:", *failed, sep="\n  ")
    RESULT_PATH.write_text(f"{total}\n", encoding="utf-8")
    print(total, flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
