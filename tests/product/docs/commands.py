"""The commands that a page names and does not run: each must exist, with each of its options.

A block ```sh shows what a test cannot do, such as `systemctl start`. A reader types it, and also
the commands within a sentence.
"""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import words  # noqa: E402

SHELL_BLOCK = re.compile(r"^( *)```sh\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
ANY_BLOCK = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
PROMPT_BLOCK = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<body>.*?)^ *```[ ]*$",
                          re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)`(?:\$ )?((?:nexusfix|make|cmake|ctest)\s[^`\n]*(?:\n[^`\n]+)?)`")
PLAIN = re.compile(r"(?:nexusfix|make|cmake|ctest)[\w ./=:-]*")  # the shell runs it as it is
COMMENT = re.compile(r"(?:^|\s)#.*")
OPERATOR = re.compile(r"[();<>|&]+")
OPTION = re.compile(r"--[a-z][a-z0-9-]*")
SUBCOMMANDS = re.compile(r"^Subcommands:\n(.*?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
TREE = re.compile(r"(?:--?[a-z-]+=)?((?:apps|bench|dictionaries|docs|examples|packaging|share|tests"
                  r"|tools)/[\w./-]+)")


def commands_of(script):
    """The commands of a script, each as its words. ValueError: a quote is not closed."""
    for line in script.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(COMMENT.sub("", line), posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        command = []
        for token in [*lexer, ";"]:
            if not OPERATOR.fullmatch(token):
                command.append(token)
            elif command:
                yield command
                command = []


class Commands:
    """What the program, the Makefile and the presets of the tree have."""

    def __init__(self, environment, root=ROOT):
        self.environment = environment
        self.root = root
        self.helps = {}
        self.makefile = (root / "Makefile").read_text(encoding="utf-8")
        presets = json.loads((root / "CMakePresets.json").read_text(encoding="utf-8"))
        self.presets = {one["name"] for one in presets["configurePresets"]}
        self.cmake = "\n".join(
            path.read_text(encoding="utf-8") for folder in ("apps", "bench", "cmake", "examples",
                                                            "logs", "src", "stream", "tester",
                                                            "tests", "tools", "venue",
                                                            "venues", "c", "wasm", ".")
            for pattern in ("CMakeLists.txt", "*.cmake")
            for path in ((root / folder).rglob(pattern) if folder != "." else root.glob(pattern)))

    def help_of(self, names):
        """The help of a subcommand; empty: there is none."""
        key = tuple(names)
        if key not in self.helps:
            done = subprocess.run(["nexusfix", *names, "--help"], env=self.environment, text=True,
                                  capture_output=True, check=False)
            self.helps[key] = done.stdout if done.returncode == 0 else ""
        return self.helps[key]

    def subcommands(self, names=()):
        """Every subcommand below this one, as its names; this one first."""
        yield list(names)
        listed = SUBCOMMANDS.search(self.help_of(names))
        for name in re.findall(r"^  ([a-z][a-z-]*)", listed[1], re.MULTILINE) if listed else ():
            yield from self.subcommands((*names, name))

    def problem_of(self, command):
        """Why a command cannot run; None: nothing is known against it."""
        for word in command:
            path = TREE.fullmatch(word)
            if path and not (self.root / path[1]).exists():
                return f"no such file: {path[1]}"
        check = {"nexusfix": self.problem_of_nexusfix, "make": self.problem_of_make,
                 "cmake": self.problem_of_cmake, "ctest": self.problem_of_cmake}
        program = command[0].rsplit("/", 1)[-1]
        return check[program](command[1:]) if program in check else None

    def problem_of_nexusfix(self, arguments):
        names = []
        for word in arguments:
            if not re.fullmatch(r"[a-z][a-z0-9-]*", word) or not SUBCOMMANDS.search(
                    self.help_of(names)):
                break
            names.append(word)
            if not self.help_of(names):
                return f"there is no command: nexusfix {' '.join(names)}"
        if arguments[:1] == ["SUBCOMMAND"]:
            return None
        known = set(OPTION.findall(self.help_of(names)))
        for word in arguments[len(names):]:
            option = OPTION.match(word)
            if option and option[0] not in known | {"--version", "--help"}:
                return f"nexusfix {' '.join(names)} has no option {option[0]}"
        return None

    def problem_of_make(self, arguments):
        for word in arguments:
            name = word.split("=")[0]
            pattern = rf"\b{name}\b" if "=" in word else rf"^{re.escape(name)}:"
            if not word.startswith("-") and not re.search(pattern, self.makefile, re.MULTILINE):
                return f"the Makefile has no {name}"
        return None

    def problem_of_cmake(self, arguments):
        for option, value in zip(arguments, arguments[1:]):
            if option == "--preset" and value not in self.presets:
                return f"there is no preset {value}"
            if option == "--target" and not re.search(rf"\b{re.escape(value)}\b", self.cmake):
                return f"there is no target {value}"
            if option == "-D" and value.split("=")[0] not in self.cmake:
                return f"there is no variable {value.split('=')[0]}"
        return None

    def problems_of_page(self, text):
        """(line, what) of each command that does not exist."""
        scripts = [(match.start(2), match[2]) for match in SHELL_BLOCK.finditer(text)]
        prose = ANY_BLOCK.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        scripts += [(match.start(1), match[1].replace("\n", " "))
                    for match in INLINE.finditer(prose)]
        for match in PROMPT_BLOCK.finditer(text):
            prompt = rf"^{match['indent']}\$ "
            if match["info"].strip() != "console" and re.search(prompt, match["body"], re.M):
                yield (text.count("\n", 0, match.start()) + 1,
                       "commands after $ belong into a block of console, which runs")
        for place, script in scripts:
            line = text.count("\n", 0, place) + 1
            if not PLAIN.fullmatch(script):
                parsed = subprocess.run(["bash", "-n"], input=script, text=True,
                                        capture_output=True, check=False)
                if parsed.returncode != 0:
                    yield line, f"not a command of the shell: {parsed.stderr.strip()}"
                    continue
            for command in commands_of(script):
                problem = self.problem_of(command)
                if problem:
                    yield line, problem

    def problems_of_help(self, pages):
        """What is wrong in the help texts: words, and options that no page has."""
        text = "\n".join(pages)
        for names in self.subcommands():
            command = " ".join(["nexusfix", *names])
            shown = self.help_of(names)
            for line, is_error, what in words.findings(shown):
                if is_error:
                    yield f"{command} --help, line {line}: {what}"
            for option in sorted(set(OPTION.findall(shown))):
                if not re.search(rf"{option}(?![\w-])", text):
                    yield f"{command}: no page has {option}"
