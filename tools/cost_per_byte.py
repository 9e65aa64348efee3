#!/usr/bin/env python3
"""Counts the instructions that an event loop spends on hostile streams, with callgrind, and ends
with 1 if one of them costs more than linear work in the bytes received.

    tools/cost_per_byte.py                 all streams of bench/instructions/hostile.cpp
    tools/cost_per_byte.py heads overlong  only the named ones

A stream arrives in pieces of 16 KiB, 97 bytes and one byte, each in a smaller and a larger amount:
the larger one may cost hardly more for each byte. Besides, there is a limit for each byte and for
each piece. An honest order costs about 15 a byte, and a turn of the loop 1,500.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PER_BYTE_MAX = 2_000
PER_PIECE_MAX = 10_000
GROWTH_MAX = 1.5  # of the cost of a byte, in four times the bytes
TOTALS = re.compile(r"^(?:totals|summary): (\d+)$", re.MULTILINE)


def instructions_of(folder):
    """The instructions of each call of nexusfix_counted(), in their order."""
    parts = sorted(folder.glob("out.*"), key=lambda path: int(path.suffix[1:]))
    return [int(TOTALS.search(path.read_text(encoding="utf-8"))[1]) for path in parts]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("streams", nargs="*", metavar="STREAM")
    parser.add_argument("--build", default=ROOT / "build" / "release", type=Path)
    words = parser.parse_args()
    too_many = []
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--quiet", "--fair-sched=yes", "--tool=callgrind",
             f"--callgrind-out-file={folder}/out", "--dump-after=nexusfix_counted",
             "--collect-atstart=no", "--toggle-collect=nexusfix_counted",
             words.build / "bench" / "nexusfix_hostile", *words.streams],
            check=True, capture_output=True, text=True)
        cases = [line.split() for line in done.stdout.splitlines()]
        counts = instructions_of(Path(folder))
    print("   a byte    a piece  bytes    pieces  stream")
    smaller = {}  # the cost of a byte in the first amount, by stream and digits of a piece's bytes
    for (stream, size, pieces, _), count in zip(cases, counts, strict=True):
        size, pieces = int(size), int(pieces)
        cost = count / size
        before = smaller.setdefault((stream, len(str(size // pieces))), cost)
        is_too_dear = (count > size * PER_BYTE_MAX + pieces * PER_PIECE_MAX
                    or cost > before * GROWTH_MAX)
        print(f"{cost:9,.1f} {count / pieces:10,.0f}  {size:7}  {pieces:6}  {stream}"
              f"{'  TOO MANY' if is_too_dear else ''}")
        if is_too_dear:
            too_many.append(stream)
    if too_many:
        print(f"more than {PER_BYTE_MAX} instructions a byte and {PER_PIECE_MAX} a piece, or "
              f"{GROWTH_MAX} times as many a byte in a larger amount: "
              f"{', '.join(sorted(set(too_many)))}", file=sys.stderr)
    return 1 if too_many else 0


if __name__ == "__main__":
    sys.exit(main())
