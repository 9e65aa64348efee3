#!/usr/bin/env python3
"""Makes acceptance scripts of other FIX versions out of those of FIX 4.2 and FIX 5.0 SP2.

    derive_scripts.py SOURCE TARGET

SOURCE has the folders fix42 and fix50sp2. TARGET gets fix40, fix41, fix43, fix44, fix50 and
fix50sp1. The differences between versions are those of docs/reference/session.md, written here
independently of the engine's table: an engine that is wrong about a version fails the derived
scripts.
"""

import re
import sys
from pathlib import Path

SOH = "\x01"

# Scripts for rules that a version does not have.
GROUPS = {"14i_RepeatingGroupCountNotEqual", "21_RepeatingGroupSpecifierWithValueOfZero"}
# Reasons without a number in FIX 4.2.
LATER_REASONS = {
    "Tag appears more than once": "13",
    "Tag specified out of required order": "14",
    "Incorrect NumInGroup count for repeating group": "16",
}


class Message:
    """An I or E line with a message: its fields, and the change of its body's length."""

    def __init__(self, line):
        self.command, rest = re.fullmatch(r"([IE](?:\d+,)?)(8=.*)", line, re.S).groups()
        self.fields = [field.split("=", 1) for field in rest.split(SOH) if field]
        self.end = SOH if rest.endswith(SOH) else ""
        self.before = self._body_bytes()
        self.shorter = 0

    def _body_bytes(self):
        return sum(len(tag) + len(value) + 2 for tag, value in self.fields
                   if tag not in ("8", "9", "10"))

    def get(self, tag):
        return next((value for found, value in self.fields if found == tag), None)

    def set(self, tag, value):
        for field in self.fields:
            if field[0] == tag:
                field[1] = value

    def remove(self, *tags):
        self.fields = [field for field in self.fields if field[0] not in tags]

    def insert_before(self, tag, field):
        at = next((i for i, (found, _) in enumerate(self.fields) if found == tag),
                  len(self.fields))
        self.fields.insert(at, list(field))

    @property
    def is_expected(self):
        return self.command.startswith("E")

    def __str__(self):
        if self.is_expected and self.get("9"):
            length = int(self.get("9")) + self._body_bytes() - self.before - self.shorter
            self.set("9", str(length))
        return self.command + SOH.join("=".join(field) for field in self.fields) + self.end


def rename(message, begin_string, target, source_target):
    if message.get("8") in ("FIX.4.2", "FIXT.1.1"):
        message.set("8", begin_string)
    elif message.get("8") == "FIX.4.1" and begin_string == "FIX.4.1":
        message.set("8", "FIX.4.0")  # the wrong one must be wrong in this version, too
    for tag in ("49", "56"):
        if message.get(tag) == source_target:
            message.set(tag, target)


def to_whole_seconds(message):
    if not message.is_expected:
        return
    # Some scripts show no fraction but count it in BodyLength: times are compared by their form.
    for field in message.fields:
        if field[0] in ("52", "122"):
            if field[1].endswith(".000"):
                field[1] = field[1].removesuffix(".000")
            elif message.get("9"):
                message.shorter += len(".000")


def to_fix40_reject(message):
    if message.get("35") == "j":
        message.set("35", "3")
        message.set("58", "Unsupported message type")
        message.remove("372", "380")
    if message.get("35") == "3" and message.is_expected:
        blamed = message.get("371")
        if blamed:
            message.set("58", f"{message.get('58')} ({blamed})")
        message.remove("371", "372", "373")


# Scripts of versions without TransactTime whose messages have it. With several faults, the reject
# names the structure first, then a missing field, then a wrong field.
WITH_TRANSACT_TIME = {(0, "14b_RequiredFieldMissing"), (1, "14b_RequiredFieldMissing"),
                      (1, "14g_HeaderBodyTrailerFieldsOutOfOrder")}

# Complete ExecutionReports.
REPORTS = {
    0: "37=id 17=1 20=0 39=0 55=WLRI 54=1 38=100 32=0 31=0 14=0 6=0.0",
    1: "37=id 17=1 20=0 150=0 39=0 55=WLRI 54=1 38=100 32=0 31=0 151=100 14=0 6=0.0",
    3: "37=id 17=id 150=0 39=0 55=WLRI 54=1 151=100 14=0 6=0.0",
    4: "37=id 17=id 150=0 39=0 55=WLRI 54=1 151=100 14=0 6=0.0",
}


