#!/usr/bin/env python3
"""Builds the wheels of the Python package, and tests each in an environment of its own.

    wheels.py             for each CPython from 3.11 on that is found
    wheels.py --own       for the Python that runs this script alone, without the command, which
                          takes half of the time
    wheels.py --arm       for 64-bit ARM, by a cross compiler; qemu-user runs the tests

A wheel for 3.11, and one for 3.12 and later by the stable ABI, are in build/python/wheels, with the
libraries that they need. Status 77: PyPI, which has the tools, cannot be reached, or --own took
longer than LIMIT_SECONDS, as beside many compilers.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import arm_python
import wheel_licenses

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "python"
WORK = ROOT / "build" / "python"
WHEELS = WORK / "wheels"
REQUIREMENTS = (SOURCE / "requirements.txt").read_text(encoding="utf-8").split()
SKIPPED = 77
LIMIT_SECONDS = 900  # of --own: a test must not hang
FIRST_STABLE = (3, 12)  # its wheel serves each later version
ASK = "import json, sys; print(json.dumps([sys.implementation.name, *sys.version_info[:2]]))"
WITHOUT_COMMAND = ("-C", "build.targets=nexusfix_python;nexusfix_python_modules",
                   "-C", "build-dir=../build/python/without-command")
TESTED_WITH = ("hypothesis", "pyarrow", "pytest", "simplefix")
FRAMES = ("matplotlib", "mcp", "pandas", "polars")  # large: --own does without them
# Their limits of time are for a machine, not for an emulator.
TIMED_TESTS = ("test_import_takes_less_than_a_tenth_of_a_second",
               "test_a_blocked_event_loop_loses_nothing", "test_kill_9_loses_nothing_that_was_sent",
               "test_a_program_without_asyncio_runs_until_the_engine_ends")
ASKED_BY_TESTS_ALONE = ("pyarrow", "simplefix", *FRAMES)


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def version_of(python):
    """The version of a CPython; None: the program is no CPython, or does not start."""
    try:
        asked = subprocess.run([python, "-c", ASK], capture_output=True, text=True, check=True)
        name, *version = json.loads(asked.stdout)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None
    return tuple(version) if name == "cpython" else None


def found_pythons():
    """The programs by version: those of the PATH, and those of pyenv."""
    candidates = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    candidates += sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))
    found = {}
    for candidate in filter(None, [sys.executable, *candidates]):
        version = version_of(candidate)
        if version is not None and version >= (3, 11):
            found.setdefault(version, str(candidate))
    return dict(sorted(found.items()))


def tools_for(python, version):
    """A Python with what builds and tests a wheel."""
    tools = [line for line in REQUIREMENTS if line.split("==")[0] not in ASKED_BY_TESTS_ALONE]
    wanted = "\n".join(tools)
    folder = WORK / f"tools-{version[0]}.{version[1]}"
    stamp = folder / "installed.txt"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        run(python, "-m", "venv", "--clear", folder)
        done = subprocess.run([folder / "bin" / "python3", "-m", "pip", "install", "--quiet",
                               "--retries", "1", "--disable-pip-version-check", *tools],
                              stderr=subprocess.PIPE, text=True, check=False)
        if "(from versions: none)" in done.stderr:
            print("wheels: skipped, because PyPI has none of the packages, or cannot be reached")
            sys.exit(SKIPPED)
        if done.returncode != 0:
            sys.exit(done.stderr)
        stamp.write_text(wanted, encoding="utf-8")
    return folder / "bin" / "python3"


def build_wheel(tools, version, options=(), variables=None, root="/"):
    """Builds and repairs the wheel of a version, and adds the licenses of the libraries in it. They
    are those of the Debian in the folder root. Returns its path."""
    raw = WORK / f"raw-{version[0]}.{version[1]}"
    shutil.rmtree(raw, ignore_errors=True)
    programs = os.pathsep.join([str(tools.parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": programs, **(variables or {})}
    run(tools, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
        "--disable-pip-version-check", *options, "-w", raw, SOURCE, env=environment)
    built = next(raw.glob("*.whl"))
    WHEELS.mkdir(parents=True, exist_ok=True)
    shown = run(tools, "-m", "auditwheel", "repair", "-w", WHEELS, built, env=environment,
                capture_output=True, text=True)
    name = re.findall(r"nexusfix-\S+\.whl", shown.stdout + shown.stderr)[-1]
    wheel = WHEELS / Path(name).name
    tree = WORK / "without-command" if options == WITHOUT_COMMAND else \
        WORK / built.stem.split("-", 2)[2]
    wheel_licenses.add(wheel, wheel_licenses.texts_for(wheel, tree, tools, root))
    print(f"wheels: {wheel.name}")
    return wheel


def test_wheel(wheel, python, version, tools, tested_with):
    """Runs the tests in an environment with the wheel and pytest alone."""
    folder = WORK / f"test-{version[0]}.{version[1]}"
    run(python, "-m", "venv", "--clear", folder)
    inside = folder / "bin" / "python3"
    wanted = [line for line in REQUIREMENTS if line.split("==")[0] in tested_with]
    run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted)
    run(inside, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
        *sorted((SOURCE / "tests").glob("*_test.py")), cwd=folder)
    print(f"wheels: {wheel.name} passes its tests in CPython {version[0]}.{version[1]}", flush=True)
    if (tools.parent / "mypy").exists():
        check_types(inside, tools)


def check_types(inside, tools):
    """mypy and pyright find no error in right.py, and one in each marked line of wrong.py."""
    folder = SOURCE / "tests" / "typing"
    wrong = {number for number, line in
             enumerate((folder / "wrong.py").read_text(encoding="utf-8").splitlines(), 1)
             if line.endswith("# wrong")}
    checkers = {"mypy": [tools.parent / "mypy", "--strict", "--cache-dir", WORK / "mypy",
                         "--python-executable", inside]}
    if shutil.which("node") or shutil.which("nodejs"):
        checkers["pyright"] = [tools.parent / "pyright", "--pythonpath", inside,
                               "-p", folder / "pyrightconfig.json"]
    else:
        print("wheels: pyright is skipped, because it needs Node.js")
    for name, command in checkers.items():
        done = subprocess.run([str(part) for part in command] +
                              ([] if name == "pyright" else [str(folder)]),
                              capture_output=True, text=True, check=False)
        found = re.findall(r"(right|wrong)\.py:(\d+).*error", done.stdout)
        lines = {int(line) for file, line in found if file == "wrong"}
        if lines != wrong or any(file == "right" for file, _ in found):
            sys.exit(f"wheels: {name} finds other errors than wrong.py says:\n{done.stdout}")
        print(f"wheels: {name} finds the errors of typing/wrong.py, and no other", flush=True)


def make_arm_wheels(pythons):
    """A wheel of 3.11, and one of the stable ABI, by the versions that Debian has for ARM."""
    folder = WORK / "arm"
    linked = arm_python.ArmPython(folder / "3.11", (3, 11), arm_python.LINKED)
    later = arm_python.ArmPython(folder / "3.13", (3, 13))
    if not arm_python.RELEASES.keys() <= pythons.keys():
        sys.exit("wheels: CPython 3.11 and 3.13 build the wheels for 64-bit ARM")
    for version, arm in (((3, 11), linked), ((3, 13), later)):
        tools = tools_for(pythons[version], version)
        wheel = build_wheel(tools, version, arm_python.build_options(linked, arm.headers),
                            arm_python.build_environment(linked, version), linked.root)
        test_arm_wheel(wheel, arm, tools)


def test_arm_wheel(wheel, arm, tools):
    """Runs the tests by qemu-user, without TIMED_TESTS and those of random values, which take it
    minutes each."""
    shutil.rmtree(arm.packages, ignore_errors=True)
    wanted = [line for line in REQUIREMENTS if line.split("==")[0] in TESTED_WITH]
    run(tools, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        *arm.install_options(), wheel, *wanted)
    run(arm.program, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
        "-k", f"not ({' or '.join(TIMED_TESTS)})",
        *sorted(path for path in (SOURCE / "tests").glob("*_test.py")
                if path.name != "bad_input_test.py"), cwd=arm.folder)
    print(f"wheels: {wheel.name} passes its tests in {arm.name} by qemu-user", flush=True)


def limit_time():
    """Ends this program and what it has started after LIMIT_SECONDS."""
    def end(*_):
        print("wheels: skipped, because it took longer than "
              f"{LIMIT_SECONDS // 60} minutes on this machine", flush=True)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(0, signal.SIGTERM)
        os._exit(SKIPPED)

    os.setpgrp()
    signal.signal(signal.SIGALRM, end)
    signal.alarm(LIMIT_SECONDS)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--own", action="store_true", help="only for this Python")
    options.add_argument("--arm", action="store_true", help="for 64-bit ARM")
    given = options.parse_args()
    own = given.own
    if own:
        limit_time()
    pythons = {sys.version_info[:2]: sys.executable} if own else found_pythons()
    if given.arm:
        return make_arm_wheels(pythons)
    stable = None
    for version, python in pythons.items():
        tools = tools_for(python, version)
        if version < FIRST_STABLE or stable is None:
            wheel = build_wheel(tools, version, WITHOUT_COMMAND if own else ())
            stable = None if version < FIRST_STABLE else wheel
        test_wheel(wheel if version < FIRST_STABLE else stable, python, version, tools,
                   TESTED_WITH if own else (*TESTED_WITH, *FRAMES))
    print(f"wheels: {len(pythons)} versions of CPython passed")


if __name__ == "__main__":
    main()
