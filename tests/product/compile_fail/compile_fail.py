#!/usr/bin/env python3
"""Misuse that must not compile: compiles each case of a file, and compares the compiler's errors
with the text that the file names.

    compile_fail.py FILE WORK COMPILER FLAGS...

A line with `NEXUSFIX_MISTAKE == N` begins a case, and each of the next lines names a regular
expression for one error: `// error: TEXT`. Case 0 has no mistake and gives no diagnostic. No error
takes more than 15 lines. Starting the compiler takes longer than a case: all cases are compiled as
one first, each in a namespace of its own, and again alone are those whose errors do not all come
so, because the compiler reports them for another case, or names the namespace. Cases that have
passed are compiled again after a change only: of their file, of a header, or of the compiler. With
`&& !defined(__clang__)` after N, the case is for g++ only, and with `&& defined(__clang__)` for
clang only. The includes are compiled once, in WORK.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

LINES_MAX = 15
CASE = re.compile(r"NEXUSFIX_MISTAKE == (\d+)\b([^\n]*)\n((?: *// error: [^\n]+\n)+)")
TEXT = re.compile(r"// error: ([^\n]+)\n")
FIRST_CASE = re.compile(r"\n\n(?:[^\n]+\n)*?#if NEXUSFIX_MISTAKE")  # with what it is in
PLACE = re.compile(r"\bcase_(\d+)\.cpp:\d+")
# Lines that g++ prints before the line with the error.
BEFORE = re.compile(r"^In file included from|^ +from |: In |: *(?:recursively )?required |^cc1plus:"
                    r"|: +(?:in|required) .*constexpr|: *in ‘constexpr’ expansion of")


def precompiled(source, work, command):
    """The flags that make the compiler use the file's includes without reading them again."""
    work.mkdir(parents=True, exist_ok=True)
    header = work / "includes.hpp"
    header.write_text("\n".join(re.findall(r"^#include <.*>$", source, re.MULTILINE)) + "\n",
                      encoding="utf-8")
    made = work / ("includes.hpp.pch" if "clang" in command[0] else "includes.hpp.gch")
    subprocess.run([*command, "-x", "c++-header", str(header), "-o", str(made),
                    "-MD", "-MF", str(work / "headers.d")], check=True)
    return ["-include-pch", str(made)] if "clang" in command[0] else ["-include", str(header)]


def written_together(source, path, work, numbers):
    """A file with all of the cases."""
    begin = FIRST_CASE.search(source).start() + 2
    end = source.rindex("\n}  // namespace nexusfix") + 1
    parts = [f'#line 1 "{path}"\n', source[:begin]]
    for number in numbers:
        place = work / f"case_{number}.cpp"  # the compiler shows lines of it
        place.unlink(missing_ok=True)
        place.symlink_to(path)
        parts.append(f"#define NEXUSFIX_MISTAKE {number}\nnamespace case_{number} {{\n"
                     f'#line {source.count(chr(10), 0, begin) + 1} "{place}"\n{source[begin:end]}'
                     f"}}\n#undef NEXUSFIX_MISTAKE\n")
    whole = work / "together.cpp"
    whole.write_text("".join(parts) + source[end:], encoding="utf-8")
    return whole


def errors_by_case(output):
    """The compiler's lines for each case: those of an error that name a place in it."""
    blocks = [[]]
    is_before = True
    for line in output.splitlines():
        begins = BEFORE.search(line) is not None or ": error: " in line
        if begins and not is_before:
            blocks.append([])
        is_before = BEFORE.search(line) is not None
        blocks[-1].append(line)
    found = {}
    for block in blocks:
        numbers = {int(number) for number in PLACE.findall("\n".join(block))}
        if len(numbers) == 1:
            found.setdefault(numbers.pop(), []).extend(block)
    return {number: "\n".join(lines) for number, lines in found.items()}


def sum_of_inputs(path, work, command):
    """A sum of all that the compiler's answers depend on; empty before the first run."""
    try:
        headers = (work / "headers.d").read_text(encoding="utf-8").replace("\\\n", " ").split()[1:]
        bytes_read = [Path(name).read_bytes() for name in [__file__, path, *headers]]
    except OSError:
        return ""
    version = subprocess.run([command[0], "--version"], capture_output=True, check=True).stdout
    together = hashlib.sha256()
    for part in [" ".join(command).encode(), version, *bytes_read]:
        together.update(hashlib.sha256(part).digest())
    return together.hexdigest()


def fault(case, expected, status, output):
    """What is wrong with the compiler's answer to a case; empty: nothing."""
    if case == 0:
        return "" if status == 0 and not output else "the file without a mistake does not compile"
    if status == 0:
        return "it compiles"
    text = "\n".join(line for line in output.splitlines() if "error generated" not in line
                     and not line.startswith("In file included from"))  # depends on the program
    for one in expected:
        if not re.search(r"error: .*" + one, text, re.DOTALL):
            return f"no error has the text: {one}"
    lines = len(text.splitlines())
    most = LINES_MAX * len(expected)
    return f"the error has {lines} lines, more than {most}" if lines > most else ""


def main():
    path, work, *command = sys.argv[1:]
    source, passed = Path(path).read_text(encoding="utf-8"), Path(work) / "passed"
    if passed.exists() and passed.read_text() == sum_of_inputs(path, Path(work), command):
        print("unchanged since they passed")
        return 0
    passed.unlink(missing_ok=True)
    is_clang = "clang" in command[0]
    cases = {int(number): TEXT.findall(lines) for number, rest, lines in CASE.findall(source)
             if f"&& {'!' if is_clang else ''}defined(__clang__)" not in rest} | {0: []}
    if is_clang:  # of several assertions of one class, it reports the first
        cases = {number: texts[:1] for number, texts in cases.items()}
    flags = precompiled(source, Path(work), command)
    together = written_together(source, path, Path(work), sorted(cases.keys() - {0}))
    limit = ["-ferror-limit=0"] if is_clang else []
    done = subprocess.run([*command, "-fsyntax-only", *flags, *limit, str(together)],
                          capture_output=True, text=True, check=False)
    errors = errors_by_case(done.stderr)
    faults = alone = 0
    for case, expected in sorted(cases.items()):
        if case in errors and not fault(case, expected, 1, errors[case]):
            continue
        alone += 1
        one = [*command, *flags, f"-DNEXUSFIX_MISTAKE={case}", path]
        done = subprocess.run([*one, "-fsyntax-only"], capture_output=True, text=True, check=False)
        if case != 0 and done.returncode == 0:  # an error of machine code, such as [[gnu::error]]
            done = subprocess.run([*one, "-S", "-o", "/dev/null"], capture_output=True, text=True,
                                  check=False)
        wrong = fault(case, expected, done.returncode, done.stdout + done.stderr)
        if wrong:
            faults += 1
            print(f"{path}: case {case}: {wrong}\n{done.stdout}{done.stderr}")
    print(f"{len(cases)} cases, {alone} of them compiled alone, {faults} faults")
    if faults or len(cases) < 2:
        return 1
    passed.write_text(sum_of_inputs(path, Path(work), command))
    return 0


if __name__ == "__main__":
    sys.exit(main())
