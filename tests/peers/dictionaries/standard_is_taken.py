#!/usr/bin/env python3
"""Checks that all that the standard allows is valid: for each version as published by the FIX
Trading Community (facts/repository-2010), every message with all of its fields and with only the
required ones, and every value of each field at least once. Values besides a list come from its
union, or from the text in other_values.py.

    standard_is_taken.py NEXUSFIX [VERSION...]

NEXUSFIX is the command, which validates the messages with its built-in dictionaries.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import facts

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2] / "dictionaries"))
import other_values  # noqa: E402

BEGIN_STRINGS = {"FIX40": "FIX.4.0", "FIX41": "FIX.4.1", "FIX42": "FIX.4.2", "FIX43": "FIX.4.3",
                 "FIX44": "FIX.4.4", "FIX50": "FIXT.1.1", "FIX50SP1": "FIXT.1.1",
                 "FIX50SP2": "FIXT.1.1"}
VERIFIED = {8, 9, 35, 10}
OTHERS = {"Qty": ("100", "0.5"), "Tenor": ("D5", "W13", "M3", "Y1"), "Country": ("US", "ch"),
          "Reserved100Plus": ("100", "999"), "Reserved1000Plus": ("1000", "9999"),
          "Reserved4000Plus": ("4000", "4001")}
BY_TYPE = {
    "BOOLEAN": ("Y",), "CHAR": ("x",), "INT": ("5",), "SEQNUM": ("1",), "NUMINGROUP": ("1",),
    "TAGNUM": ("55",), "DAYOFMONTH": ("5",), "AMT": ("1.5",), "QTY": ("1.5",), "PRICE": ("1.5",),
    "PRICEOFFSET": ("-1.5",), "PERCENTAGE": ("0.5",), "FLOAT": ("1.5",), "DATE": ("20240115",),
    "LOCALMKTDATE": ("20240115",), "UTCDATEONLY": ("20240115",), "MONTHYEAR": ("202401",),
    "TIME": ("20240115-10:30:00",), "UTCTIMESTAMP": ("20240115-10:30:00",),
    "UTCTIMEONLY": ("10:30:00",), "TZTIMEONLY": ("10:30Z",), "TZTIMESTAMP": ("20240115-10:30Z",),
    "CURRENCY": ("USD",), "COUNTRY": ("US",), "LANGUAGE": ("en",), "EXCHANGE": ("XNYS",)}
# FIX 4.0 and 4.1 use "char" for any text.
TEXTS = {"FIX40": "CHAR", "FIX41": "CHAR"}
# A word for values, and one with a space, which cannot be in a list with spaces as separators.
NO_VALUES = {(166, "ISO Country Code"), (276, "f ")}
# Lists of the printed standard, and counts of groups, that the repository lacks.
PRINTED = {("FIX40", 33): ["1"], ("FIX40", 85): ["1"], ("FIX42", 156): ["M", "D"],
           ("FIX44", 221): ["LIBOR", "OTHER"], ("FIX44", 315): ["0", "1"],
           ("FIX44", 487): ["0", "1", "2", "3", "4"]}
# Their text requires Symbol and more under conditions (accepted_differences.txt).
REQUIRING_MORE = ("FIX43", "FIX44")


def samples(version, field, tag):
    if (version, tag) in PRINTED:
        return PRINTED[(version, tag)]
    _, kind, values, others = field
    by_text = other_values.by_text(version).get(str(tag), "") if values else ""
    right = sorted(value for value in values if (tag, value) not in NO_VALUES)
    of_type = ("text",) if kind == TEXTS.get(version) else BY_TYPE.get(kind, ("text",))
    for kind_of_others in filter(None, (others, by_text)):
        right += OTHERS.get(kind_of_others, of_type)
    return right or list(of_type)


class Messages:
    def __init__(self, version, read):
        self.version = version
        self.facts = read
        self.samples = {tag: samples(version, field, tag) for tag, field in read.fields.items()}
        self.carried = set()  # tags of which an earlier message has had all values

    def of(self, msg_type, members):
        held = facts.flatten(self.facts, members)
        tags = set(self.tags_in(held)) - self.carried
        self.carried |= tags
        rounds = max([1] + [len(self.samples[tag]) for tag in tags])
        for number in range(rounds):
            yield f"35={msg_type}\x01" + self.header() + self.fields(held, number)
        if self.version not in REQUIRING_MORE:
            yield f"35={msg_type}\x01" + self.header() + self.fields(self.required(held), 0)

    def required(self, held):
        return {tag: (True, group and {next(iter(group)): (True, None), **self.required(group)})
                for tag, (is_required, group) in held.items() if is_required}

    def tags_in(self, held):
        for tag, (_, group) in held.items():
            yield tag
            if group is not None:
                yield from self.tags_in(group)

    def fields(self, held, number):
        text = ""
        for tag, (_, group) in held.items():
            kind = self.facts.fields[tag][1]
            right = self.samples[tag]
            value = "1" if kind == "LENGTH" or group is not None else right[number % len(right)]
            if kind in ("DATA", "XMLDATA"):
                value = "x"
            text += f"{tag}={value}\x01" + (self.fields(group, number) if group else "")
        return text

    def header(self):
        return "49=A\x0156=B\x0134=1\x0152=20240115-10:30:00\x01"


def framed(begin_string, body):
    text = f"8={begin_string}\x019={len(body)}\x01{body}".encode()
    return text + b"10=%03d\x01" % (sum(text) % 256)


def invalid(command, version, bodies):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "messages"
        path.write_bytes(b"".join(framed(BEGIN_STRINGS[version], body) for body in bodies))
        run = subprocess.run([command, "validate", "--version", version, "--json", path],
                             capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if len(answers) != len(bodies):
        sys.exit(f"{version}: {len(bodies)} messages, {len(answers)} answers: {run.stderr}")
    return [answer for answer in answers if not answer["valid"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("command", help="nexusfix")
    parser.add_argument("versions", nargs="*", default=list(BEGIN_STRINGS))
    options = parser.parse_args()
    failed = 0
    for version in options.versions:
        path = HERE / "facts" / "repository-2010" / f"{version}.facts"
        read = facts.read(path.read_text(encoding="utf-8"))
        messages = Messages(version, read)
        bodies = [body for msg_type, (_, members) in read.messages.items()
                  for body in messages.of(msg_type, members)]
        wrong = invalid(options.command, version, bodies)
        kinds = {}
        for answer in wrong:
            kinds.setdefault((answer["msg_type"], answer["problem"]), answer["message"])
        for (msg_type, problem), number in kinds.items():
            print(f"{version}, message {number} ({msg_type}): {problem}", file=sys.stderr)
        print(f"{version}: {len(bodies)} messages, {len(wrong)} refused")
        failed += len(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
