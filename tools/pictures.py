#!/usr/bin/env python3
"""Draws the pictures of docs/images, each from the text beside it. No library, no network.

    python3 tools/pictures.py                        # writes the pictures
    python3 tools/pictures.py --check                # fails if a picture is not what its text says
    python3 tools/pictures.py --latency REPORT.json  # writes latency.txt from a benchmark's report
                                                     # before it draws
    python3 tools/pictures.py --bench REPORT.json    # writes bench.txt in the same way
    python3 tools/pictures.py --growth REPORT.json   # and growth.txt
    python3 tools/pictures.py --terminal NEXUSFIX    # runs the commands of terminals again; with
                                                     # --check it compares what they print

drawing/diagram.py has the language of the texts. The pictures of states are also compared with the
tables of transitions in the source.
"""

import argparse
import json
import sys
from pathlib import Path

from drawing import bars, diagram, growth, latency, states, terminal

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"


def picture(text):
    if bars.is_chart(text):
        return bars.Chart(text).svg()
    if latency.is_plot(text):
        return latency.Plot(text).svg()
    if growth.is_growth(text):
        return growth.Growth(text).svg()
    if terminal.is_terminal(text):
        return terminal.Terminal(text).svg()
    drawn = diagram.Diagram(text)
    if "states" in drawn.values:
        states.check(drawn)
    return drawn.svg()


def faults(is_check):
    """Draws every picture, or compares it with what it should be."""
    for source in sorted(IMAGES.glob("*.txt")):
        target = source.with_suffix(".svg")
        try:
            drawn = picture(source.read_text(encoding="utf-8"))
        except diagram.BadText as error:
            yield f"docs/images/{source.name}: {error}"
            continue
        if not is_check:
            target.write_text(drawn, encoding="utf-8")
        elif not target.exists() or target.read_text(encoding="utf-8") != drawn:
            yield f"docs/images/{target.name} is not what {source.name} says: " \
                  "run python3 tools/pictures.py"
    for target in sorted(IMAGES.glob("*.svg")):
        if not target.with_suffix(".txt").exists():
            yield f"docs/images/{target.name} has no text"


def outdated_terminals(program, is_check):
    """Runs the commands of each terminal. Writes their output, or compares it."""
    for source in sorted(IMAGES.glob("*.txt")):
        text = source.read_text(encoding="utf-8")
        if not terminal.is_terminal(text):
            continue
        printed = terminal.run(text, program)
        if not is_check:
            source.write_text(printed, encoding="utf-8")
        elif printed != text:
            yield f"docs/images/{source.name} is not what the program prints: run " \
                  "python3 tools/pictures.py --terminal PROGRAM"


def main():
    parser = argparse.ArgumentParser(description="Draws the pictures of docs/images.")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument("--latency", type=Path, metavar="REPORT.json",
                        help="a report of the benchmark that has the row rtt/spin")
    parser.add_argument("--bench", type=Path, metavar="REPORT.json",
                        help="a report of the benchmark that has the rows of the front page")
    parser.add_argument("--growth", type=Path, metavar="REPORT.json",
                        help="a report of the benchmark that has the rows sessions/*")
    parser.add_argument("--terminal", type=Path, metavar="NEXUSFIX",
                        help="the program whose output the pictures of terminals show")
    arguments = parser.parse_args()
    for name, module in (("latency", latency), ("bench", bars), ("growth", growth)):
        if source := vars(arguments)[name]:
            text = module.text_of(json.loads(source.read_text(encoding="utf-8")))
            (IMAGES / f"{name}.txt").write_text(text, encoding="utf-8")
    found = []
    if arguments.terminal:
        found += outdated_terminals(arguments.terminal, arguments.check)
    if found := found + list(faults(arguments.check)):
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
