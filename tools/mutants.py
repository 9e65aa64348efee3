#!/usr/bin/env python3
"""Plants the bugs of tests/rules/mutants/*.txt, one at a time, and runs the tests of their layer:
each must be found. Prints a table by layer, and the bugs that no test found.

    tools/mutants.py [--layer session]... [--only WORDS] [--check]

One build of a layer has all its bugs: a copy of the tree in build/mutants/<layer>, in which the
environment variable NEXUSFIX_MUTANT selects the bug. A bug that cannot be switched ("alone") has a
build of its own. tests/rules/mutants/README.md describes the catalogue. Status 1: fewer than 95 %
of the bugs of a layer are found, or an entry no longer matches its source. """

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = "tests/rules/mutants"
SHARE_MIN = 95  # percent of the bugs of a layer
HANG_SECONDS_MIN = 20
HANG_FACTOR = 4  # of the time that the program takes without a bug
UNPLANTED_SECONDS_MAX = 600  # of a program without a bug

# Precedes each source with a bug. A constant expression has none.
HEADER = """#pragma once
#include <cstdlib>
#include <type_traits>
namespace nexusfix::mutants {
inline const int active = [] {
  const char* const text = std::getenv("NEXUSFIX_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}();
constexpr bool is(int number) noexcept {
  return !std::is_constant_evaluated() && active == number;
}
}  // namespace nexusfix::mutants
"""
HEADER_PATH = "include/nexusfix/base/mutants.hpp"
# A source in which two ways exist has other warnings.
PRELUDE = "".join(f'#pragma GCC diagnostic ignored "{warning}"\n' for warning in (
    "-Wpragmas", "-Wconversion", "-Wsign-compare", "-Wunused-variable", "-Wunused-value",
    "-Wunused-but-set-variable", "-Wunused-parameter", "-Wunused-function", "-Wreturn-type",
    "-Wmaybe-uninitialized", "-Wimplicit-fallthrough", "-Wparentheses", "-Wextra",
    "-Wempty-body", "-Wtype-limits", "-Wduplicated-branches", "-Wsubobject-linkage",
    "-Wenum-compare")) + "#include <nexusfix/base/mutants.hpp>\n#line 1\n"


class Stale(Exception):
    """An entry does not match its source exactly once."""


@dataclass
class Mutant:
    layer: str
    line: int  # of the catalogue
    name: str
    path: str = ""
    after: str = ""
    original: list = field(default_factory=list)
    replacement: list = field(default_factory=list)
    alone: bool = False
    number: int = 0  # 0: it has a build of its own

    def original_text(self):
        return "\n".join(self.original)

    def replacement_text(self):
        return "\n".join(self.replacement)

    def key(self):
        text = "\0".join((self.path, self.after, self.original_text(), self.replacement_text()))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def place(self, text):
        """Where the original is in its source: (begin, end)."""
        where = f"{CATALOGUE}/{self.layer}.txt:{self.line}: {self.name}: {self.path}"
        original = self.original_text()
        begin, end = 0, len(text)
        if self.after:
            if text.count(self.after) != 1:
                raise Stale(f"{where} has {text.count(self.after)} times, not once: {self.after!r}")
            begin = text.index(self.after)
            end_of_function = re.compile(r"^}", re.M).search(text, begin)
            end = end_of_function.end() if end_of_function else len(text)
        count = text.count(original, begin, end)
        if count != 1 or not original:
            raise Stale(f"{where} has {count} times, not once: {original!r}")
        at = text.index(original, begin, end)
        return at, at + len(original)


@dataclass
class Layer:
    name: str
    runs: list = field(default_factory=list)  # commands, below the build folder
    mutants: list = field(default_factory=list)

    def targets(self):
        return sorted({Path(run[0]).name for run in self.runs})


