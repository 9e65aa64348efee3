#!/usr/bin/env python3
"""Clones of the project share what they compile: compiler_cache_test.py COMPILER SOURCE BUILD."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMPILER, SOURCE = sys.argv[1], Path(sys.argv[2])
del sys.argv[1:]
COPIED = ("CMakeLists.txt", "cmake", "include", "src", "tools", "dictionaries", "share", "LICENSE")


class CompilerCacheTest(unittest.TestCase):
    def test_a_second_clone_compiles_nothing_again(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "CCACHE_DIR": str(Path(folder, "cache"))}
            hits = []
            for clone in ("first", "a/second"):
                hits.append(self.hits_of_build(Path(folder, clone), environment))
        self.assertEqual(0, hits[0][0])
        self.assertEqual((hits[0][1], hits[0][1]), hits[1])

    def hits_of_build(self, clone, environment):
        """Builds one layer in a copy of the sources; returns cache hits and compiled files."""
        clone.mkdir(parents=True)
        for name in COPIED:
            source = SOURCE / name
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, clone / name)

        def run(*command):
            return subprocess.run(command, env=environment, check=True, capture_output=True,
                                  text=True, cwd=clone).stdout
        run("ccache", "--zero-stats")
        run("cmake", "-G", "Ninja", "-S", clone, "-B", clone / "build", "-D",
            f"CMAKE_CXX_COMPILER={COMPILER}", "-D", "NEXUSFIX_DEVELOPER=OFF", "-D",
            "CMAKE_BUILD_TYPE=RelWithDebInfo")
        run("ninja", "-C", clone / "build", "nexusfix_base")
        counts = dict(re.findall(r"^(\w+)\t(\d+)$", run("ccache", "--print-stats"), re.MULTILINE))
        found = int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])
        return found, found + int(counts["cache_miss"])


if __name__ == "__main__":
    if shutil.which("ccache") is None:
        sys.exit(77)
    unittest.main()
