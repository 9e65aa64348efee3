#!/usr/bin/env python3
"""The core and its tests need no product: core_alone_test.py COMPILER SOURCE BUILD."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMPILER, SOURCE = sys.argv[1], Path(sys.argv[2])
del sys.argv[1:]
# The tests of the store use the kit of testing/.
CORE = ("CMakeLists.txt", "LICENSE", "cmake", "dictionaries", "include", "share", "src", "testing",
        "tests", "tools")


class CoreAloneTest(unittest.TestCase):
    def test_a_tree_without_the_folders_of_products_has_the_tests_of_the_core(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder, "tree")
            tree.mkdir()
            for name in CORE:
                (tree / name).symlink_to(SOURCE / name)
            build = Path(folder, "build")
            # Each library that a test links must be there.
            configured = subprocess.run(
                ["cmake", "-G", "Ninja", "-S", tree, "-B", build, "-D", "NEXUSFIX_PRODUCTS=OFF",
                 "-D", f"CMAKE_CXX_COMPILER={COMPILER}", "-D", "CMAKE_BUILD_TYPE=RelWithDebInfo"],
                check=False, capture_output=True, text=True)
            self.assertEqual(0, configured.returncode, configured.stderr)
            targets = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], check=True,
                                     capture_output=True, text=True).stdout
        for program in ("wire_test", "session_unit_test", "store_test", "transport_test",
                        "engine_test", "engine_floors_test"):
            self.assertIn(f"\n{program}: phony", targets)
        self.assertNotIn("\nnexusfix: phony", targets)

    def test_a_product_of_a_core_alone_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            configured = subprocess.run(
                ["cmake", "-G", "Ninja", "-S", SOURCE, "-B", folder, "-D", "NEXUSFIX_PRODUCTS=OFF",
                 "-D", "NEXUSFIX_POSTGRES=ON", "-D", f"CMAKE_CXX_COMPILER={COMPILER}"],
                check=False, capture_output=True, text=True)
        self.assertNotEqual(0, configured.returncode)
        self.assertIn("NEXUSFIX_POSTGRES=ON needs NEXUSFIX_PRODUCTS=ON", configured.stderr)


if __name__ == "__main__":
    unittest.main()
