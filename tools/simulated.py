"""Sums up the output of the simulator's tests, from ctest's log, which has passed tests, too.

Continuous integration must show the amount of simulation: the number of delivered messages and of
each kind of fault. A kind that never happened proves nothing, and a few messages do not, either.
"""

import re
from dataclasses import dataclass, field

DELIVERED_MIN = 10_000_000
LINE_MAX = 100

# ctest's LastTest.log has the first line before each test, and its output between the two others.
TEST = re.compile(r"^\d+/\d+ Test: ", re.MULTILINE)
OUTPUT = re.compile(r"^Output:\n-+\n(.*?)^<end of output>$", re.MULTILINE | re.DOTALL)
PASSED = re.compile(r"^Test Passed\.$", re.MULTILINE)
WORLDS = re.compile(r"^(\d+) worlds, ([\d.]+) virtual hours$", re.MULTILINE)
DELIVERED = re.compile(r"^messages: (\d+) delivered\b", re.MULTILINE)
FAULTS = re.compile(r"^faults: ((?:[\w-]+ \d+,?\s+)+)", re.MULTILINE)
BUGS = re.compile(r"^(\d+) deliberate bugs found, (\d+) not$", re.MULTILINE)


@dataclass
class Simulated:
    parts: int = 0  # tests that run worlds
    failed: int = 0  # of the parts: a failed test prints no sums, and ctest has counted it
    worlds: int = 0
    hours: float = 0.0
    delivered: int = 0
    faults: dict = field(default_factory=dict)
    unreadable: list = field(default_factory=list)
    bugs: tuple = ()  # deliberate ones: found, not found

    def add(self, name, output, passed):
        self.parts += 1
        worlds, delivered = WORLDS.search(output), DELIVERED.search(output)
        faults = FAULTS.search(output)
        if not passed:
            self.failed += 1
        if not (worlds and delivered and faults):
            self.unreadable += [name] if passed else []
            return
        self.worlds += int(worlds[1])
        self.hours += float(worlds[2])
        self.delivered += int(delivered[1])
        for kind, count in re.findall(r"([\w-]+) (\d+)", faults[1]):
            self.faults[kind] = self.faults.get(kind, 0) + int(count)

    def problem(self):
        """Returns the problem of the sums; empty: none. The numbers of a failed test are missing,
        and its failure is already reported."""
        if self.parts == 0:
            return "no simulate.seeds_from_* has run"
        if self.unreadable:
            return f"no sums in the output of {' '.join(self.unreadable)}"
        if self.failed:
            return ""
        never = [kind for kind, count in self.faults.items() if count == 0]
        if never:
            return f"never happened: {' '.join(never)}"
        if self.delivered < DELIVERED_MIN:
            return f"{self.delivered:,} messages delivered, must be {DELIVERED_MIN:,}"
        return ""

    def __str__(self):
        lines = [f"simulated: {self.worlds:,} worlds, {self.hours:,.1f} virtual hours, "
                 f"{self.delivered:,} messages delivered"]
        if self.failed:
            lines.append(f"  without failed tests: {self.failed} of {self.parts}")
        line = "  faults:"
        for kind, count in self.faults.items():
            if len(line) + len(f" {kind} {count:,},") > LINE_MAX:
                lines.append(line)
                line = "         "
            line += f" {kind} {count:,},"
        lines.append(line.removesuffix(",") if self.faults else line + " none")
        if self.bugs:
            lines.append(f"  deliberate bugs: {self.bugs[0]} of {sum(self.bugs)} found")
        return "\n".join(lines)


def read_log(text):
    """Reads ctest's LastTest.log."""
    sums = Simulated()
    for test in TEST.split(text)[1:]:
        name = test.partition("\n")[0]
        found = OUTPUT.search(test)
        output = found[1] if found else ""
        if name.startswith("simulate.seeds_from_"):
            sums.add(name, output, PASSED.search(test, found.end() if found else 0) is not None)
        elif name == "simulate.mutants" and (bugs := BUGS.search(output)):
            sums.bugs = (int(bugs[1]), int(bugs[2]))
    return sums