def read_catalogue(path):
    layer = Layer(path.stem)
    mutant = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        key, _, value = line.partition(" ")
        if not line or key == "#":
            continue
        if key == "run":
            layer.runs.append(value.split())
        elif key == "=":
            mutant = Mutant(path.stem, number, value)
            layer.mutants.append(mutant)
        elif mutant and key == "in":
            mutant.path = value
        elif mutant and key == "after":
            mutant.after = value
        elif mutant and key == "-":
            mutant.original.append(value)
        elif mutant and key == "+":
            mutant.replacement.append(value)
        elif mutant and line == "alone":
            mutant.alone = True
        else:
            raise Stale(f"{CATALOGUE}/{path.name}:{number}: not understood: {line}")
    for i, mutant in enumerate((m for m in layer.mutants if not m.alone), 1):
        mutant.number = i
    return layer


def catalogues(root=ROOT, names=()):
    return [read_catalogue(path) for path in sorted((root / CATALOGUE).glob("*.txt"))
            if not names or path.stem in names]


def stale_entries(root=ROOT):
    """A line for each entry that does not match its source exactly once."""
    problems = []
    texts = {}
    try:
        layers = catalogues(root)
    except Stale as error:
        return [str(error)]
    for mutant in (m for layer in layers for m in layer.mutants):
        if mutant.path not in texts:
            file = root / mutant.path
            texts[mutant.path] = file.read_text() if file.is_file() else ""
        try:
            mutant.place(texts[mutant.path])
        except Stale as error:
            problems.append(str(error))
    return problems


def is_statement(text):
    return text.rstrip().endswith((";", "}"))


def switched(original, others):
    """The code that is the original, or with its number a replacement. others: (number, text)."""
    if is_statement(original):
        branches = "".join(f"if (::nexusfix::mutants::is({n})) {{ {text} }} else "
                           for n, text in others)
        return f"{{ {branches}{{ {original} }} }}"
    branches = "".join(f"::nexusfix::mutants::is({n}) ? ({text}) : " for n, text in others)
    return f"({branches}({original}))"


def with_switches(text, mutants):
    """The source with all mutants of one file. One may lie within another."""
    places = {}
    for mutant in mutants:
        places.setdefault(mutant.place(text), []).append(mutant)
    spans = sorted(places, key=lambda span: (span[0], -span[1]))

    def render(begin, end, inner):
        """text[begin:end], with the spans of inner, of which none is [begin, end) itself."""
        result, at, i = "", begin, 0
        while i < len(inner):
            first = inner[i]
            nested = [span for span in inner[i + 1:] if span[0] < first[1]]
            for span in nested:
                if span[1] > first[1]:
                    names = [m.name for m in places[first] + places[span]]
                    raise Stale(f"two entries overlap in {mutants[0].path}: {names}")
            original = render(*first, nested)
            # On one line, so that the lines of a compiler's message are those of the source.
            others = [(m.number, " ".join(m.replacement)) for m in places[first]]
            result += text[at:first[0]] + switched(original, others)
            at = first[1]
            i += 1 + len(nested)
        return result + text[at:end]

    return PRELUDE + render(0, len(text), spans)


def write(path, data):
    """Only if it changes, so that nothing is compiled again without need."""
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def copy_tree(tree, changed):
    """Makes tree a copy of the project, with other contents of the files in changed."""
    listed = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], cwd=ROOT,
                            check=True, capture_output=True).stdout.decode().split("\0")
    names = {name for name in listed if name and (ROOT / name).is_file()}
    for name in sorted(names | set(changed)):
        source = ROOT / name
        write(tree / name, changed[name].encode() if name in changed else source.read_bytes())
        if source.is_file():
            shutil.copymode(source, tree / name)
    for file in tree.rglob("*"):
        relative = file.relative_to(tree).as_posix()
        if not relative.startswith("build/") and file.is_file() and \
                relative not in names and relative not in changed:
            file.unlink()


def not_compiling(mutants, log):
    """The mutants at whose lines the compiler has reported an error."""
    broken = []
    errors = {(path, int(line)) for path, line in
              re.findall(r"((?:src|apps|include)/[\w/.]+):(\d+):\d+: error", log)}
    for mutant in mutants:
        text = (ROOT / mutant.path).read_text()
        begin, end = mutant.place(text)
        lines = range(text.count("\n", 0, begin) + 1, text.count("\n", 0, end) + 2)
        if any(path == mutant.path and line in lines for path, line in errors):
            broken.append(mutant)
    return broken


