#!/usr/bin/env python3
"""Which licenses a wheel gets, and that it is a right wheel after that."""

import base64
import csv
import hashlib
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))
import wheel_licenses  # noqa: E402  pylint: disable=wrong-import-position

INFO = "nexusfix-1.dist-info"
METADATA = "Metadata-Version: 2.4\nName: nexusfix\nLicense-File: OLD\n\n# A title\n\nText\n"


class WheelLicensesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.wheel = Path(folder.name, "nexusfix-1-cp312-abi3-linux_x86_64.whl")
        with zipfile.ZipFile(self.wheel, "w") as archive:
            archive.writestr("nexusfix/__init__.py", "x = 1\n")
            archive.writestr(f"{INFO}/METADATA", METADATA)
            archive.writestr(f"{INFO}/licenses/OLD", "old")
            archive.writestr(f"{INFO}/RECORD", "nexusfix/__init__.py,,\n")

    def test_the_texts_are_in_the_wheel_and_named_by_its_metadata(self):
        wheel_licenses.add(self.wheel, {"LICENSE": b"own", "libfmt-dev.txt": b"MIT"})
        with zipfile.ZipFile(self.wheel) as archive:
            self.assertEqual(archive.read(f"{INFO}/licenses/libfmt-dev.txt"), b"MIT")
            self.assertNotIn(f"{INFO}/licenses/OLD", archive.namelist())
            head, _, body = archive.read(f"{INFO}/METADATA").decode().partition("\n\n")
        self.assertEqual([line for line in head.splitlines() if line.startswith("License-File")],
                         ["License-File: LICENSE", "License-File: libfmt-dev.txt"])
        self.assertEqual(body, "# A title\n\nText\n")

    def test_the_record_has_the_hash_of_each_file(self):
        wheel_licenses.add(self.wheel, {"LICENSE": b"own"})
        with zipfile.ZipFile(self.wheel) as archive:
            rows = {name: (digest, size) for name, digest, size in
                    csv.reader(archive.read(f"{INFO}/RECORD").decode().splitlines())}
            self.assertEqual(sorted(rows), sorted(archive.namelist()))
            self.assertEqual(rows.pop(f"{INFO}/RECORD"), ("", ""))
            for name, (digest, size) in rows.items():
                data = archive.read(name)
                made = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode()
                self.assertEqual((digest, int(size)), ("sha256=" + made.rstrip("="), len(data)))

    def test_a_library_that_was_copied_into_the_wheel_belongs_to_a_package(self):
        folder = self.wheel.parent / "usr/lib/x86_64-linux-gnu"
        folder.mkdir(parents=True)
        for name in ("libfmt.so.9", "libother.so.1"):
            (folder / name).touch()
        with mock.patch.object(wheel_licenses.subprocess, "run") as run:
            run.return_value.stdout = "libfmt9:amd64: /usr/lib/x86_64-linux-gnu/libfmt.so.9\n"
            found = wheel_licenses.grafted_packages(
                ["nexusfix.libs/libfmt-0123abcd.so.9", "nexusfix/_core.abi3.so"],
                self.wheel.parent)
        self.assertEqual(found, {"libfmt9"})
        self.assertEqual([Path(path).name for path in run.call_args.args[0][2:]], ["libfmt.so.9"])


if __name__ == "__main__":
    unittest.main()
