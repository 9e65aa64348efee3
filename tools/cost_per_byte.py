#!/usr/bin/env python3
"""Counts the instructions that an event loop spends on hostile streams, with callgrind, and ends
with 1 if one of them costs more than linear work in the bytes received.

    tools/cost_per_byte.py                 all streams of bench/instructions/hostile.cpp
    tools/cost_per_byte.py heads overlong  only the named ones

A stream arrives in pieces of 16 KiB, 1460, 97 and 1 bytes. The limit is a number of instructions
for each byte and one for each piece, for every stream and size: work that grows with what was
received before breaks it. An honest order costs about 15 a byte, and a turn of the loop 1,500.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PER_BYTE_MAX = 300
PER_PIECE_MAX = 8_000
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
    for (stream, size, pieces, _), count in zip(cases, counts, strict=True):
        size, pieces = int(size), int(pieces)
        limit = size * PER_BYTE_MAX + pieces * PER_PIECE_MAX
        print(f"{count / size:9,.1f} {count / pieces:10,.0f}  {size:7}  {pieces:6}  {stream}"
              f"{'  TOO MANY' if count > limit else ''}")
        if count > limit:
            too_many.append(stream)
    if too_many:
        print(f"more than {PER_BYTE_MAX} instructions a byte and {PER_PIECE_MAX} a piece: "
              f"{', '.join(sorted(set(too_many)))}", file=sys.stderr)
    return 1 if too_many else 0


if __name__ == "__main__":
    sys.exit(main())
