#!/usr/bin/env python3
"""Checks a hardened program by its ELF file, and the systemd unit by systemd-analyze."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

# The arguments: a program built with the flags, the command, the unit, and the program's object
# files and libraries.
PROGRAM, NEXUSFIX, UNIT = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
OBJECTS = [os.path.abspath(sys.argv.pop(1)) for _ in sys.argv[1:]]
IS_PROBE = PROGRAM != NEXUSFIX
EXPOSURE_MAX = 1.5  # by systemd-analyze: 0 is fully sandboxed, 10 is unrestricted
X86 = os.uname().machine == "x86_64"
MARKED = r"x86 feature: .*\bIBT, SHSTK\b"
# The replacements by _FORTIFY_SOURCE of the functions that it guards.
FORTIFIED = (r"__(mem(cpy|move|set|pcpy)|explicit_bzero|st[pr]n?c(py|at)|v?(s|sn|f|d|as)?printf|"
             r"f?gets|f?read|pread(64)?|recv(from)?|p?poll|readlink|getcwd|realpath)_chk")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@unittest.skipUnless(shutil.which("readelf"), "no readelf")
class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shown = output_of("readelf", "-hldW", PROGRAM)
        cls.symbols = output_of("readelf", "--dyn-syms", "-W", PROGRAM)

    def test_it_is_loaded_at_a_random_address(self):
        self.assertRegex(self.shown, r"Type: +DYN ")
        self.assertRegex(self.shown, r"FLAGS_1.*\bPIE\b")

    def test_its_tables_of_addresses_are_read_only_from_the_start_on(self):
        self.assertRegex(self.shown, r"GNU_RELRO")
        self.assertRegex(self.shown, r"\(FLAGS\) +BIND_NOW")

    def test_no_memory_can_be_written_and_executed(self):
        self.assertRegex(self.shown, r"GNU_STACK .* RW +0x")
        self.assertNotRegex(self.shown, r"LOAD .* RWE ")

    def test_stack_copies_and_indexes_are_guarded(self):
        for symbol in ("__stack_chk_fail", FORTIFIED, r"\w*__glibcxx_assert_fail\w*"):
            self.assertRegex(self.symbols, rf" UND {symbol}@")

    @unittest.skipUnless(IS_PROBE, "only the probe is certain to have such a call")
    def test_sizes_that_are_known_at_run_time_only_are_guarded(self):
        self.assertRegex(self.symbols, r" UND __memset_chk@")

    @unittest.skipUnless(X86, "x86-64 only")
    def test_returns_and_jumps_are_checked_if_the_processor_supports_it(self):
        self.assertRegex(output_of("readelf", "-nW", PROGRAM), MARKED)
        disassembly = output_of("objdump", "-d", "--disassemble=main", PROGRAM)
        self.assertRegex(disassembly, r"<main>:\n.*\bendbr64\b")

    # The linker marks the program even if an object file has no mark.
    @unittest.skipUnless(X86, "x86-64 only")
    def test_each_of_its_object_files_is_marked_by_the_compiler(self):
        self.assertTrue(OBJECTS)
        unmarked = []
        for file in OBJECTS:
            # The members of a library, each of which begins with its name.
            parts = output_of("readelf", "-nW", file).split("\nFile: ")
            for part in parts[1:] or [file + "\n" + parts[0]]:
                if not re.search(MARKED, part):
                    unmarked.append(part.splitlines()[0])
        self.assertEqual(unmarked, [])


@unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd-analyze")
class Unit(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="nexusfix-unit-")
        self.addCleanup(temporary.cleanup)
        text = Path(UNIT).read_text(encoding="utf-8").replace("@NEXUSFIX_PROGRAM@", NEXUSFIX)
        self.unit = Path(temporary.name) / "nexusfix@venue.service"
        self.unit.write_text(text, encoding="utf-8")

    def test_it_is_right(self):
        done = subprocess.run(["systemd-analyze", "verify", self.unit], capture_output=True,
                              text=True, check=False)
        ours = [line for line in done.stderr.splitlines() if "nexusfix" in line]
        self.assertEqual(ours, [])

    def test_its_memory_has_a_limit(self):
        self.assertRegex(self.unit.read_text(encoding="utf-8"), r"(?m)^MemoryMax=\d+G$")

    def test_it_leaves_an_intruder_few_rights(self):
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager",
                               self.unit], capture_output=True, text=True, check=False)
        if "unrecognized option" in done.stderr:
            self.skipTest("this systemd-analyze looks at running services only")
        exposure = re.search(r"Overall exposure level for .*: (\d+\.\d+)", done.stdout)
        self.assertIsNotNone(exposure, done.stdout + done.stderr)
        self.assertLessEqual(float(exposure[1]), EXPOSURE_MAX, done.stdout)


if __name__ == "__main__":
    print("checked:", PROGRAM, "- a program that has the flags for itself, because this build has "
          "none (NEXUSFIX_HARDENED=OFF)" if IS_PROBE else "- the command of this build")
    unittest.main(verbosity=2)
