#!/usr/bin/env python3
"""What `make install` builds: installed_target_test.py COMPILER SOURCE BUILD."""

import shutil
import subprocess
import sys
import unittest

BUILD = sys.argv[3]
del sys.argv[1:]


class InstalledTargetTest(unittest.TestCase):
    def test_neither_tests_nor_examples_are_built_for_an_installation(self):
        inputs = subprocess.run(["ninja", "-C", BUILD, "-t", "inputs", "nexusfix_installed"],
                                capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertTrue(any(name.endswith("libnexusfix_engine.a") for name in inputs))
        built = [name for name in inputs if name.startswith(("tests/", "examples/"))]
        self.assertEqual([], built)


if __name__ == "__main__":
    if shutil.which("ninja") is None:
        sys.exit(77)
    unittest.main()
