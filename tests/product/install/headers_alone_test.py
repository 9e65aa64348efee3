#!/usr/bin/env python3
"""Each public header compiles alone: headers_alone_test.py COMPILER SOURCE BUILD.

A source includes several headers, one of which is included by the next one and so on. What comes
before a header in its source is what it includes anyway, so it lacks as much as it would alone, and
all of them are read once.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMPILER, SOURCE, BUILD = sys.argv.pop(1), Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
LAUNCHER = [found] if (found := shutil.which("ccache")) else []
# The public headers of the core, and of each product beside it.
ROOTS = [SOURCE / "include", *sorted(SOURCE.glob("*/include"))]
DIRECTIVE = re.compile(r"^ *# *(if|endif|include)[a-z]*(?: *<(.*)>)?", re.MULTILINE)


def included(text):
    """The headers that the text of a header includes in any case."""
    depth, names = 0, []
    for directive, name in DIRECTIVE.findall(text):
        depth += {"if": 1, "endif": -1}.get(directive, 0)
        if name and depth == 0:
            names.append(name)
    return names


def all_included(names, direct):
    """All that the headers include, also by way of others."""
    found, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += direct.get(name, ())
    return found


def chains(direct):
    """Lists of headers in which each is included by the next one, as few lists as possible. direct:
    the headers that each header includes itself."""
    below = {name: all_included(names, direct) & direct.keys() for name, names in direct.items()}
    for name, inner in below.items():  # headers that include one another: each begins a list
        if name in inner:
            below[name] = set()
    next_of = {}  # a matching that no augmenting path makes larger

    def gets_next(name, tried):
        for after in sorted(direct):
            if name in below[after] and after not in tried:
                tried.add(after)
                before = previous_of.get(after)
                if before is None or gets_next(before, tried):
                    previous_of[after], next_of[name] = name, after
                    return True
        return False

    previous_of = {}
    for name in sorted(direct):
        gets_next(name, set())
    lists = []
    for name in sorted(direct.keys() - previous_of.keys()):
        lists.append([name])
        while lists[-1][-1] in next_of:
            lists[-1].append(next_of[lists[-1][-1]])
    return lists


class HeadersAloneTest(unittest.TestCase):
    maxDiff = None

    def test_each_header_compiles_alone(self):
        folder = BUILD / "tests" / "install" / "headers_alone"
        folder.mkdir(parents=True, exist_ok=True)
        direct = {path.relative_to(root).as_posix(): included(path.read_text(encoding="utf-8"))
                  for root in ROOTS for path in root.rglob("*.hpp")}
        lists = chains(direct)
        self.assertEqual(sorted(direct), sorted(sum(lists, [])))

        def fault(headers):
            source = folder / (headers[-1].replace("/", "_") + ".cpp")
            source.write_text("".join(f"#include <{name}>\n" for name in headers),
                              encoding="utf-8")
            done = subprocess.run(
                [*LAUNCHER, COMPILER, "-std=c++23", *(f"-I{root}" for root in ROOTS), "-MD", "-c",
                 source, "-o", source.with_suffix(".o")],
                capture_output=True, text=True, check=False,
                env={**os.environ, "LC_ALL": "C"})
            return done.stderr if done.returncode == 0 else f"{headers}:\n{done.stderr}"
        with ThreadPoolExecutor(2) as pool:
            self.assertEqual("", "".join(pool.map(fault, lists)))

    def test_a_list_has_only_headers_that_the_next_one_includes(self):
        direct = {"a": [], "b": ["a"], "c": ["std"], "d": ["b", "c"], "e": ["f"], "f": ["e"]}
        lists = chains(direct)
        self.assertEqual(sorted("abcdef"), sorted(sum(lists, [])))
        self.assertEqual(4, len(lists))
        for one in lists:
            for header, after in zip(one, one[1:]):
                self.assertIn(header, all_included(direct[after], direct))
        self.assertEqual(["x"], included("#include <x>\n#ifdef Y\n#include <y>\n#endif\n"))


if __name__ == "__main__":
    unittest.main()
