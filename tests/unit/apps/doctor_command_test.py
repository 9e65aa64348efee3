#!/usr/bin/env python3
"""`nexusfix doctor` from the view of an operator: its output and its exit status."""

import json
import os
import sys
import unittest

import command_test
from command_test import WithFolder, run

THP = "sys/kernel/mm/transparent_hugepage/enabled"


class Doctor(WithFolder):
    def put(self, path, text):
        file = self.folder / "machine" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def doctor(self, *arguments):
        return run("doctor", "--root", self.folder / "machine", *arguments)

    def test_a_machine_without_a_warning_ends_with_success(self):
        self.put(THP, "always [madvise] never\n")
        done = self.doctor()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"ok +transparent huge pages +madvise")
        self.assertRegex(done.stdout, r"unknown +clock source")

    def test_a_warning_ends_with_failure_and_says_why_and_what_to_do(self):
        self.put(THP, "[always] madvise never\n")
        done = self.doctor()
        self.assertEqual(done.returncode, 1)
        self.assertIn("hundreds of microseconds", done.stdout)
        self.assertIn(f"$ echo madvise | sudo tee /{THP}\n", done.stdout)
        self.assertIn("\n1 warning, ", done.stdout)

    def test_json_has_the_same(self):
        self.put(THP, "[always] madvise never\n")
        done = self.doctor("--json")
        self.assertEqual(done.returncode, 1)
        findings = {one["name"]: one for one in json.loads(done.stdout)["findings"]}
        pages = findings["transparent huge pages"]
        self.assertEqual((pages["area"], pages["level"], pages["seen"]),
                         ("memory", "warning", "always"))
        self.assertIn("madvise", pages["change"])

    def test_this_machine_is_examined(self):
        done = run("doctor", "--all", self.folder)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertRegex(done.stdout, r"file system +\S")

    def test_a_missing_configuration_is_no_folder(self):
        done = self.doctor("/nowhere/vneue.cfg")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/vneue.cfg: there is no such configuration file", done.stderr)

    def test_a_missing_folder_is_on_the_file_system_of_its_parent(self):
        self.put("proc/self/mountinfo", "27 1 254:0 / / rw - ext4 /dev/vda rw\n")
        self.assertIn("/nowhere/yet is on ext4", self.doctor("/nowhere/yet").stdout)

    def test_a_configuration_names_the_folder_and_the_sessions(self):
        self.put("proc/self/mountinfo", "27 1 0:1 / / rw - tmpfs none rw\n")
        self.put("proc/self/limits", "Max open files 20 20 files\n")
        config = self.folder / "venue.cfg"
        config.write_text("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\n"
                          "FileStorePath=/srv/venue\nSocketReceiveBufferSize=1000000\n"
                          "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n")
        self.put("proc/sys/net/core/rmem_max", "212992\n")
        done = self.doctor(config)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/srv/venue is on tmpfs", done.stdout)
        self.assertIn("20, for 1 session\n", done.stdout)
        self.assertIn("net.core.rmem_max=1000000", done.stdout)

    def test_errors_in_a_configuration_are_reported_with_their_lines(self):
        config = self.folder / "venue.cfg"
        config.write_text("[SESSION]\nBeginString=FIX.9\n")
        done = self.doctor(config)
        self.assertEqual(done.returncode, 1)
        self.assertIn("venue.cfg:2: BeginString=FIX.9", done.stderr)
        self.assertEqual(run("doctor", "--jsn").returncode, 2)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
