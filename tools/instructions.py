#!/usr/bin/env python3
"""Counts the instructions of the engine's paths with callgrind, and shows in which part they are.

    tools/instructions.py                  every path
    tools/instructions.py order idle       only the named ones
    tools/instructions.py --check          end with 1 if a path takes more than its ceiling
    tools/instructions.py --functions 20   the 20 functions with the most instructions, too

Orders are those of bench/traffic, unless a path says that they have one shape. An engine with a
journal gets its bytes from memory, so that no instruction is the kernel's. Its
time passes by turns, so that each run counts the same. Callgrind has no AVX-512: the parser uses
its AVX2 kernel. Other threads are not counted. The part of an inlined function is that of its own
file; the standard library's belongs to the file that calls it.
"""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BATCHES = 16
MESSAGES_PER_BATCH = 64
# The most instructions that a path may take: a few more than it took when this was written.
CEILINGS = {"order": 2920, "order-one-shape": 2325, "requests": 3010, "order-burst": 2690,
            "order-inbound": 3230, "order-logs": 3510, "heartbeat": 1084, "send": 1425, "idle": 120}
PURPOSES = {"order": "an order's bytes to its report's",
            "order-one-shape": "the same for orders whose values have one length",
            "requests": "the same for orders, replaces and cancels",
            "order-burst": "the same for 16 orders that are received together",
            "order-inbound": "order with JournalInbound=Y",
            "order-logs": "order with FileLogPath: both messages are logged",
            "heartbeat": "a Heartbeat is received",
            "send": "the application sends a report, and a turn of the loop",
            "idle": "a turn of the loop that finds nothing"}
NAME = re.compile(r"\((\d+)\)(?: (.*))?")
COST = re.compile(r"[+\-*\d]\S* (\d+)")


class Names:
    """Callgrind's names: "(7) text" defines a name, "(7)" repeats it."""

    def __init__(self):
        self.known = {}

    def read(self, text):
        number, name = NAME.match(text).groups()
        if name is not None:
            self.known[number] = name
        return self.known[number]


def part_of(path):
    """"engine/link" for src/engine/link/connections.cpp; empty: not a file of the project."""
    match = re.search(r"(?:^|/)(?:src|include/nexusfix)/((?:[a-z_]+/)+)[^/]+$", path)
    if match:
        return "/".join(match[1].strip("/").split("/")[:2])
    if "/bench/" in path:
        return "the application and its network"
    return ""


def short(function):
    """The name of a function without its arguments and those of templates."""
    name = function.replace("(anonymous namespace)::", "")
    without = ""
    while without != name:
        name, without = re.sub(r"<[^<>]*>", "", name), name
    return name.split("(")[0].split(" ")[-1]


def read_profile(text):
    """Returns the instructions by part, and by function with its part."""
    parts, functions = collections.Counter(), collections.Counter()
    files, names = Names(), Names()
    file_part = function_part = ""
    function = ""
    is_call = False
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key in ("fl", "fi", "fe", "cfi", "cfl"):
            path = files.read(value)
            if key == "fl":
                function_part = part_of(path)
            if key in ("fl", "fi", "fe"):
                file_part = part_of(path)
        elif key in ("fn", "cfn"):
            name = names.read(value)
            if key == "fn":
                function = name
        elif key == "calls":
            is_call = True
        elif match := COST.fullmatch(line):
            if not is_call:
                part = file_part or function_part or "system libraries"
                parts[part] += int(match[1])
                functions[f"{short(function)}  [{part}]"] += int(match[1])
            is_call = False
    return parts, functions


def profile(program, path, folder):
    output = Path(folder) / path
    # Fair: the loop spins until the journal's thread has created the first segment.
    subprocess.run(["valgrind", "--quiet", "--fair-sched=yes", "--tool=callgrind",
                    f"--callgrind-out-file={output}",
                    "--collect-atstart=no", "--toggle-collect=nexusfix_counted", program, path,
                    str(BATCHES)], check=True, env=os.environ | {"TMPDIR": folder})
    return read_profile(output.read_text(encoding="utf-8"))


def rows(counts, most=None):
    """Lines with counts for one message, the largest first."""
    messages = BATCHES * MESSAGES_PER_BATCH
    return [f"{count / messages:10,.0f}  {name}" for name, count in counts.most_common(most)
            if count >= messages / 2]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH", help=", ".join(CEILINGS))
    parser.add_argument("--build", default=ROOT / "build" / "release", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--functions", type=int, default=0, metavar="N")
    words = parser.parse_args()
    unknown = [path for path in words.paths if path not in CEILINGS]
    if unknown:
        parser.error(f"no path {' '.join(unknown)}; there are: {' '.join(CEILINGS)}")
    if shutil.which("valgrind") is None:
        parser.error("valgrind is missing: make deps installs it")
    too_many = []
    with tempfile.TemporaryDirectory() as folder:
        for path in words.paths or CEILINGS:
            parts, functions = profile(words.build / "bench" / "nexusfix_instructions", path,
                                       folder)
            total = round(parts.total() / (BATCHES * MESSAGES_PER_BATCH))
            print(f"{path}: {total:,} instructions, at most {CEILINGS[path]:,} "
                  f"({PURPOSES[path]})", *rows(parts), sep="\n")
            if words.functions:
                print("", *rows(functions, words.functions), sep="\n")
            print(flush=True)
            if total > CEILINGS[path]:
                too_many.append(path)
    if too_many:
        print(f"more than the ceiling in tools/instructions.py: {', '.join(too_many)}",
              file=sys.stderr)
    return 1 if too_many and words.check else 0


if __name__ == "__main__":
    sys.exit(main())