def plant(tree, mutants):
    """Makes tree a copy of the project with these bugs. Returns the changed files."""
    by_file = {}
    for mutant in mutants:
        by_file.setdefault(mutant.path, []).append(mutant)
    changed = {path: with_switches((ROOT / path).read_text(), group)
               for path, group in by_file.items()}
    copy_tree(tree, changed | {HEADER_PATH: HEADER})
    return changed


def build(tree, layer, log):
    """Whether the layer's tests are built. A copy finds in the compiler's cache what has no bug."""
    command = [tree / "tools" / "build.py", "release", "-D", "NEXUSFIX_TESTS=ON",
               "-D", "NEXUSFIX_TESTS_IN_PARTS=ON"]
    for target in layer.targets():
        command += ["--target", target]
    with open(log, "w", encoding="utf-8") as output:
        return subprocess.run(command, stdout=output, stderr=subprocess.STDOUT,
                              check=False).returncode == 0


def is_googletest(command):
    return all(argument.startswith("--gtest_") for argument in command[1:])


def last_case(output):
    """The case that a GoogleTest program was in when it ended or hung, or nothing."""
    cases = re.findall(r"\[ RUN      \] ([\w/.]+)", output)
    return cases[-1] if cases else None


def slow_cases(times):
    """The cases that take more than a tenth of their program's time: they run last."""
    suites = json.loads(times.read_text())["testsuites"]
    cases = [(f"{suite['name']}.{case['name']}", float(case["time"].removesuffix("s")))
             for suite in suites for case in suite["testsuite"]]
    total = sum(seconds for _, seconds in cases)
    return [name for name, seconds in cases if seconds > total / 10 and len(cases) > 1]


class Runner:
    """Runs the tests of one layer. Remembers which case found a bug, and tries it first."""

    def __init__(self, layer, folder):
        self.folder = folder / "tree" / "build" / "release"
        self.layer = layer
        self.memory = folder / "found.json"
        self.found_by = json.loads(self.memory.read_text()) if self.memory.is_file() else {}
        self.steps = []  # (command, seconds until it hangs)

    def run(self, command, number, seconds):
        """Nothing if the tests pass; otherwise how the program ended, and in which case if known.
        """
        arguments = command[1:]
        if is_googletest(command):
            arguments = [*arguments, "--gtest_fail_fast"]
        environment = dict(os.environ, NEXUSFIX_MUTANT=str(number))
        process = subprocess.Popen([self.folder / command[0], *arguments], env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, cwd=self.folder,
                                   start_new_session=True)
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            output, _ = process.communicate()
            return "a hang", last_case(output.decode(errors="replace"))
        if process.returncode == 0:
            return None
        output = output.decode(errors="replace")
        failed = re.search(r"\[  FAILED  \] ([\w/.]+)", output)
        if failed:
            return "a failure", failed[1]
        end = f"signal {-process.returncode}" if process.returncode < 0 else "a failure"
        return f"{end} of {Path(command[0]).name}", last_case(output)

    def is_due_to_a_bug(self, failure, program, seconds):
        """A busy machine makes each case slow: one that hangs must end in time without the bug."""
        if failure is None or failure[0] != "a hang" or failure[1] is None:
            return failure is not None
        return self.run([program, f"--gtest_filter={failure[1]}"], 0, seconds) is None

    def passes_without_bugs(self):
        for command in self.layer.runs:
            times = self.folder / "case_times.json"
            options = [f"--gtest_output=json:{times}"] if is_googletest(command) else []
            started = time.monotonic()
            failure = self.run([*command, *options], 0, UNPLANTED_SECONDS_MAX)
            if failure:
                print(f"{self.layer.name}: without a bug, {' '.join(command)} fails: "
                      f"{failure[0]}: {failure[1]}")
                return False
            limit = max(HANG_SECONDS_MIN, HANG_FACTOR * (time.monotonic() - started))
            slow = slow_cases(times) if is_googletest(command) else []
            filters = [f"--gtest_filter=-{':'.join(slow)}", f"--gtest_filter={':'.join(slow)}"]
            self.steps += [([*command, one], limit) for one in filters] if slow else [
                (command, limit)]
        return True

    def finds(self, mutant):
        """What finds it, or nothing."""
        known = self.found_by.get(mutant.key())
        if known:
            command = [known[0], f"--gtest_filter={known[1]}"]
            failure = self.run(command, mutant.number, HANG_SECONDS_MIN)
            if self.is_due_to_a_bug(failure, known[0], HANG_SECONDS_MIN):
                return known[1]
        for command, limit in self.steps:
            failure = self.run(command, mutant.number, limit)
            if not self.is_due_to_a_bug(failure, command[0], limit):
                continue
            end, case = failure
            if case is None:
                return end
            self.found_by[mutant.key()] = [command[0], case]
            self.memory.write_text(json.dumps(dict(self.found_by), indent=1))
            return case if end == "a failure" else f"{end} in {case}"
        return None


