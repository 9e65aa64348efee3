"""What a command prints, as a terminal shows it. The text has the commands and their output:

    terminal: Which orders were rejected?
    log: docs/guide/logs.md messages.log
    $ nexusfix grep 'OrdStatus=REJECTED' --count messages.log
    | 1

`run()` runs the commands and writes the output, so that it is always that of the program. The log
is a block of a page, file=NAME. A line that is too long for a telephone goes on in the next one.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from .canvas import Canvas, text_width
from .diagram import BadText

WIDTH = 410  # in pixels: the front page of a desktop has two side by side
LEFT, TOP, LINE = 12, 56, 16
COLUMNS = int((WIDTH - 2 * LEFT) / text_width("code", " "))
INDENT = 4  # of the rest of a line
HANG_SECONDS = 60
STYLE = """.command{fill:#0a7d8c;font-weight:600}.marked{fill:#b0400a}
@media(prefers-color-scheme:dark){.command{fill:#3fb4c3}.marked{fill:#f0955a}}
"""
ROOT = Path(__file__).resolve().parents[2]


def is_terminal(text):
    return "\nterminal: " in text


def wrapped(line):
    """The line in parts of at most COLUMNS characters, divided at blanks."""
    if len(line) <= COLUMNS:
        return [line]
    words = line.lstrip()
    parts, indent = [], " " * min(len(line) - len(words), INDENT)
    while len(indent + words) > COLUMNS:
        at = words.rfind(" ", 0, COLUMNS - len(indent) + 1)
        if at < 0:
            raise BadText(f"no blank where a line may end: {words}")
        parts.append((indent + words[:at]).rstrip())
        words, indent = words[at:].lstrip(), " " * INDENT
    return [*parts, indent + words]


class Terminal:
    def __init__(self, text):
        self.values, self.lines = {}, []  # ("$" or "|", line)
        for line in text.splitlines():
            if line[:2] in ("$ ", "| ") or line == "|":
                self.lines.append((line[0], line[2:]))
            elif line and not line.startswith("#"):
                key, _, value = line.partition(": ")
                self.values[key] = value
        if set(self.values) != {"terminal", "log"} or not self.lines or self.lines[0][0] != "$":
            raise BadText("terminal, log and a command ($ ) were expected")

    def svg(self):
        rows = []  # (class, line)
        for kind, line in self.lines:
            if kind == "$" and rows:
                rows.append(("code", ""))
            shown = "code command" if kind == "$" else \
                "code marked" if line.lstrip().startswith("!") else "code"
            rows += [(shown, part) for part in wrapped("$ " + line if kind == "$" else line)]
        canvas = Canvas(self.values["terminal"], TOP + len(rows) * LINE + 4, STYLE, WIDTH)
        canvas.text("title", LEFT, 28, self.values["terminal"], "start")
        for number, (kind, line) in enumerate(rows):
            if line.strip():
                canvas.code(kind, LEFT, TOP + number * LINE, line)
        if faults := canvas.faults():
            raise BadText("; ".join(faults))
        return canvas.svg()


def log_of(place):
    """The text of a block of a page, and the name of its file."""
    page, _, name = place.partition(" ")
    body = re.search(rf"^```[^\n]*\bfile={re.escape(name)}\n(.*?)^```",
                     (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if not body:
        raise BadText(f"{page} has no block file={name}")
    return name, body[1]


def run(text, program):
    """The text with what its commands print now."""
    terminal = Terminal(text)
    name, log = log_of(terminal.values["log"])
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "100", "NO_COLOR": "1",
                   "PATH": f"{Path(program).resolve().parent}{os.pathsep}{os.environ['PATH']}"}
    lines = [line for line in text.splitlines() if line[:1] not in ("$", "|")]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, name).write_text(log, encoding="utf-8")
        for kind, command in terminal.lines:
            if kind != "$":
                continue
            done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=HANG_SECONDS,
                                  check=False)
            lines += ["$ " + command, *(f"| {line}".rstrip() for line in done.stdout.splitlines())]
    return "\n".join(lines) + "\n"
