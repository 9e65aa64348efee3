#!/usr/bin/env python3
"""Clones of the project share compiled files: compiler_cache_test.py COMPILER SOURCE BUILD."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

COMPILER, SOURCE = sys.argv[1], Path(sys.argv[2])
del sys.argv[1:]
COPIED = ("CMakeLists.txt", "cmake", "include", "src", "tools", "dictionaries", "share", "LICENSE")


class CompilerCacheTest(unittest.TestCase):
    def test_a_second_clone_compiles_nothing_again(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = self.environment(folder)
            hits = []
            for clone, build in (("first", "build"), ("a/second", "other")):
                hits.append(self.hits_of_build(Path(folder, clone), build, environment))
        self.assertEqual(0, hits[0][0])
        self.assertEqual((hits[0][1], hits[0][1]), hits[1])

    def test_a_changed_header_is_compiled_again_where_another_clone_has_changed_it_too(self):
        """In a precompiled header of which both clones have the same old version."""
        misses = []
        with tempfile.TemporaryDirectory() as folder:
            for value, clone in ((1, "first"), (1, "second"), (2, "first"), (3, "second")):
                self.assertEqual(value, self.answer_of(folder, clone, value, "// its value"))
                misses.append(self.misses(folder))
        self.assertEqual([1, 1, 2, 3], misses)  # the source is compiled once for each header

    def test_a_comment_is_no_reason_for_another_clones_precompiled_header(self):
        with tempfile.TemporaryDirectory() as folder:
            for clone in ("first", "second"):
                self.assertEqual(1, self.answer_of(folder, clone, 1, f"// in the {clone}",
                                                   more=f"int {clone} = 0;\n"))

    def misses(self, folder):
        counts = subprocess.run(["ccache", "--print-stats"], env=self.environment(folder),
                                check=True, capture_output=True, text=True).stdout
        return int(re.search(r"(?m)^cache_miss\t(\d+)$", counts)[1])

    def environment(self, folder):
        own = {name: value for name, value in os.environ.items() if not name.startswith("CCACHE_")}
        return {**own, "CCACHE_DIR": str(Path(folder, "cache"))}

    def answer_of(self, folder, name, value, comment, more=""):
        """The result of a program that has the value from a precompiled header."""
        clone = Path(folder, name)
        if not clone.exists():
            clone.mkdir()
            shutil.copytree(SOURCE / "cmake", clone / "cmake")
            (clone / "main.cpp").write_text('#include "answer.hpp"\n'
                                            f"int main() {{ return answer(); }}\n{more}")
            (clone / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\n"
                f"set(CMAKE_CXX_COMPILER {COMPILER})\nproject(answer CXX)\n"
                "include(cmake/compiler_cache.cmake)\nadd_executable(answer main.cpp)\n"
                "target_precompile_headers(answer PRIVATE answer.hpp)\n")
        header = clone / "answer.hpp"
        before = header.stat().st_mtime if header.exists() else time.time()
        header.write_text(f"#pragma once\n{comment}\n"
                          f"inline int answer() {{ return {value}; }}\n")
        os.utime(header, (before + 2, before + 2))  # at any resolution of the file system
        commands = [["ninja", "-C", "build"]]
        if not (clone / "build").exists():
            commands.insert(0, ["cmake", "-G", "Ninja", "-S", ".", "-B", "build"])
        for command in commands:
            done = subprocess.run(command, env=self.environment(folder), check=False, cwd=clone,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
        return subprocess.run([clone / "build" / "answer"], check=False).returncode

    def hits_of_build(self, clone, build, environment):
        """Builds one layer in a copy of the sources, in the folder build there. Returns the hits of
        the cache and the number of compiled files."""
        clone.mkdir(parents=True)
        for name in COPIED:
            source = SOURCE / name
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, clone / name)

        def run(*command):
            return subprocess.run(command, env=environment, check=True, capture_output=True,
                                  text=True, cwd=clone).stdout
        run("ccache", "--zero-stats")
        run("cmake", "-G", "Ninja", "-S", clone, "-B", clone / build, "-D",
            f"CMAKE_CXX_COMPILER={COMPILER}", "-D", "NEXUSFIX_PRODUCTS=OFF", "-D",
            "NEXUSFIX_TESTS=OFF", "-D", "CMAKE_BUILD_TYPE=RelWithDebInfo", "-D",
            "CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0")
        run("ninja", "-C", clone / build, "nexusfix_base")
        counts = dict(re.findall(r"^(\w+)\t(\d+)$", run("ccache", "--print-stats"), re.MULTILINE))
        found = int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])
        return found, found + int(counts["cache_miss"])


if __name__ == "__main__":
    if shutil.which("ccache") is None:
        sys.exit(77)
    unittest.main()