def run_layer(layer, only):
    """(planted, found, seconds, survivors), or nothing if the layer cannot be tried."""
    started = time.monotonic()
    folder = ROOT / "build" / "mutants" / layer.name
    tree, log = folder / "tree", folder / "build.log"
    folder.mkdir(parents=True, exist_ok=True)
    switched_ones = [m for m in layer.mutants if m.number]
    print(f"{layer.name}: builds {len(layer.mutants)} bugs", flush=True)
    changed = plant(tree, switched_ones)
    survivors = []
    while not build(tree, layer, log):
        broken = not_compiling(switched_ones, log.read_text())
        if not broken:
            print(f"{layer.name}: the build fails: {log.relative_to(ROOT)}")
            return None
        for mutant in broken:
            print(f"{layer.name}: does not compile: {mutant.name}", flush=True)
        survivors += broken
        switched_ones = [m for m in switched_ones if m not in broken]
        changed = plant(tree, switched_ones)
    runner = Runner(layer, folder)
    if not runner.passes_without_bugs():
        return None
    tried = [m for m in layer.mutants if only in m.name]
    survivors = [m for m in survivors if m in tried]
    switched_ones = [m for m in tried if m in switched_ones]

    def report(mutant, finder):
        if finder is None:
            survivors.append(mutant)
        print(f"{layer.name} {mutant.number or 'alone'}: {mutant.name}: {finder or 'NOT FOUND'}",
              flush=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for mutant, finder in zip(switched_ones, pool.map(runner.finds, switched_ones)):
            report(mutant, finder)
    for mutant in (m for m in tried if m.number == 0):
        text = (ROOT / mutant.path).read_text()
        begin, end = mutant.place(text)
        write(tree / mutant.path, (text[:begin] + mutant.replacement_text() + text[end:]).encode())
        report(mutant, runner.finds(mutant) if build(tree, layer, log) else "the compiler")
        write(tree / mutant.path, changed.get(mutant.path, text).encode())
    return len(tried), len(tried) - len(survivors), time.monotonic() - started, survivors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--layer", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--only", default="", help="only the bugs with these words in their name")
    parser.add_argument("--check", action="store_true",
                        help="only whether each entry matches its source exactly once")
    arguments = parser.parse_args()
    problems = stale_entries()
    if problems or arguments.check:
        print("\n".join(problems) or "each entry matches its source once")
        return 1 if problems else 0
    layers = catalogues(names=arguments.layer)
    unknown = set(arguments.layer) - {layer.name for layer in layers}
    if unknown:
        parser.error(f"no catalogue in {CATALOGUE}: {', '.join(sorted(unknown))}")
    os.nice(10)
    rows = [(layer, run_layer(layer, arguments.only)) for layer in layers]
    good = True
    for _, result in rows:
        for mutant in result[3] if result else ():
            print(f"not found: {CATALOGUE}/{mutant.layer}.txt:{mutant.line}: {mutant.name}")
    print(f"\n{'layer':<12} {'planted':>7} {'found':>6} {'share':>6} {'seconds':>8}")
    for layer, result in rows:
        if result is None or result[0] == 0:
            print(f"{layer.name:<12} was not tried")
            good = False
            continue
        planted, found, seconds, _ = result
        share = 100 * found / planted
        print(f"{layer.name:<12} {planted:>7} {found:>6} {share:>5.0f}% {seconds:>8.0f}")
        good = good and share >= SHARE_MIN
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
