#!/usr/bin/env python3
"""A log tool does work in proportion to the bytes of a log, whatever the bytes are.

Usage: work_per_byte_test.py NEXUSFIX [SHAPE...]

Counts instructions with cachegrind, which do not depend on the speed of the machine: each command
reads an empty file, then hostile texts. The difference, divided by the bytes of a text, must stay
below a ceiling. The texts are those that made a reader look at the same bytes again for each
message that may begin there.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOH = "\x01"
BYTES = 192 << 10
# Instructions a byte. An ordinary log takes 2 to 120, and quadratic work takes some thousand.
CEILING = 1500
COUNTED = re.compile(r"I\s+refs:\s+([\d,]+)")


def repeated(text, size):
    return text * (size // len(text))


def halves(text, size, middle, end):
    """Beginnings of messages, then trailers to which their BodyLength may point."""
    return repeated(text, size // 2) + middle + repeated(end, size // 2)


def shapes():
    """The name of each text, and a function that makes about that number of bytes of it."""
    for name, separator in (("SOH", SOH), ("bar", "|"), ("caret", "^A"), ("line", "\n")):
        def with_length(length, end="", separator=separator):
            return separator.join(("8=FIX.4.4", f"9={length}", "35=D", end))

        short, far = with_length(5), with_length(90_000)
        yield f"beginnings, {name}", lambda size, text=short: repeated(text, size)
        yield f"beginnings with a far end, {name}", lambda size, text=far: repeated(text, size)
        yield (f"beginnings of lines with a far end, {name}",
               lambda size, text=far: repeated(text + "\n", size))
        yield (f"versions only, {name}",
               lambda size, text="8=FIX.4.4" + separator: repeated(text, size))
        yield (f"beginnings, a line feed, trailers, {name}",
               lambda size, text=far, end=separator + "10=": halves(text, size, "\n", end))
    yield "8=FIX only", lambda size: repeated("8=FIX", size)
    yield "beginnings in other tags", lambda size: repeated("18=FIX.4.4|9=", size)
    yield ("beginnings in values",
           lambda size: "8=FIX.4.4|9=5|35=D|" + repeated("58=8=FIX", size))
    yield "a CheckSum without an end", lambda size: "8=FIX.4.4|9=5|35=D|10=" + "1" * size
    yield ("a message without separators",
           lambda size: "8=FIX.4.4|9=5|35=D|58=" + "x" * size)
    yield ("escaped beginnings", lambda size: "20260101-00:00:00.000 IN ESCAPED : " +
           repeated(r"8=FIX.4.4\x019=5\x0135=D\x01", size))
    yield ("marks of escaped lines",
           lambda size: repeated("20260101-00:00:00.000 IN ESCAPED : 8=FIX\n", size))
    yield ("different tags", lambda size: f"8=FIX.4.4{SOH}9=5{SOH}35=D{SOH}" + "".join(
        f"{100 + i}=1{SOH}" for i in range(size // 8)) + f"10=000{SOH}")
    yield ("one tag", lambda size: f"8=FIX.4.4{SOH}9=5{SOH}35=D{SOH}" +
           repeated(f"448=1{SOH}", size) + f"10=000{SOH}")
    yield ("data fields", lambda size: f"8=FIX.4.4{SOH}9=5{SOH}35=D{SOH}" +
           repeated(f"95=90000{SOH}96={SOH}", size) + f"10=000{SOH}")


# What all commands share is measured with the first one. The others read the texts that differ in
# what they do with a message.
COMMANDS = (["grep", "-c", "MsgType=D"], ["grep", "MsgType=D"], ["decode"],
            ["decode", "--ndjson"], ["decode", "--csv"], ["stats"], ["order", "ORD1"],
            ["anonymise"], ["validate"])
DIFFERENT = ("beginnings, bar", "different tags", "one tag", "data fields")


def instructions(nexusfix, command, log):
    done = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
         nexusfix, *command, log], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, check=False)
    text = done.stderr.decode(errors="replace")
    counted = COUNTED.search(text)
    if counted is None or done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} {log}: status {done.returncode}: {text[-2000:]}")
    return int(counted[1].replace(",", ""))


def main():
    nexusfix, wanted = sys.argv[1], sys.argv[2:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        log = Path(folder) / "log"
        log.touch()
        empty = [instructions(nexusfix, command, log) for command in COMMANDS]
        for name, make in shapes():
            if wanted and name not in wanted:
                continue
            text = make(BYTES).encode()
            log.write_bytes(text)
            commands = COMMANDS if name in DIFFERENT else COMMANDS[:1]
            for command, start in zip(commands, empty):
                each = (instructions(nexusfix, command, log) - start) / len(text)
                is_linear = each <= CEILING
                failed += not is_linear
                print(f"{'ok' if is_linear else 'FAILED':6} {each:10,.1f} instructions a byte: "
                      f"nexusfix {' '.join(command)}, {name}", flush=True)
    if failed:
        print(f"{failed} above {CEILING:,} instructions a byte", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