def to_fix4(name, message, minor):
    """From FIX 4.2 to FIX 4.0, 4.1, 4.3 or 4.4."""
    rename(message, f"FIX.4.{minor}", f"TW4{minor}", "TW42")
    if message.get("35") == "8":
        header = ("8", "35", "34", "49", "52", "56")
        message.fields = [field for field in message.fields if field[0] in header]
        message.fields += [field.split("=") for field in REPORTS[minor].split()]
    if minor < 2:
        to_whole_seconds(message)
        if message.get("35") == "D":
            if (minor, name) not in WITH_TRANSACT_TIME:
                message.remove("60")  # TransactTime was introduced in FIX 4.2
            if minor == 0 and not message.get("38"):
                message.insert_before("40", ("38", "100"))  # OrderQty was required
        if message.get("35") == "2" and message.is_expected and message.get("16") == "0":
            message.set("16", "999999")
        to_fix40_reject(message)
    else:
        reason = LATER_REASONS.get(message.get("58"))
        if message.is_expected and message.get("35") == "3" and reason:
            message.insert_before("10", ("373", reason))
        if name == "14b_RequiredFieldMissing" and message.get("35") == "D":
            message.remove("11")
            message.fields.append(["55", "INTC"])
        if name == "14b_RequiredFieldMissing" and message.get("371") == "55":
            message.set("371", "11")
        if name == "14e_IncorrectEnumValue" and message.get("167") == "FUT":
            message.set("167", "CS")
    return message


def to_older_fix5(message, target, appl_ver_id):
    rename(message, "FIXT.1.1", target, "TW50SP2")
    message.set("1137", appl_ver_id)
    return message


def fix5_to_fix4(message, minor):
    """From FIX 5.0 SP2, for scripts that FIX 4.2 lacks, or has with other fields."""
    rename(message, f"FIX.4.{minor}", f"TW4{minor}", "TW50SP2")
    message.remove("1137")
    return message


def fix40_location_ids(name, lines):
    """FIX 4.0 has no OnBehalfOfLocationID and DeliverToLocationID: their tags are invalid."""
    result = []
    for line in lines:
        if isinstance(line, Message) and name == "ReverseRoute" and line.is_expected:
            for tag, blamed in (("145", "144"), ("144", "145")):
                if line.get(tag):
                    line.remove(tag)
                    line.set("58", f"Invalid tag number ({blamed})")
        result.append(line)
    return result


def read(path):
    lines = path.read_text(encoding="latin-1").split("\n")
    return [Message(line) if re.match(r"[IE](\d+,)?8=", line) else line for line in lines]


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(str(line) for line in lines), encoding="latin-1")


def changed(path, change):
    return [change(line) if isinstance(line, Message) else line for line in read(path)]


def derive(source, target):
    for path in sorted((source / "fix42").glob("*.def")):
        name = path.stem
        for minor in (0, 1, 3, 4):
            if minor < 2 and name in GROUPS:
                continue
            lines = changed(path, lambda message, m=minor: to_fix4(name, message, m))
            if minor < 2 and name == "14e_IncorrectEnumValue":
                lines = without_security_type(lines)
            if minor == 0:
                lines = fix40_location_ids(name, lines)
            write(target / f"fix4{minor}" / path.name, lines)
    for path in sorted((source / "fix50sp2").glob("*.def")):
        for folder, comp_id, version in (("fix50", "TW50", "7"), ("fix50sp1", "TW50SP1", "8")):
            lines = changed(path, lambda m, c=comp_id, v=version: to_older_fix5(m, c, v))
            write(target / folder / path.name, lines)
    for name, minors in (("21_RepeatingGroupSpecifierWithValueOfZero", (3, 4)),
                         ("SessionReset", (4,))):
        for minor in minors:
            lines = changed(source / "fix50sp2" / f"{name}.def",
                            lambda message, m=minor: fix5_to_fix4(message, m))
            write(target / f"fix4{minor}" / f"{name}.def", lines)


def without_security_type(lines):
    """FIX 4.0 and 4.1 do not test 167: the two orders with it and their answers are removed,
    and the later numbers move up."""
    result, dropped = [], {}
    for line in lines:
        if isinstance(line, Message):
            side = line.command[0]
            if line.get("167") or "(167)" in (line.get("58") or ""):
                dropped[side] = dropped.get(side, 0) + 1
                continue
            if dropped.get(side):
                line.set("34", str(int(line.get("34")) - dropped[side]))
        result.append(line)
    return result


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    derive(Path(sys.argv[1]), Path(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
