"""The commands of a document, with the output that the document shows.

A block ```console has commands (lines after "$ ", continued by a "\\" at the end) and after each of
them its output. A line "..." stands for any lines, "..." within a line for any text. A block whose
info string has file=NAME is written to that file first. All blocks of a page run in one folder.
"""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HANG_SECONDS = 300
BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"\bfile=(\S+)")


@dataclass
class Step:
    line: int
    command: str = ""
    expected: list = field(default_factory=list)
    file: str = ""  # with its content in `command`


def steps_of(text):
    """The files and commands of a page, in order."""
    steps = []
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 2
        named = FILE.search(block["info"])
        if named:
            steps.append(Step(line, block["body"], file=named[1]))
        elif block["info"].split()[:1] == ["console"]:
            steps += commands_of(block["body"], line)
    return steps


def commands_of(body, line):
    steps, is_continued = [], False
    for number, text in enumerate(body.splitlines(), line):
        if is_continued:
            steps[-1].command += "\n" + text
        elif text.startswith("$ "):
            steps.append(Step(number, text[2:]))
        elif steps:
            steps[-1].expected.append(text)
            continue
        else:
            raise ValueError(f"line {number}: output before the first command")
        is_continued = text.endswith("\\")
    return steps


def pattern_of(expected):
    """A regular expression for the expected lines."""
    parts = []
    for line in expected:
        if line.strip() == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(r"[^\n]*?".join(re.escape(part) for part in line.split("...")) + r"\n")
    return re.compile("".join(parts))


def matches(expected, printed):
    if printed and not printed.endswith("\n"):
        printed += "\n"
    return pattern_of(expected).fullmatch(printed) is not None


def check_page(text, folder, environment):
    """Runs a page in an empty folder. Returns the problems: a line's number and a text."""
    problems = []
    for step in steps_of(text):
        if step.file:
            path = Path(folder, step.file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.command, encoding="utf-8")
            path.chmod(0o600)
            continue
        try:
            done = subprocess.run(["bash", "-c", step.command], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace",
                                  timeout=HANG_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            problems.append((step.line, f"$ {step.command}\ndoes not end"))
            continue
        if not matches(step.expected, done.stdout):
            expected = "\n".join(step.expected)
            problems.append((step.line, f"$ {step.command}\nthe page shows:\n{expected}\n"
                                        f"it prints (status {done.returncode}):\n{done.stdout}"))
    return problems


def environment_for(nexusfix, source):
    """The environment of a page's commands: the built command on the PATH, and the examples."""
    path = f"{Path(nexusfix).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "NEXUSFIX_SOURCE": str(source), "LC_ALL": "C.UTF-8",
            "COLUMNS": "100", "NO_COLOR": "1"}
