#!/usr/bin/env python3
"""Compares our dictionaries with the public ones whose facts are in facts/<source>/, message by
message and field by field. accepted_differences.txt must have a reason for every difference, and
every entry there must match exactly its number of differences.

    cross_check.py DICTIONARIES [--list]

--list prints the differences that no entry accepts, and always succeeds.
"""

import argparse
import collections
import fnmatch
import pathlib
import sys

import facts

HERE = pathlib.Path(__file__).parent
SHOWN_MAX = 20


def all_differences(dictionaries):
    for path in sorted(HERE.glob("facts/*/*.facts")):
        ours = facts.read_xml((dictionaries / f"{path.stem}.xml").read_text(encoding="utf-8"))
        theirs = facts.read(path.read_text(encoding="utf-8"))
        if not theirs.messages or not theirs.fields:
            sys.exit(f"{path} has no facts")
        for difference in facts.differences(ours, theirs):
            yield f"{path.parent.name} {path.stem} {difference}"


def read_accepted():
    """(line, expected number, pattern) of each entry; each needs a reason in the line above."""
    reason = ""
    for number, line in enumerate(
            (HERE / "accepted_differences.txt").read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            reason = line
        elif not line:
            reason = ""
        elif not reason:
            sys.exit(f"accepted_differences.txt:{number}: there is no reason above")
        else:
            count, pattern = line.split(" ", 1)
            yield number, int(count), pattern


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("dictionaries", type=pathlib.Path, help="folder with FIX40.xml ...")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    accepted = list(read_accepted())
    met = collections.Counter()
    unaccepted = []
    total = 0
    for difference in all_differences(options.dictionaries):
        total += 1
        fitting = next((line for line, _, pattern in accepted
                        if fnmatch.fnmatchcase(difference, pattern)), None)
        met[fitting] += 1
        if fitting is None:
            unaccepted.append(difference)
    if options.list:
        print("\n".join(unaccepted))
        return 0
    for difference in unaccepted[:SHOWN_MAX]:
        print(f"not accepted: {difference}", file=sys.stderr)
    if len(unaccepted) > SHOWN_MAX:
        print(f"... and {len(unaccepted) - SHOWN_MAX} more", file=sys.stderr)
    wrong = [f"accepted_differences.txt:{line}: fits {met[line]}, not {count}: {pattern}"
             for line, count, pattern in accepted if met[line] != count]
    print("\n".join(wrong), file=sys.stderr)
    print(f"{total} differences, {len(unaccepted)} not accepted, {len(wrong)} entries out of date")
    return 1 if unaccepted or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
